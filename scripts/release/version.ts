// The rules of version numbers: Semantic Versioning 2.0.0, without build metadata.
export type Version = { major: number; minor: number; patch: number; prerelease: string[] };

export const bumps = ["major", "minor", "patch"] as const;
export type Bump = (typeof bumps)[number];

const number = "(?:0|[1-9]\\d*)";
const identifier = `(?:${number}|\\d*[A-Za-z-][0-9A-Za-z-]*)`;
const pattern = new RegExp(`^(${number})\\.(${number})\\.(${number})(?:-(${identifier}(?:\\.${identifier})*))?$`);

/** Null for a text that is not a version, such as `v1.2.3` or `1.2`. */
export function parseVersion(text: string): Version | null {
  const match = pattern.exec(text);
  if (!match) return null;
  const [, major, minor, patch, prerelease] = match;
  return {
    major: Number(major),
    minor: Number(minor),
    patch: Number(patch),
    prerelease: prerelease === undefined ? [] : prerelease.split("."),
  };
}

export const formatVersion = ({ major, minor, patch, prerelease }: Version): string =>
  [`${major}.${minor}.${patch}`, ...(prerelease.length > 0 ? [prerelease.join(".")] : [])].join("-");

const isNumber = (text: string): boolean => /^\d+$/.test(text);

/** Numbers by value and before words, words by their ASCII order. */
function compareIdentifiers(a: string, b: string): number {
  if (isNumber(a) && isNumber(b)) return Number(a) - Number(b);
  if (isNumber(a) !== isNumber(b)) return isNumber(a) ? -1 : 1;
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Below zero if `a` comes before `b`. */
export function compareVersions(a: Version, b: Version): number {
  const core = a.major - b.major || a.minor - b.minor || a.patch - b.patch;
  if (core !== 0) return core;
  // A version with a prerelease comes before the one without.
  if (a.prerelease.length === 0 || b.prerelease.length === 0) return b.prerelease.length - a.prerelease.length;
  for (let index = 0; index < Math.min(a.prerelease.length, b.prerelease.length); index++) {
    const order = compareIdentifiers(a.prerelease[index]!, b.prerelease[index]!);
    if (order !== 0) return order;
  }
  return a.prerelease.length - b.prerelease.length;
}

/** The next version. One that is still a prerelease becomes the release that it announces. */
export function bumpVersion({ major, minor, patch, prerelease }: Version, bump: Bump): Version {
  const isAnnounced = prerelease.length > 0;
  if (bump === "patch") return { major, minor, patch: isAnnounced ? patch : patch + 1, prerelease: [] };
  if (bump === "minor")
    return { major, minor: isAnnounced && patch === 0 ? minor : minor + 1, patch: 0, prerelease: [] };
  const isNext = isAnnounced && minor === 0 && patch === 0;
  return { major: isNext ? major : major + 1, minor: 0, patch: 0, prerelease: [] };
}

/**
 * The tags of the image: the version, and x.y, x and `latest` unless a newer release has them. A fix for an older
 * version therefore does not move `latest` back, and a prerelease moves nothing.
 */
export function imageTags(version: Version, released: Version[]): string[] {
  const own = formatVersion(version);
  if (version.prerelease.length > 0) return [own];
  const others = released.filter((one) => one.prerelease.length === 0);
  const isNewest = (among: (one: Version) => boolean): boolean =>
    others.filter(among).every((one) => compareVersions(one, version) <= 0);
  const { major, minor } = version;
  return [
    own,
    ...(isNewest((one) => one.major === major && one.minor === minor) ? [`${major}.${minor}`] : []),
    ...(isNewest((one) => one.major === major) ? [`${major}`] : []),
    ...(isNewest(() => true) ? ["latest"] : []),
  ];
}

// CHANGELOG.md as data: its sections, its rules, the cut of a version and the notes of a release.
import { type Bump, compareVersions, parseVersion } from "./version.ts";

const groups = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"] as const;
type Group = (typeof groups)[number];

const maxColumns = 160;

type Section = {
  /** `Unreleased`, or a version. */
  name: string;
  date: string | null;
  /** The line of the heading, counted from 1. */
  line: number;
  /** The lines below the heading. */
  lines: string[];
};

type Changelog = { head: string[]; sections: Section[] };

const unreleased = "Unreleased";
const heading = /^## \[([^\]]+)\](?: - (\S+))?$/;

/** Every line that begins with two number signs begins a section, so that a misspelt heading is found. */
function parseChangelog(text: string): Changelog {
  const changelog: Changelog = { head: [], sections: [] };
  for (const [index, line] of text.replace(/\n$/, "").split("\n").entries()) {
    if (/^##(?!#)/.test(line)) {
      const match = heading.exec(line);
      changelog.sections.push({ name: match?.[1] ?? line, date: match?.[2] ?? null, line: index + 1, lines: [] });
    } else (changelog.sections.at(-1)?.lines ?? changelog.head).push(line);
  }
  return changelog;
}

/** The changes of a section by group. */
function changesOf(section: Section): Map<string, string[]> {
  const changes = new Map<string, string[]>();
  let group: string[] = [];
  for (const line of section.lines) {
    if (line.startsWith("### ")) {
      group = changes.get(line.slice(4)) ?? [];
      changes.set(line.slice(4), group);
    } else if (line.startsWith("- ")) group.push(line.slice(2));
  }
  return changes;
}

const countChanges = (section: Section): number => [...changesOf(section).values()].flat().length;

function isDate(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function headingProblem({ name, date }: Section, isFirst: boolean): string | null {
  if (isFirst) return name === unreleased && date === null ? null : "the first section is `## [Unreleased]`";
  if (name === unreleased) return "there is one section `## [Unreleased]`";
  if (parseVersion(name) === null) return "a section is `## [Unreleased]` or `## [x.y.z] - YYYY-MM-DD`";
  return date !== null && isDate(date) ? null : "a version has its date: `## [x.y.z] - YYYY-MM-DD`";
}

/** Versions and dates go down the page. */
function orderProblems(sections: Section[]): string[] {
  return sections.slice(1).flatMap((section, index) => {
    const above = sections[index]!;
    const [own, newer] = [parseVersion(section.name), parseVersion(above.name)];
    if (own === null || newer === null) return [];
    if (compareVersions(newer, own) <= 0) return [`line ${section.line}: ${section.name} is below ${above.name}`];
    return above.date !== null && section.date !== null && above.date < section.date
      ? [`line ${section.line}: ${section.name} is dated after ${above.name}`]
      : [];
  });
}

function groupProblems(section: Section): string[] {
  const found: { name: string; line: number; count: number }[] = [];
  const problems: string[] = [];
  for (const [index, line] of section.lines.entries()) {
    const place = section.line + index + 1;
    if (line.startsWith("#")) found.push({ name: line.replace(/^### /, ""), line: place, count: 0 });
    else if (line.startsWith("- ")) {
      if (found.length === 0) problems.push(`line ${place}: a change is in a group, such as "### Added"`);
      else found.at(-1)!.count++;
      if (line.length > maxColumns) problems.push(`line ${place}: ${line.length} columns, ${maxColumns} at most`);
      if (!/[.!?)]$/.test(line)) problems.push(`line ${place}: a change is a sentence, with a full stop`);
    } else if (line !== "" && found.length > 0)
      problems.push(`line ${place}: a change is one line that begins with "- "`);
  }
  for (const [index, { name, line, count }] of found.entries()) {
    const position = groups.indexOf(name as Group);
    const previous = groups.indexOf(found[index - 1]?.name as Group);
    if (position < 0) problems.push(`line ${line}: a group is one of ${groups.join(", ")}`);
    else if (position <= previous) problems.push(`line ${line}: groups come once, in the order ${groups.join(", ")}`);
    if (count === 0) problems.push(`line ${line}: a group without changes`);
  }
  return problems;
}

/** What breaks the format of the changelog, with the line. */
export function changelogProblems(text: string): string[] {
  const { head, sections } = parseChangelog(text);
  if (head[0] !== "# Changelog") return ["line 1: the title is `# Changelog`"];
  if (sections.length === 0) return ["there is no section `## [Unreleased]`"];
  return [
    ...sections.flatMap((section, index) => {
      const problem = headingProblem(section, index === 0);
      return problem ? [`line ${section.line}: ${problem}`] : [];
    }),
    ...orderProblems(sections),
    ...sections.flatMap(groupProblems),
    ...sections.slice(1).flatMap((section) => {
      return countChanges(section) > 0 ? [] : [`line ${section.line}: ${section.name} has no changes`];
    }),
  ];
}

export const countUnreleased = (text: string): number => countChanges(parseChangelog(text).sections[0]!);

/**
 * The least bump for what is unreleased: fixes alone are a patch; before 1.0.0 a breaking change is a minor version,
 * afterwards a major one.
 */
export function bumpFor(text: string, isStable: boolean): Bump {
  const changes = changesOf(parseChangelog(text).sections[0]!);
  const isBreaking = [...changes.values()].flat().some((change) => change.startsWith("**Breaking:**"));
  if (isBreaking && isStable) return "major";
  return isBreaking || [...changes.keys()].some((group) => group !== "Fixed" && group !== "Security")
    ? "minor"
    : "patch";
}

/** The changelog in which everything unreleased belongs to `version`. */
export const cutChangelog = (text: string, version: string, date: string): string =>
  text.replace(/^## \[Unreleased\]$/m, `## [${unreleased}]\n\n## [${version}] - ${date}`);

/** The text of a version, for the page of its release; null if the changelog does not have it. */
export function releaseNotes(text: string, version: string): string | null {
  const section = parseChangelog(text).sections.find(({ name }) => name === version);
  return section ? `${section.lines.join("\n").trim()}\n` : null;
}

// Hides the secrets of a value, which are where its schema marks them (packages/contract/src/secrets.ts). The shape of
// the value stays: texts are replaced, and members are removed only where the mark says so.
import { emailPattern, isJsonObject, type SecretMark, type SecretPlaces } from "@tidings/contract";
import { mask } from "./secrets.ts";

/** An address without its user, password, query and fragment. */
export function withoutQuery(address: string): string {
  const url = URL.parse(address);
  if (!url) return mask;
  return url.origin === "null" ? mask : `${url.origin}${url.pathname}`;
}

const phoneNumber = /^\+?[0-9][0-9 ()./-]{2,24}$/;

/** Email addresses and phone numbers whole, the host of a URL, a mask instead of a token or the name of a channel. */
function addressOnly(text: string): string {
  if (emailPattern.test(text) || phoneNumber.test(text)) return text;
  const { origin = "null" } = URL.parse(text) ?? {};
  return origin === "null" ? mask : `${origin}/…`;
}

const hiddenTexts: Record<SecretMark["shown"], (text: string) => string> = {
  masked: () => mask,
  removed: () => mask,
  "host and path": withoutQuery,
  addresses: addressOnly,
};

/** The value with every text below it changed. */
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapTexts(member, change)]));
}

/** A copy of the value without the secrets that are hidden. What has no marks is not looked into. */
export function hideSecrets(
  places: SecretPlaces | null,
  value: unknown,
  isHidden: (mark: SecretMark) => boolean,
): unknown {
  if (places === null || value === null || value === undefined) return value;
  const { mark, members, items, rest, content } = places;
  if (mark && isHidden(mark)) return mapTexts(value, hiddenTexts[mark.shown]);
  if (typeof value === "string") return content ? hideInText(content, value, isHidden) : value;
  if (Array.isArray(value)) return items ? value.map((item) => hideSecrets(items, item, isHidden)) : value;
  if (!isJsonObject(value) || (members.size === 0 && !rest)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const below = members.get(name) ?? rest;
      if (below?.mark?.shown === "removed" && isHidden(below.mark)) return [];
      return [[name, hideSecrets(below, member, isHidden)]];
    }),
  );
}

/** A text that holds JSON. One that cannot be read may hold anything. */
function hideInText(places: SecretPlaces, text: string, isHidden: (mark: SecretMark) => boolean): string {
  try {
    return JSON.stringify(hideSecrets(places, JSON.parse(text), isHidden));
  } catch {
    return mask;
  }
}

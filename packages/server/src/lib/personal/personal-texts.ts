// What identifies a person in texts, and how it is replaced by a pseudonym. Pure.
import { domainToASCII } from "node:url";
import { normalizeAddress } from "../addresses.ts";
import { idToBase62 } from "../ids.ts";
import { isObject, type JsonObject } from "../json.ts";

export type Person = {
  subscriberId: string;
  /** The internal ids of the subscriber, and of deleted ones that had the same `subscriberId`. */
  ids: string[];
  /** Replaced wherever they occur: addresses, the full name, tokens, and what the caller added. */
  texts: string[];
  /** Replaced where a whole value is equal to one: names that no other subscriber of the environment has. */
  names: string[];
  /** Replaced in rows about the person where a whole value is equal to one: all names and the values of `data`. */
  values: string[];
  /** Replaced in rows about the person as words: all names, and values of `data` that are not ordinary words. */
  words: string[];
};

/** What the profile of a subscriber says. */
export type PersonalProfile = {
  email?: string | null;
  phone?: string | null;
  firstName?: string | null;
  lastName?: string | null;
  avatar?: string | null;
  data?: JsonObject | null;
};

/** Shorter texts are words of other texts too. */
const minTextLength = 6;
const minValueLength = 3;
const maxValues = 500;

const isPresent = (text: string | null | undefined): text is string => typeof text === "string" && text.trim() !== "";

/** An address in all its spellings. */
export function spellingsOf(address: string): string[] {
  const normal = normalizeAddress(address);
  const at = normal.lastIndexOf("@") + 1;
  if (at > 0) return [address, normal, normal.slice(0, at) + (domainToASCII(normal.slice(at)) || normal.slice(at))];
  const digits = normal.replace(/\D/g, "");
  return digits.length >= 7 ? [address, normal, digits] : [address, normal];
}

/** Both orders of the name; empty unless it has two parts. */
export function fullNamesOf({ firstName, lastName }: PersonalProfile): string[] {
  if (!isPresent(firstName) || !isPresent(lastName)) return [];
  const [first, last] = [firstName.trim(), lastName.trim()];
  return [`${first} ${last}`, `${last} ${first}`, `${last}, ${first}`];
}

export const namesOf = ({ firstName, lastName }: PersonalProfile): string[] =>
  [firstName, lastName].filter(isPresent).map((name) => name.trim());

/** An id that is a short word or number is replaced only where it is the id of a subscriber. */
export const isDistinctId = (id: string): boolean =>
  id.length >= minTextLength && (/\p{L}/u.test(id) || /\d{7}/.test(id));

/** Texts and numbers inside a value. */
export function leavesOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(leavesOf);
}

export const longEnough = (texts: readonly string[], least = minTextLength): string[] => [
  ...new Set(texts.map((text) => text.trim()).filter((text) => text.length >= least)),
];

export const personalValues = (profile: PersonalProfile): string[] =>
  longEnough([...namesOf(profile), ...leavesOf(profile.data)], minValueLength).slice(0, maxValues);

export const personalWords = (profile: PersonalProfile): string[] => [
  ...longEnough(namesOf(profile), minValueLength),
  ...longEnough(leavesOf(profile.data).filter((value) => /\p{L}/u.test(value) && /[\d\s@]|[^\p{ASCII}]/u.test(value))),
];

const htmlEscapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length;

/** The text as it is written in HTML, in an address, in JSON and in mixed Unicode forms. */
function formsOf(text: string): string[] {
  const forms = [text, text.normalize("NFC"), text.normalize("NFD")];
  // PostgreSQL may compare only ASCII letters without regard to case.
  const cases = isAscii(text) ? [text] : forms.flatMap((form) => [form, form.toLowerCase(), form.toUpperCase()]);
  const html = cases.map((form) => form.replace(/[&<>"']/g, (letter) => htmlEscapes[letter]!));
  const encoded = cases.map((form) => encodeURIComponent(form.toWellFormed()));
  const plus = encoded.map((form) => form.replaceAll("%20", "+"));
  const json = cases.map((form) => JSON.stringify(form).slice(1, -1));
  return [...new Set([...cases, ...html, ...encoded, ...plus, ...json])];
}

/** The characters that every base64 text with these bytes contains, whatever is before and behind them. */
function base64Forms(text: string): string[] {
  const bytes = Buffer.from(text);
  const cores = [0, 1, 2].map((offset) => {
    const all = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString("base64")
      .replaceAll("=", "");
    return all.slice([0, 2, 3][offset], (offset + bytes.length) % 3 === 0 ? undefined : -1);
  });
  const urlSafe = cores.map((core) => core.replaceAll("+", "-").replaceAll("/", "_"));
  return [...new Set([...cores, ...urlSafe])].filter((core) => core.length >= 8);
}

const escapeForRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
/** PostgreSQL reads a backslash before punctuation as the character itself. */
const escapeForSql = (text: string): string => text.replace(/[!-/:-@[-`{-~]/g, "\\$&");

const byLength = (texts: readonly string[]): string[] => [...new Set(texts)].sort((a, b) => b.length - a.length);

/** ASCII texts that differ in case only once. */
function withoutCaseTwins(texts: readonly string[]): string[] {
  return [...new Map(texts.map((text) => [isAscii(text) ? text.toLowerCase() : text, text])).values()];
}

/** Not in the middle of a word or number; behind `%3C` begins a new word. */
const before = "(?:(?<![\\p{L}\\p{N}])|(?<=%[0-9a-f]{2}))";
const behind = "(?![\\p{L}\\p{N}])";
/** `jane.ada@example.com` and `ada@example.com.au` are the addresses of others. */
const beforeAddress = "(?<![\\p{L}\\p{N}][.+])";
const behindAddress = "(?!\\.\\p{L}{2})";

const isAddress = (form: string): boolean => /@|%40/i.test(form);

function matcher(forms: readonly string[]): RegExp | null {
  if (forms.length === 0) return null;
  const { addresses = [], others = [] } = Object.groupBy(byLength(forms), (form) =>
    isAddress(form) ? "addresses" : "others",
  );
  const parts = [
    addresses.length > 0 && `${beforeAddress}(?:${addresses.map(escapeForRegExp).join("|")})${behindAddress}`,
    others.length > 0 && `(?:${others.map(escapeForRegExp).join("|")})`,
  ].filter(Boolean);
  return new RegExp(`${before}(?:${parts.join("|")})${behind}`, "giu");
}

/** A text in base64, of which one part says nothing without the others. */
const base64Run = /[A-Za-z0-9+/_=-]{8,}/g;

/** Members whose value is the id of a subscriber. */
const idMember = /^_?(?:subscriber_?ids?|to|actor|recipients?|exclude)$/i;

export type Redactor = {
  text(text: string): string;
  /** For texts that have to stay different from each other, such as transaction ids. */
  key(text: string): string;
  json<T>(value: T): T;
  /** Whether the value has an object about the person, or a member with the id of the person. */
  names(value: unknown): boolean;
};

/** Replaces the names and addresses of an erased person in all texts. */
export const pseudonymOf = (erasureId: string): string => `erased_${idToBase62(erasureId)}`;

const anyPseudonym = /erased_[0-9A-Za-z]{22}/;

/** An erased person was replaced somewhere in the value. */
export const hasPseudonym = (value: unknown): boolean => anyPseudonym.test(JSON.stringify(value) ?? "");

type Options = { pseudonym: string; hash: (text: string) => string; isAbout: boolean };

/** `isAbout`: for rows about the person. */
export function createRedactor(person: Person, { pseudonym, hash, isAbout }: Options): Redactor {
  const forms = withoutCaseTwins(person.texts.flatMap(formsOf));
  const inTexts = matcher(forms);
  const inBase64 = base64Matcher(person);
  const wholes = new Set((isAbout ? person.values : person.names).map((value) => value.toLowerCase()));
  const words = isAbout ? matcher(person.words.flatMap(formsOf)) : null;
  const replaceTexts = (given: string): string => {
    const clear = inBase64?.test(given) ? given.replace(base64Run, (run) => (inBase64.test(run) ? "" : run)) : given;
    return inTexts ? clear.replace(inTexts, pseudonym) : clear;
  };
  const text = (given: string): string => {
    if (wholes.has(given.trim().toLowerCase())) return pseudonym;
    const replaced = replaceTexts(given);
    return words ? replaced.replace(words, pseudonym) : replaced;
  };
  const isId = (member: string | undefined, value: unknown): boolean =>
    value === person.subscriberId && member !== undefined && idMember.test(member);
  const isAboutPerson = (value: JsonObject): boolean =>
    ["subscriberId", "subscriber_id"].some((member) => value[member] === person.subscriberId);
  const json = (value: unknown, member?: string): unknown => {
    if (typeof value === "string") return isId(member, value) ? pseudonym : text(value);
    if (typeof value === "number") return text(String(value)) === String(value) ? value : pseudonym;
    if (Array.isArray(value)) return value.map((item) => json(item, member));
    if (!isObject(value)) return value;
    if (isAboutPerson(value)) return { subscriberId: pseudonym };
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [replaceTexts(name), json(part, name)]));
  };
  const names = (value: unknown, member?: string): boolean => {
    if (typeof value === "string") return isId(member, value);
    if (Array.isArray(value)) return value.some((item) => names(item, member));
    return isObject(value) && Object.entries(value).some(([name, part]) => names(part, name));
  };
  return {
    text,
    key(given) {
      const replaced = text(given);
      return replaced === given ? given : `${replaced}_${hash(given).slice(0, 8)}`;
    },
    json: <T>(value: T) => json(value) as T,
    names: (value) => names(value),
  };
}

function base64Matcher(person: Person): RegExp | null {
  const forms = base64FormsOf(person);
  return forms.length === 0 ? null : new RegExp(byLength(forms).map(escapeForRegExp).join("|"), "u");
}

const base64FormsOf = ({ texts }: Person): string[] =>
  texts.flatMap((text) => [text, text.toLowerCase()]).flatMap(base64Forms);

export type SearchPatterns = { anyCase: string; exact: string | null };

/**
 * Regular expressions of PostgreSQL for everything that a redactor may change, and some more: `anyCase` for `~*`,
 * `exact` for `~`.
 */
export function searchPatterns(person: Person): SearchPatterns {
  const id = escapeForSql(JSON.stringify(person.subscriberId));
  const asId = `"_?(subscriber_?ids?|to|actor|recipients?|exclude)" ?: ?(\\[[^]]*)?${id}`;
  const wholes = person.names.map((name) => escapeForSql(JSON.stringify(name)));
  const forms = byLength(withoutCaseTwins(person.texts.flatMap(formsOf))).map(escapeForSql);
  const exact = byLength(base64FormsOf(person)).map(escapeForSql);
  return { anyCase: [asId, ...wholes, ...forms].join("|"), exact: exact.length > 0 ? exact.join("|") : null };
}

// UUIDv7: ids that sort by creation time. High-volume tables are range-partitioned on them, so the time inside an id
// decides the partition it lives in.
import { randomFillSync } from "node:crypto";

const pool = Buffer.alloc(8 * 1024);
let used = pool.length;

let lastMs = 0;
let sequence = 0;

/**
 * The characters of the id that is being generated: built in place, an id is one piece of memory and takes half as
 * long.
 */
const characters = Buffer.from("00000000-0000-7000-8000-000000000000", "latin1");
const digits = Buffer.from("0123456789abcdef", "latin1");

function startMillisecond(ms: number): void {
  lastMs = ms;
  sequence = 0;
  const text = ms.toString(16).padStart(12, "0");
  characters.write(`${text.slice(0, 8)}-${text.slice(8)}`, "latin1");
}

function writeByte(byte: number, at: number): void {
  characters[at] = digits[byte >> 4]!;
  characters[at + 1] = digits[byte & 15]!;
}

/** A new id. Ids of one process are strictly increasing: 12 bits count within a millisecond, 62 bits are random. */
export function newId(): string {
  const now = Date.now();
  if (now > lastMs) startMillisecond(now);
  // More than 4,096 ids in one millisecond, or a clock that went back: borrow the next millisecond.
  else if (++sequence > 0xfff) startMillisecond(lastMs + 1);
  if (used + 8 > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  characters[15] = digits[sequence >> 8]!;
  writeByte(sequence & 0xff, 16);
  writeByte((pool[used]! & 0x3f) | 0x80, 19);
  writeByte(pool[used + 1]!, 21);
  for (let byte = 2; byte < 8; byte++) writeByte(pool[used + byte]!, 20 + 2 * byte);
  used += 8;
  return characters.toString("latin1");
}

/**
 * The id of the job of a notification's step: the last 16 bits of the notification's id, and the number of the step
 * added. So the jobs of a finished run need no stored ids (store/events/finished-jobs.ts).
 */
export function jobIdOf(notificationId: string, stepIndex: number): string {
  const last = (Number.parseInt(notificationId.slice(32), 16) + 1 + stepIndex) & 0xffff;
  return notificationId.slice(0, 32) + last.toString(16).padStart(4, "0");
}

/**
 * The id of an execution detail, which has no row: UUIDv7 of its time, then the step, the position among the details of
 * the job, and 48 bits of the job's id, inverted, so that no job or notification has the same id.
 */
export function detailIdOf(
  jobId: string,
  { time, step, index }: { time: number; step: number; index: number },
): string {
  const head = firstIdAt(new Date(time)).slice(0, 14);
  const position = (0x8000 | (index & 0x3fff)).toString(16);
  const tail = (0xffff_ffff_ffff - Number.parseInt(jobId.slice(24), 16)).toString(16).padStart(12, "0");
  return `${head}7${(step & 0xfff).toString(16).padStart(3, "0")}-${position}-${tail}`;
}

/** The smallest id of a moment: a bound for partitions and for time filters on ids. */
export function firstIdAt(time: Date): string {
  const ms = time.getTime().toString(16).padStart(12, "0");
  return `${ms.slice(0, 8)}-${ms.slice(8)}-0000-0000-000000000000`;
}

/** When the id was generated, in milliseconds. */
export const timeOfId = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Ids in paths are never refused for their format: a text that is not a UUID is simply not found. */
export const isUuid = (text: string): boolean => uuid.test(text);

/** The transaction id of an event whose caller gave none. */
export const generateTransactionId = (eventId: string): string => `txn_${eventId.replaceAll("-", "")}`;

const generated = /^txn_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

/** The id of the event that has this transaction id if it was generated; null for other texts. */
export const eventIdIn = (transactionId: string): string | null =>
  generated.exec(transactionId)?.slice(1).join("-") ?? null;

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The tail of a slug: the id in base 62, always 22 characters. */
export function idToBase62(id: string): string {
  let rest = BigInt(`0x${id.replaceAll("-", "")}`);
  let text = "";
  for (let i = 0; i < 22; i++) {
    text = alphabet[Number(rest % 62n)]! + text;
    rest /= 62n;
  }
  return text;
}

export function base62ToId(text: string): string | null {
  if (text.length !== 22) return null;
  let value = 0n;
  for (const character of text) {
    const digit = alphabet.indexOf(character);
    if (digit < 0) return null;
    value = value * 62n + BigInt(digit);
  }
  const digits = value.toString(16).padStart(32, "0");
  if (digits.length > 32) return null;
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${digits.slice(12, 16)}-${digits.slice(16, 20)}-${digits.slice(20)}`;
}

/** Splits `InApp` and `XMLFile` at capitals, but not `APIs` and `2FA`. */
const wordStart = /(?<=[a-z])(?=[A-Z])|(?<=[A-Z0-9])(?=[A-Z][a-rt-z])/g;

/** Letters that Unicode does not take apart. */
const letters: Readonly<Record<string, string>> = { ß: "ss", æ: "ae", ø: "o", œ: "oe", ł: "l", đ: "d", þ: "th" };

export const kebab = (text: string): string =>
  text
    .replace(/[ßæøœłđþ]/gi, (letter) => letters[letter.toLowerCase()] ?? "ss")
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .replace(wordStart, "-")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|(?<!-)-+$/g, "");

type SlugPrefix = "wf" | "st" | "env" | "lt";

/** `<name in kebab case>_<prefix>_<id in base 62>`; only the tail is read back. */
export const slug = (name: string, prefix: SlugPrefix, id: string): string =>
  `${kebab(name) || "untitled"}_${prefix}_${idToBase62(id)}`;

export function idFromSlug(text: string, prefix: SlugPrefix): string | null {
  const mark = text.lastIndexOf(`_${prefix}_`);
  return mark < 0 ? null : base62ToId(text.slice(mark + prefix.length + 2));
}

const randomAlphabet = "abcdefghijklmnopqrstuvwxyz0123456789";

export function randomText(length: number): string {
  const bytes = randomFillSync(Buffer.alloc(length));
  return Array.from(bytes, (byte) => randomAlphabet[byte % randomAlphabet.length]).join("");
}

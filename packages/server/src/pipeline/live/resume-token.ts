// The `id` of the events of a stream, which a client sends back as Last-Event-ID. Messages become visible in another
// order than that of their ids: a transaction that began earlier may commit later. So the token holds the time of a
// reading and names the messages of the four minutes before it that the client has. What is later than these four
// minutes and not named is what the client lacks, whichever process it asks.
import { firstIdAt, idToBase62 } from "../../lib/ids.ts";

/** The clocks of two processes differ by less than this, and a clock that is corrected moves by less. */
export const maxClockSkewMs = 180_000;
/** A transaction ends within one minute. */
export const overlapMs = 60_000 + maxClockSkewMs;

/** With more messages in four minutes, the oldest of them may be sent twice. */
const maxNamed = 100;
/** The last characters of an id are random: with six of them, two of 100 ids are alike once in ten million tokens. */
const nameLength = 6;
/** How long a client can resume; later it reads its list again. */
const maxMs = 24 * 3_600_000;

const nameOf = (id: string): string => idToBase62(id).slice(-nameLength);

export const overlapStart = (at: Date): string => firstIdAt(new Date(at.getTime() - overlapMs));

/** `ids`: what the client has of the messages since four minutes before the reading; older ones are left out. */
export function writeResumeToken(at: Date, ids: Iterable<string>): string {
  const start = overlapStart(at);
  const recent = [...ids].filter((id) => id > start).sort();
  return [at.getTime().toString(36), ...recent.slice(-maxNamed).map(nameOf)].join(".");
}

export type ResumePoint = { at: Date; fromId: string; isKnown(id: string): boolean };

/** Null for a text that is not a token, and for one that is too old. */
export function readResumeToken(token: string, now: Date): ResumePoint | null {
  const [time = "", ...names] = token.split(".");
  const at = new Date(/^[0-9a-z]{1,9}$/.test(time) ? Number.parseInt(time, 36) : Number.NaN);
  const ageMs = now.getTime() - at.getTime();
  if (!(ageMs < maxMs && ageMs > -overlapMs) || names.length > maxNamed) return null;
  const known = new Set(names);
  return { at, fromId: overlapStart(at), isKnown: (id) => known.has(nameOf(id)) };
}

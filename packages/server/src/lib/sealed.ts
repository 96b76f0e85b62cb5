// Values that are encrypted inside a row of which the rest stays readable: where a subscriber is reached on chat and
// push, and what an event says to providers. Rows that were written by a version without this are in clear until the
// service has gone over them (pipeline/encrypt-old-rows.ts), so everything that opens a value takes both forms.
import type { Secrets } from "./secrets.ts";

/** A member of a JSON value: encrypted, which makes it a text, or an object or list in clear. */
export type Sealed<T extends object> = T | string;

export const sealValue = (secrets: Secrets, value: object): string => secrets.encrypt(JSON.stringify(value));

export const openValue = <T extends object>(secrets: Secrets, stored: Sealed<T>): T =>
  typeof stored === "string" ? (JSON.parse(secrets.decrypt(stored)) as T) : stored;

/** Tells an encrypted text from one in clear. */
const mark = "sealed:";

export const isSealedText = (stored: string): boolean => stored.startsWith(mark);

export const sealText = (secrets: Secrets, text: string): string => mark + secrets.encrypt(text);

export const openText = (secrets: Secrets, stored: string): string =>
  isSealedText(stored) ? secrets.decrypt(stored.slice(mark.length)) : stored;

// Encryption of single values inside a row: credentials of chat and push channels, overrides of events. Older versions
// stored these values in clear text until pipeline/encrypt-old-rows.ts encrypts them, so the functions that decrypt
// accept both forms.
import type { Secrets } from "./secrets.ts";

/** A member of a JSON value: encrypted, which makes it a text, or an object or list in clear. */
export type Sealed<T extends object> = T | string;

export const sealValue = (secrets: Secrets, value: object): string => secrets.encrypt(JSON.stringify(value));

export const openValue = <T extends object>(secrets: Secrets, stored: Sealed<T>): T =>
  typeof stored === "string" ? (JSON.parse(secrets.decrypt(stored)) as T) : stored;

/** The prefix of an encrypted text; clear text has none. */
const mark = "sealed:";

export const isSealedText = (stored: string): boolean => stored.startsWith(mark);

export const sealText = (secrets: Secrets, text: string): string => mark + secrets.encrypt(text);

export const openText = (secrets: Secrets, stored: string): string =>
  isSealedText(stored) ? secrets.decrypt(stored.slice(mark.length)) : stored;

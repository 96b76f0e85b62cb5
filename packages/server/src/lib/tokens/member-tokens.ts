// The secrets of members' sessions and one-time links. The database has their hashes only. The cookie of a session is
// also signed with the encryption key of the installation, so that a cookie of another installation is refused unread.
import { randomBytes, timingSafeEqual } from "node:crypto";
import { type Secrets, sha256 } from "../secrets.ts";

const purpose = "person session";

export const newToken = (): string => randomBytes(32).toString("base64url");

export const sealSession = (secrets: Secrets, secret: string): string => secrets.sign(purpose, secret);

/** The secret in a cookie; null when the cookie was not issued by this installation. */
export const openSession = (secrets: Secrets, cookie: string): string | null => secrets.readSigned(purpose, cookie);

/** Derived from the secret, which pages cannot read: only a page that may read responses of the service can know it. */
export const csrfTokenOf = (secret: string): string => sha256(`csrf ${secret}`).toString("base64url");

export function isCsrfTokenRight(secret: string, given: string | undefined): boolean {
  const expected = Buffer.from(csrfTokenOf(secret));
  const actual = Buffer.from(given ?? "");
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

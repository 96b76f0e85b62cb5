// The hash with which the customer's server vouches for a subscriber of an inbox, or for its contexts: hex HMAC-SHA256
// under an API key of the environment.
import { createHmac, timingSafeEqual } from "node:crypto";

/** `Buffer.from` would read as far as the text is hex, and take a right hash with other text behind it for right. */
const form = /^[0-9a-f]{64}$/i;

export function isHashOf(text: string, key: string, hash: string): boolean {
  if (!form.test(hash)) return false;
  const expected = createHmac("sha256", key).update(text).digest();
  const given = Buffer.from(hash, "hex");
  return timingSafeEqual(given, expected);
}

// The hash with which the customer's server vouches for a subscriber of an inbox, or for its contexts: hex HMAC-SHA256 under an
// API key of the environment.
import { createHmac, timingSafeEqual } from "node:crypto";

export function isHashOf(text: string, key: string, hash: string): boolean {
  const expected = createHmac("sha256", key).update(text).digest();
  const given = Buffer.from(hash, "hex");
  return given.length === expected.length && timingSafeEqual(given, expected);
}

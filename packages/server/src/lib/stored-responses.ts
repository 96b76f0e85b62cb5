// The text of a response as it is stored under an idempotency key. It may hold keys, device tokens or webhook URLs, so
// it is encrypted; a long one, which is that of a bulk request, is compressed before, to a fifth of its length.
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { Secrets } from "./secrets.ts";

/** Shorter texts gain less than they cost. */
const compressedFrom = 2_000;
const compressedMark = "z";
const isEncrypted = /^z?v\d+\./;

export function sealResponse(secrets: Secrets, text: string): string {
  if (text.length < compressedFrom) return secrets.encrypt(text);
  return compressedMark + secrets.encrypt(deflateRawSync(text, { level: 1 }));
}

/** Responses that were stored before all responses were encrypted are JSON texts. */
export function openResponse(secrets: Secrets, stored: string): string {
  if (!isEncrypted.test(stored)) return stored;
  if (!stored.startsWith(compressedMark)) return secrets.decrypt(stored);
  return inflateRawSync(secrets.decryptBytes(stored.slice(compressedMark.length))).toString();
}

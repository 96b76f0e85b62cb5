// The signature of generic webhook providers, by https://www.standardwebhooks.com, so that receivers can use any
// library of the standard. The webhook id is the message id, so receivers can detect duplicates. A second header
// carries the signature of Novu for receivers written for it: hex, over the body alone, with the key unchanged.

import { createHmac, createSecretKey } from "node:crypto";
import type { HttpRequest } from "./request.ts";

/** Signs the body. The request already has its `webhook-id`. */
export function signWebhook(request: HttpRequest, key: string, now: Date): HttpRequest {
  const stamp = String(Math.floor(now.getTime() / 1000));
  // Keys of the standard are base64 behind `whsec_`; a key that somebody chose is used unchanged.
  const secret = key.startsWith("whsec_") ? Buffer.from(key.slice("whsec_".length), "base64") : Buffer.from(key);
  // A key object: with the raw bytes, Node needs 28 µs instead of 6.
  const mac = createHmac("sha256", createSecretKey(secret))
    .update(`${request.headers["webhook-id"]}.${stamp}.`)
    .update(request.body ?? "");
  const older = createHmac("sha256", createSecretKey(Buffer.from(key))).update(request.body ?? "");
  const headers = {
    "webhook-timestamp": stamp,
    "webhook-signature": `v1,${mac.digest("base64")}`,
    "x-novu-signature": older.digest("hex"),
  };
  return { ...request, headers: { ...request.headers, ...headers } };
}

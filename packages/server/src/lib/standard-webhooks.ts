// Signatures as Standard Webhooks defines them (https://www.standardwebhooks.com): HMAC-SHA256 over id, time and body,
// so that a receiver can detect forged, changed and replayed requests.
import { createHmac, createSecretKey, randomBytes } from "node:crypto";

const prefix = "whsec_";

/** 32 random bytes in the notation of the standard. */
export const newWebhookSecret = (): string => `${prefix}${randomBytes(32).toString("base64")}`;

const signature = (secret: string, content: string): string =>
  `v1,${createHmac("sha256", createSecretKey(secret.slice(prefix.length), "base64"))
    .update(content)
    .digest("base64")}`;

/** The three headers of the standard. During the rotation of a secret, both the old and the new one sign. */
export function webhookHeaders(secrets: string[], id: string, body: string, now: Date): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": secrets.map((secret) => signature(secret, `${id}.${timestamp}.${body}`)).join(" "),
  };
}

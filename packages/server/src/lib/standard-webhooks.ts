// Signing by Standard Webhooks (https://www.standardwebhooks.com): HMAC-SHA256 over id, time and body, so that a receiver
// can tell that a request is ours, whole and new.
import { createHmac, createSecretKey, randomBytes } from "node:crypto";

const prefix = "whsec_";

/** 32 random bytes as the standard writes them. */
export const newWebhookSecret = (): string => `${prefix}${randomBytes(32).toString("base64")}`;

const signature = (secret: string, content: string): string =>
  `v1,${createHmac("sha256", createSecretKey(secret.slice(prefix.length), "base64"))
    .update(content)
    .digest("base64")}`;

/** The three headers. Several secrets sign side by side while one replaces the other. */
export function webhookHeaders(secrets: string[], id: string, body: string, now: Date): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": secrets.map((secret) => signature(secret, `${id}.${timestamp}.${body}`)).join(" "),
  };
}

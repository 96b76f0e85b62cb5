// A browser that subscribed to push messages.
import { createECDH, randomBytes } from "node:crypto";

/** Its subscription as JSON, as `JSON.stringify(await pushManager.subscribe(…))` gives it: the device token. */
export function pushSubscription(endpoint: string): string {
  const p256dh = createECDH("prime256v1").generateKeys("base64url");
  const auth = randomBytes(16).toString("base64url");
  return JSON.stringify({ endpoint, expirationTime: null, keys: { p256dh, auth } });
}

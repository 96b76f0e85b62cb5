// What the push adapters share: the data of a push, an id for its delivery to one device, and the id by which a later
// push replaces or removes its notification.

import { createHash } from "node:crypto";
import type { JsonObject } from "@tidings/contract";
import type { PushMessage } from "./message.ts";
import type { SentMessage } from "./unsend.ts";

/** The data of the push, with the message id that the app puts into its delivery reports. */
export function dataOf({ id, data }: PushMessage): JsonObject {
  return { ...data, tidingsMessageId: id };
}

/** The same for services that only accept texts: anything else is sent as JSON. */
export function textDataOf(message: PushMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(dataOf(message)).map(([name, value]) => [
      name,
      typeof value === "string" ? value : (JSON.stringify(value) ?? ""),
    ]),
  );
}

/**
 * Names one delivery, in the form of a UUID. A message goes to every device of a subscriber: with its id alone as the
 * idempotency key, the provider would drop the second device as a duplicate of the first.
 */
export function deliveryId({ id, token }: Pick<PushMessage, "id" | "token">): string {
  const bytes = createHash("sha256").update(`${id}\n${token}`).digest().subarray(0, 16);
  const [versioned = 0, marked = 0] = [bytes[6], bytes[8]];
  bytes[6] = (versioned & 0x0f) | 0x40;
  bytes[8] = (marked & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** The id of the notification on the device: a later push with the same one replaces it. Apple takes 64 bytes. */
export const collapseId = ({ id }: PushMessage): string =>
  /^[\w-]{1,64}$/.test(id) ? id : createHash("sha256").update(id).digest("hex");

/** The same for push services of browsers, where a push that waits replaces one with the same topic (RFC 8030). */
export const topicOf = (message: PushMessage): string | undefined =>
  /^[\w-]{1,32}$/.exec(collapseId(message).replaceAll("-", ""))?.[0];

/**
 * What the app gets when a message is retracted. The app removes the notification whose data have this
 * `tidingsMessageId`.
 */
export const removalOf = ({ id }: PushMessage) => ({ tidings: { remove: id } });

/** The push that replaces another one: an id of a notification that the overrides of the first name applies to both. */
export function asReplacement({ content: { extra } }: SentMessage<PushMessage>, content: PushMessage): PushMessage {
  const named = Object.entries(extra ?? {}).filter(([name]) => name === "tag" || name === "collapseId");
  return { ...content, extra: { ...Object.fromEntries(named), ...content.extra } };
}

/** The id of a push that replaces or removes another: not the id of that one, and the same on every attempt. */
export const unsendId = ({ id, token }: PushMessage, kind: "replace" | "remove"): string =>
  deliveryId({ id: `${id}\n${kind}`, token });

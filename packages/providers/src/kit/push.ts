// What the push adapters share: the data of a push, and an id for its delivery to one device.

import { createHash } from "node:crypto";
import type { JsonObject } from "@tidings/contract";
import type { PushMessage } from "./message.ts";

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
export function deliveryId({ id, token }: PushMessage): string {
  const bytes = createHash("sha256").update(`${id}\n${token}`).digest().subarray(0, 16);
  const [versioned = 0, marked = 0] = [bytes[6], bytes[8]];
  bytes[6] = (versioned & 0x0f) | 0x40;
  bytes[8] = (marked & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

// What the push adapters share: the data of a push, and an id for its delivery to one device.

import { createHash } from "node:crypto";
import type { PushMessage } from "./message.ts";

/** The data of the push, with the id under which the app reports what became of it. */
export const dataOf = ({ id, data }: PushMessage): Record<string, unknown> => ({ ...data, tidingsMessageId: id });

/** The same for services that take texts only: anything else travels as JSON. */
export const textDataOf = (message: PushMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(dataOf(message)).map(([name, value]) => [
      name,
      typeof value === "string" ? value : (JSON.stringify(value) ?? ""),
    ]),
  );

/**
 * Names one delivery, in the form of a UUID. A message goes to every device of a subscriber: with its id alone as the
 * idempotency key, the second device would pass for a repeat of the first.
 */
export const deliveryId = ({ id, token }: PushMessage): string => {
  const bytes = createHash("sha256").update(`${id}\n${token}`).digest().subarray(0, 16);
  const [versioned = 0, marked = 0] = [bytes[6], bytes[8]];
  bytes[6] = (versioned & 0x0f) | 0x40;
  bytes[8] = (marked & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
};

// The target of a chat message, and the reply of a webhook. A provider that supports one kind of target reports an
// error when it is given another: the subscriber's endpoint does not fit the integration.

import type { ChatMessage, ChatTarget } from "./message.ts";
import { type Outcome, rejected, SendError } from "./outcome.ts";
import { byStatus, type ErrorClasses, type HttpReply } from "./reply.ts";

type TargetOf<K extends ChatTarget["kind"]> = Extract<ChatTarget, { kind: K }>;

const words: Record<ChatTarget["kind"], string> = {
  webhook: "a webhook address",
  channel: "a channel",
  user: "a user",
  phone: "a phone number",
};

/** The target, which must be of this kind. */
export function targetOf<K extends ChatTarget["kind"]>({ target }: ChatMessage, kind: K): TargetOf<K> {
  if (target.kind !== kind) {
    const reason = `The provider needs ${words[kind]}, the subscriber's endpoint is ${words[target.kind]}`;
    throw new SendError(rejected("recipient", reason));
  }
  return target as TargetOf<K>;
}

const gone: ErrorClasses = { 404: "recipient", 410: "recipient" };

/**
 * The reply of a webhook, or of an address that the endpoint holds. One that no longer exists is an error of the
 * endpoint.
 */
export function readWebhook(
  reply: HttpReply,
  { id, code = "", classes = {} }: { id?: string; code?: string; classes?: ErrorClasses } = {},
): Outcome {
  const known = Object.hasOwn(classes, code) ? code : String(reply.status);
  return byStatus(reply, id, { code: known, classes: { ...gone, ...classes } });
}

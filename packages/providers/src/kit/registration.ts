// Registering a webhook for delivery reports at a provider, instead of entering its address there by hand. An adapter
// lists the existing webhooks first, so a second registration updates the first one and creates no duplicate.

import { retry, SendError } from "./outcome.ts";
import { failureByCode, type HttpReply, valueAt } from "./reply.ts";

export type ReportTarget = {
  /** The address that receives the reports. */
  url: string;
  /** The key with which the provider authenticates, where it does not create one itself: see `verifyDefault`. */
  key: string;
};

/** `signingKey` verifies the reports. */
export type Registration = { ok: true; signingKey: string } | { ok: false; reason: string };

/** The name of the webhook in the provider's dashboard. */
export const registeredName = "Tidings delivery reports";

/** The user of HTTP basic authentication; only the password counts. */
export const registeredUser = "tidings";

/** The reply, which must be 2xx; any other is thrown as SendError. */
export async function requireSuccess(call: Promise<HttpReply> | HttpReply): Promise<HttpReply> {
  const reply = await call;
  if (reply.status >= 200 && reply.status < 300) return reply;
  throw new SendError(failureByCode(reply, undefined, {}));
}

// The reply is not quoted: it may hold keys.
const unreadableFault = ({ status }: HttpReply, what: string): SendError =>
  new SendError(retry(`${what} cannot be read from the response (HTTP ${status})`));

/** A text that the reply has to hold. */
export function requireText(reply: HttpReply, value: string | undefined): string {
  if (value) return value;
  throw unreadableFault(reply, "The registration");
}

/** The existing registrations. A reply without them is an error: registering anyway could create a duplicate. */
export function requireMember(reply: HttpReply, name: string): object {
  const member = valueAt(reply.json, name);
  if (typeof member === "object" && member !== null) return member;
  throw unreadableFault(reply, "What is registered");
}

/** The same as a list. */
export function requireList(reply: HttpReply, name: string): unknown[] {
  return Object.values(requireMember(reply, name));
}

/** The texts in a list inside of an entry; none where there is no list. */
export function readTexts(entry: unknown, name: string): string[] {
  const list = valueAt(entry, name);
  return Array.isArray(list) ? list.filter((item) => typeof item === "string") : [];
}

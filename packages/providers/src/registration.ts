// Telling a provider where its delivery reports go, so that nobody has to enter the address by hand. The provider is asked
// for what it has first: whoever registers twice finds the first registration and puts it right instead of adding a second.

import { refused, retry, SendFault } from "./outcome.ts";
import type { HttpReply } from "./request.ts";

export interface ReportTarget {
  /** Where reports are taken. */
  url: string;
  /** What the provider is to prove itself with, where it does not bring a key of its own: see `verifyDefault`. */
  key: string;
}

/** `signingKey` is what reports will be verified with. */
export type Registration = { ok: true; signingKey: string } | { ok: false; reason: string };

/** The name a person finds at the provider. */
export const registeredName = "Tidings delivery reports";

/** The user of HTTP basic authentication; only the password counts. */
export const registeredUser = "tidings";

/** A reply that has to be a success before the next call makes sense. */
export const succeeded = async (call: Promise<HttpReply> | HttpReply): Promise<HttpReply> => {
  const reply = await call;
  if (reply.status >= 200 && reply.status < 300) return reply;
  throw new SendFault(refused(reply, undefined, {}));
};

// The reply is not quoted: it may hold keys.
const unreadable = ({ status }: HttpReply, what: string): SendFault =>
  new SendFault(retry(`${what} cannot be read from the answer (HTTP ${status})`));

/** A text that the reply has to hold. */
export const required = (reply: HttpReply, value: string | undefined): string => {
  if (value) return value;
  throw unreadable(reply, "The registration");
};

/** What is registered. Unless it can be read nothing may be added: it could be there already. */
export const memberIn = (reply: HttpReply, name: string): object => {
  const { json } = reply;
  const member: unknown = typeof json === "object" && json !== null ? Reflect.get(json, name) : undefined;
  if (typeof member === "object" && member !== null) return member;
  throw unreadable(reply, "What is registered");
};

/** The same as a list. */
export const listIn = (reply: HttpReply, name: string): unknown[] => Object.values(memberIn(reply, name));

/** The texts in a list inside of an entry; none where there is no list. */
export const textsIn = (entry: unknown, name: string): string[] => {
  const list: unknown = typeof entry === "object" && entry !== null ? Reflect.get(entry, name) : undefined;
  return Array.isArray(list) ? list.filter((item) => typeof item === "string") : [];
};

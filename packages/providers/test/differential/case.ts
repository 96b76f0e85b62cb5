// What a file says about one SDK: how a message is sent with it, and where its request and ours differ on purpose.

import type { AnyProviderId } from "@tidings/contract";
import type { Mailbox } from "../../src/kit/mail.ts";
import type { SampleChat, SampleMail, SamplePush, SampleSms } from "./messages.ts";

export type { Mailbox };

type Samples = {
  email: SampleMail;
  sms: SampleSms;
  push: SamplePush;
  chat: SampleChat;
};

export type SdkCase<C extends keyof Samples = keyof Samples> = {
  id: AnyProviderId;
  channel: C;
  /** Sends the message as the SDK's own documentation shows it. The SDK is loaded here, when it is needed. */
  send(sample: Samples[C], credentials: Record<string, string>): Promise<unknown>;
  /** The response, where the SDK expects another form than the adapter. */
  reply?: { status: number; body?: unknown };
  /** Values that the SDK writes in another place. They are compared where the adapter has them. */
  moved?: { from: string; to: string; because: string }[];
  /**
   * Intended differences, with the reason. A place covers all that is below it, and `*` stands for one step of it. The
   * test fails if no message shows a difference any longer.
   */
  differences: Record<string, string>;
};

export function sdkCase<C extends keyof Samples>(declared: SdkCase<C>): SdkCase<C> {
  return declared;
}

/** Why a place differs in many files. */
export const reasons = {
  ownId: "our message id travels along, to recognise a repeat and to tie reports to the message",
};

/** `"Name" <address>`, as providers take it in one text. */
export function formatted({ name, address }: Mailbox): string {
  if (!name) return address;
  return /^[\p{L}\p{N} ]+$/u.test(name) ? `${name} <${address}>` : `"${name}" <${address}>`;
}

/** Undefined for an empty list or object, which a caller of an SDK would leave out. */
export function given<T extends object>(members: T): T | undefined {
  return Object.keys(members).length > 0 ? members : undefined;
}

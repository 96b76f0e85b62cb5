// The message an adapter sends: rendered content and one destination. It has only the ids of workflows and subscribers.
// `id` is the Tidings message id. It is the same on every attempt, so it also serves as the idempotency key.

import type { JsonObject } from "@tidings/contract";

export type Channel = "email" | "sms" | "push" | "chat" | "in_app";

export type Attachment = {
  name: string;
  mime: string;
  content: Uint8Array;
  /** The HTML refers to an inline image by it, as `cid:<contentId>`. */
  contentId?: string;
  /** Left out, an attachment with a content id is shown inline and any other is not. */
  disposition?: "inline" | "attachment";
};

/** What the message belongs to, for the tags and metadata that a provider keeps with it. */
export type Origin = {
  workflowId?: string;
  transactionId?: string;
  subscriberId?: string;
};

/** Parts of the provider's request that a trigger sets itself, merged untouched. */
type Passthrough = {
  body?: JsonObject;
  headers?: JsonObject;
  query?: JsonObject;
};

/** What the bodies of Novu's generic webhooks contain in addition to the content. */
export type PeerDetails = {
  /** The event's, without its attachments. */
  payload: JsonObject;
  subscriber?: JsonObject;
  step: { digest: boolean; events?: unknown[]; total_count?: number };
};

/** What every message may carry in addition to its content; overrides.ts says how it gets into the request. */
type Overrides = {
  /** Given where receivers are written for Novu: generic webhooks then send a body of its form. */
  peer?: PeerDetails;
  /** Members of the trigger's overrides for this provider, under the provider's own names. */
  extra?: JsonObject;
  passthrough?: Passthrough;
};

export type EmailMessage = Overrides & {
  id: string;
  channel: "email";
  to: string[];
  cc?: string[];
  bcc?: string[];
  from?: string;
  senderName?: string;
  replyTo?: string;
  subject: string;
  html: string;
  text: string;
  headers?: Record<string, string>;
  attachments?: Attachment[];
  origin?: Origin;
  /** Data of the caller that providers with metadata store with the mail and return with their delivery reports. */
  customData?: JsonObject;
};

export type SmsMessage = Overrides & {
  id: string;
  channel: "sms";
  to: string;
  from?: string;
  text: string;
};

export type PushMessage = Overrides & {
  id: string;
  channel: "push";
  token: string;
  title: string;
  body: string;
  data?: JsonObject;
};

/**
 * Where a chat message goes. `accessToken` and `workspace` (its id) are those of the channel connection, if there is
 * one.
 */
export type ChatTarget =
  | { kind: "webhook"; webhookUrl: string; channel?: string }
  | { kind: "channel"; channel: string; team?: string; accessToken?: string; workspace?: string }
  | { kind: "user"; user: string; accessToken?: string; workspace?: string }
  | { kind: "phone"; phone: string };

export type ChatMessage = Overrides & {
  id: string;
  channel: "chat";
  target: ChatTarget;
  text: string;
};

export type Message = EmailMessage | SmsMessage | PushMessage | ChatMessage;

/** The channels that are sent through a provider; `in_app` has a provider id but nothing to send. */
export type SendingChannel = Message["channel"];

export type MessageOf<C extends Channel> = Extract<Message, { channel: C }>;

// What a provider is asked to send: rendered content and one destination. Of workflows and subscribers only ids are known.
// `id` is the Tidings message id. It is the same on every attempt, so it also serves as the idempotency key.

export type Channel = "email" | "sms" | "push" | "chat" | "in_app";

export interface Attachment {
  name: string;
  mime: string;
  content: Uint8Array;
  /** What the html refers to an inline image by, as `cid:<contentId>`. */
  contentId?: string;
  /** Left out, an attachment with a content id is shown inline and any other is not. */
  disposition?: "inline" | "attachment";
}

/** What the message belongs to, for the tags and metadata that a provider keeps with it. */
export interface Origin {
  workflowId?: string;
  transactionId?: string;
  subscriberId?: string;
}

/** Parts of the provider's request that a trigger sets itself, merged untouched. */
export interface Passthrough {
  body?: Record<string, unknown>;
  headers?: Record<string, unknown>;
  query?: Record<string, unknown>;
}

/** What the peer API tells the receivers of its generic webhooks beside the content. */
export interface PeerDetails {
  /** The event's, without its attachments. */
  payload: Record<string, unknown>;
  subscriber?: Record<string, unknown>;
  step: { digest: boolean; events?: unknown[]; total_count?: number };
}

/** What every message may carry beside its content; overrides.ts says how it gets into the request. */
interface Overrides {
  /** Given where receivers are written for the peer API: generic webhooks then send a body of its form. */
  peer?: PeerDetails;
  /** Members of the trigger's overrides for this provider, under the provider's own names. */
  extra?: Record<string, unknown>;
  passthrough?: Passthrough;
}

export interface EmailMessage extends Overrides {
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
  /** Data of the caller's own that providers with metadata keep with the mail and bring back with their reports. */
  customData?: Record<string, unknown>;
}

export interface SmsMessage extends Overrides {
  id: string;
  channel: "sms";
  to: string;
  from?: string;
  text: string;
}

export interface PushMessage extends Overrides {
  id: string;
  channel: "push";
  token: string;
  title: string;
  body: string;
  data?: Record<string, unknown>;
}

/** Where a chat message goes. `accessToken` and `workspace` (its id) are those of the channel connection, if there is one. */
export type ChatTarget =
  | { kind: "webhook"; webhookUrl: string; channel?: string }
  | { kind: "channel"; channel: string; team?: string; accessToken?: string; workspace?: string }
  | { kind: "user"; user: string; accessToken?: string; workspace?: string }
  | { kind: "phone"; phone: string };

export interface ChatMessage extends Overrides {
  id: string;
  channel: "chat";
  target: ChatTarget;
  text: string;
}

export type Message = EmailMessage | SmsMessage | PushMessage | ChatMessage;

/** The channels that leave the building; `in_app` has a provider id but nothing to send. */
export type SendingChannel = Message["channel"];

export type MessageOf<C extends Channel> = Extract<Message, { channel: C }>;

// What a case file says about one provider: the requests its documentation prescribes, its replies, and what they mean.
// The suite drives the adapter against a server that speaks these replies, and adds the failures every provider has.

import type { AnyProviderId } from "@tidings/contract";
import type {
  Access,
  CallbackParams,
  Credentials,
  Message,
  Note,
  Outcome,
  Person,
  Receipt,
  ReportTarget,
  SentMessage,
  Unsending,
  UnsendOutcome,
} from "../../src/index.ts";

export type Reply = {
  status: number;
  headers?: Record<string, string>;
  /** An object is sent as JSON, a text unchanged. */
  body?: unknown;
};

export type ExpectedFile = {
  filename: string;
  type: string;
  content: string | Uint8Array;
};

/** A request as the provider must see it. Headers are those that matter; everything else is compared exactly. */
export type ExpectedRequest = {
  method: string;
  /** With its query, as it is written. */
  url: string;
  headers?: Record<string, string | RegExp>;
  json?: unknown;
  form?: Record<string, string | string[]>;
  multipart?: Record<string, string | ExpectedFile | (string | ExpectedFile)[]>;
  text?: string;
  /** For what changes with every call, such as a signature: gets the body, and asserts. */
  body?: (body: string) => void;
};

/** A call and its response, such as those before the one that sends. */
export type Preparation = ExpectedRequest & {
  reply: Reply;
};

export type Sending = {
  message: Message;
  /** The one request that sends, or what precedes it (a token, an upload) and then that request. */
  request: ExpectedRequest | [...Preparation[], ExpectedRequest];
  /** What the provider took the message without. */
  notes?: Note[];
};

type Accepted = {
  reply: Reply;
  providerMessageId?: string;
};

export type ExpectedOutcome = {
  kind: Outcome["kind"];
  class?: string;
  afterMs?: number;
};

export type ReceiptCase = {
  name: string;
  /** Sent as JSON; `form` and `raw` are the other two ways, and `query` is a report by GET. */
  json?: unknown;
  form?: Record<string, string>;
  raw?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  /** The address that was called, where the proof covers it. */
  url?: string;
  /** For providers with their own scheme: the key, and the time at which the report is fresh. */
  key?: string;
  now?: string;
  /** The scheme has no time stamp: a report is as fresh as ever, and a repeat of it has no effect anyway. */
  isAgeless?: true;
  /** How long a report is good for, where that is not five minutes. */
  goodForMs?: number;
  /** What the proof has to fetch, by address, in the order of the calls. */
  calls?: Record<string, Reply>;
  expected: Receipt[];
};

/** Registers the address for reports with the provider. In the first case, the account does not know us yet. */
export type RegistrationCase = {
  name: string;
  calls: Preparation[];
  /** What reports are verified with. Without one, the provider refuses. */
  signingKey?: string;
};

/** `access` or `person`: what comes of it; `refused`: why nothing does, and whether the same again may succeed. */
export type OauthReturn = {
  name: string;
  brought: CallbackParams;
  credentials?: Credentials;
  calls: Preparation[];
  access?: Access;
  person?: Person;
  /** Where the person is sent once more. */
  next?: string;
  refused?: { reason: RegExp; isTemporary: boolean };
};

export type OauthCase = {
  /** For the scopes a and b, the state "st" and `redirectUri`. */
  address: string;
  connections: OauthReturn[];
  /** The same for a person who only shows who they are. */
  personAddress: string;
  people: OauthReturn[];
};

/** Retracts a message: the calls, the last of which does it, and what each reply to that one means. */
export type UnsendCase = {
  name: string;
  sent: SentMessage;
  unsending: Unsending;
  credentials?: Credentials;
  calls: Preparation[] | [...Preparation[], ExpectedRequest];
  /** `at` is the number of the call that gets the reply; by default the last. */
  outcomes: {
    reply: Reply;
    at?: number;
    outcome: { kind: UnsendOutcome["kind"]; canRetry?: boolean; providerMessageId?: string; reason?: RegExp };
  }[];
};

type Quirks = {
  /** What 200 with a body that is not JSON means. Default accepted: the status alone says so. */
  invalidJson?: "accepted" | "unknown" | "retry";
  /** What 429 means, where it is not "later". */
  tooManyRequests?: ExpectedOutcome;
  /** What 500 means, where it is not "again". */
  serverError?: ExpectedOutcome;
  /** What 404 and 410 mean, where the address is not one of the settings. */
  gone?: { 404?: ExpectedOutcome; 410?: ExpectedOutcome };
  /** Headers that differ between two identical sends (random signatures); `body` for the body itself. */
  volatile?: string[];
  /** The body is not JSON and not a form, so overrides reach headers and query only. */
  noBodyOverrides?: true;
  /** Why, for each of these. */
  because: string;
};

type HttpCase = {
  id: AnyProviderId;
  transport?: "http" | "http2";
  /** Where the expected requests and replies are documented. */
  docs: string;
  /** All of them, with secrets that can be recognised. */
  credentials: Credentials;
  /** The clock of the adapter, for signatures. */
  now?: string;
  minimal: Sending;
  rich: Sending;
  accepted: Accepted;
  /** Other ways to send, such as another kind of target, with their responses. */
  more?: (Sending & { accepted: Accepted; credentials?: Credentials })[];
  /**
   * Every documented class of error. `at` is the number of the call that gets the reply; by default the last, which
   * sends.
   */
  errors: { name: string; reply: Reply; at?: number; sending?: Sending; outcome: ExpectedOutcome }[];
  check?: { request: ExpectedRequest | [...Preparation[], ExpectedRequest]; ok: Reply; bad: Reply };
  receipts?: ReceiptCase[];
  registrations?: [RegistrationCase, ...RegistrationCase[]];
  oauth?: OauthCase;
  unsends?: [UnsendCase, ...UnsendCase[]];
  quirks?: Quirks;
};

/** Providers that use no HTTP: SMTP has its own test, a capture provider needs a message only. */
export type ProviderCase =
  | HttpCase
  | { id: AnyProviderId; transport: "smtp"; testedIn: string }
  | { id: AnyProviderId; transport: "capture"; message: Message };

export function providerCase(declared: ProviderCase): ProviderCase {
  return declared;
}

export type { HttpCase };

export const messageId = "0199a1b2-0000-7000-8000-000000000001";

export const reportTarget: ReportTarget = {
  url: "https://notify.example.com/v2/inbound-webhooks/delivery-providers/e1/i1",
  key: "rep0rt-s3cret+key",
};

export const redirectUri = "https://notify.example.com/v1/integrations/chat/oauth/callback";

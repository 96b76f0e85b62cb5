// The shape of a provider: a declaration of its credentials, a pure function from message to request, a pure
// function from reply to outcome. Only the few that need SMTP or several calls write `send` and get the network.

import type { AnyProviderId } from "@tidings/contract";
import type { CredentialFields, Credentials, CredentialValues } from "./credentials.ts";
import type { Attachment, Message, MessageOf, SendingChannel } from "./message.ts";
import type { Oauth } from "./oauth.ts";
import type { CheckResult, Outcome } from "./outcome.ts";
import type { OverrideNames } from "./override-names.ts";
import type { Receipts } from "./receipts.ts";
import type { ReportTarget } from "./registration.ts";
import type { HttpReply, HttpRequest } from "./request.ts";

/** Everything that touches the network, handed to whatever asks the provider. Failures are thrown as SendFault. */
export interface Io {
  http(request: HttpRequest): Promise<HttpReply>;
  /** The same over HTTP/2, for providers that speak nothing else. */
  http2(request: HttpRequest): Promise<HttpReply>;
  smtp(settings: SmtpSettings): SmtpLine;
  /** Writes the message to the development mailbox. */
  capture(message: Message): Promise<void>;
  /** Keeps what is bought for a while, such as an access token. `key` is made by `cacheKey` and holds no secret. */
  cached<T>(key: string, make: () => Promise<Cached<T>>): Promise<T>;
  /** Drops a value the provider no longer takes. */
  forget(key: string): void;
  now(): Date;
  close(): Promise<void>;
}

export interface Cached<T> {
  value: T;
  expiresAt: Date;
}

export interface SmtpSettings {
  host: string;
  port: number;
  user?: string;
  password?: string;
  /** TLS from the first byte; otherwise STARTTLS when the server offers it. */
  secure?: boolean;
  requireTls?: boolean;
  ignoreTls?: boolean;
  tlsOptions?: { readonly [key: string]: unknown };
  dkim?: { domain: string; selector: string; privateKey: string };
}

export interface Mailbox {
  name: string;
  address: string;
}

/** A mail ready for the wire. Addresses are parsed: nothing here is split or interpreted again. */
export interface Mail {
  messageId: string;
  from: Mailbox;
  to: Mailbox[];
  cc: Mailbox[];
  bcc: Mailbox[];
  replyTo?: Mailbox;
  subject: string;
  html: string;
  text: string;
  headers: Record<string, string>;
  attachments: Attachment[];
}

/** A pool of connections to one server with one set of settings. */
export interface SmtpLine {
  /** Answers which copies the server did not take, with its words. A mail whose first recipient is refused goes to nobody. */
  send(mail: Mail): Promise<string[]>;
  verify(): Promise<void>;
}

export interface Limits {
  /** Longest text the provider takes, in characters: of an SMS, of a chat message, of the body of a push. */
  text?: number;
  /** Most recipients of one mail: to, cc and bcc together. */
  recipients?: number;
  /** All attachments of one mail together. */
  attachmentBytes?: number;
  perSecond?: number;
}

interface Description<Channel, Fields> {
  readonly id: AnyProviderId;
  readonly channel: Channel;
  readonly name: string;
  readonly docs?: string;
  /** Where to get the credentials. */
  readonly help?: string;
  readonly credentials: Fields;
  readonly limits?: Limits;
  /** What of a mail it can carry and others cannot: images inside the html, data of the caller's own. */
  readonly takes?: readonly ("inline" | "customData")[];
  /** Sends nothing outside: what it takes is kept in the development mailbox. */
  readonly capture?: true;
  /** The overrides' members for the provider have no place in what it sends: a mail over SMTP, a captured message. */
  readonly takesExtras?: false;
}

/** What can be known of a provider without asking it anything. */
export type ProviderDescription = Description<SendingChannel | "in_app", CredentialFields>;

/**
 * The message a provider is given. `from` and `senderName` have been filled from the credentials where the message
 * has none, and a provider that declares `from` as required is not called without one.
 */
export type Outgoing<C extends SendingChannel, F extends CredentialFields> = MessageOf<C> &
  (F extends { from: { required: true } } ? { from: string } : unknown);

interface Behaviour<M, V> {
  request?(message: M, credentials: V): HttpRequest;
  /** Where in the JSON body the members of `extra` belong; left out, at its root. */
  extraAt?: readonly (string | number)[];
  /** Members of `extra` that belong to the root of the body whatever `extraAt` says. */
  rootMembers?: readonly string[];
  /**
   * Lists of the body whose items overrides are merged into one by one, where they would otherwise replace the list; each
   * with the members of an item that overrides cannot change.
   */
  mergedLists?: Readonly<Record<string, readonly string[]>>;
  /** The members of `extra` that the adapter knows: they may be given under the names of the provider's SDK as well. */
  overrideNames?: OverrideNames;
  /** Signs the request after the overrides were merged in, for providers whose signature covers the body. */
  sign?(request: HttpRequest, credentials: V, now: Date): HttpRequest | Promise<HttpRequest>;
  /** Left out, the status alone decides. */
  read?(reply: HttpReply): Outcome;
  send?(message: M, credentials: V, io: Io): Promise<Outcome>;
  check?(credentials: V, io: Io): Promise<CheckResult>;
  /** The provider reports what became of a message. */
  receipts?: Receipts;
  /**
   * Has the provider report to an address of ours, and answers the key its reports are verified with. Called again, it
   * registers nothing new. Refusals are thrown as SendFault.
   */
  registerReceipts?(target: ReportTarget, credentials: V, io: Io): Promise<string>;
  /** People can give leave to write to their workspace. */
  oauth?: Oauth<V>;
}

/** A provider with the types of its own fields forgotten, as the registry holds it. */
export interface Provider extends Description<SendingChannel, CredentialFields>, Behaviour<Message, Credentials> {}

interface Declaration<C extends SendingChannel, F extends CredentialFields>
  extends Description<C, F>,
    Behaviour<Outgoing<C, F>, CredentialValues<F>> {}

/**
 * Types the functions of a provider by its channel and fields. What it returns has forgotten them: deliver.ts and ask.ts
 * pair message, credentials and provider, and are the only ones that call these functions.
 */
export const defineProvider = <const C extends SendingChannel, const F extends CredentialFields>(
  declaration: Declaration<C, F>,
): Provider => declaration as unknown as Provider;

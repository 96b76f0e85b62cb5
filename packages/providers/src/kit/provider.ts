// The shape of a provider: a declaration of its credentials, a pure function from message to request, a pure
// function from reply to outcome. Only the few that need SMTP or several calls write `send` and get the network.

import type { AnyProviderId } from "@tidings/contract";
import type { CredentialFields, Credentials, CredentialValues } from "./credentials.ts";
import type { Io } from "./io.ts";
import type { Message, MessageOf, SendingChannel } from "./message.ts";
import type { Oauth } from "./oauth.ts";
import type { CheckResult, Outcome } from "./outcome.ts";
import type { OverrideNames } from "./override-names.ts";
import type { Receipts } from "./receipts.ts";
import type { ReportTarget } from "./registration.ts";
import type { HttpReply } from "./reply.ts";
import type { HttpRequest } from "./request.ts";
import type { Unsend } from "./unsend.ts";

export type Limits = {
  /** Maximum length of an SMS, a chat message or a push body, in characters. */
  text?: number;
  /** Maximum recipients per mail: to, cc and bcc together. */
  recipients?: number;
  /** All attachments of one mail together. */
  attachmentBytes?: number;
  perSecond?: number;
};

type Description<Channel, Fields> = {
  readonly id: AnyProviderId;
  readonly channel: Channel;
  readonly name: string;
  readonly docs?: string;
  /** Where to get the credentials. */
  readonly help?: string;
  readonly credentials: Fields;
  readonly limits?: Limits;
  /** Parts of a mail that not every provider supports: inline images, the caller's own data. */
  readonly takes?: readonly ("inline" | "customData")[];
  /** Stores messages in the development mailbox instead of sending them. */
  readonly capture?: true;
  /** The overrides' members for the provider have no place in what it sends: a mail over SMTP, a captured message. */
  readonly takesExtras?: false;
};

/** What is known about a provider without calling it. */
export type ProviderDescription = Description<SendingChannel | "in_app", CredentialFields>;

/**
 * The message a provider is given. `from` and `senderName` have been filled from the credentials where the message
 * has none, and a provider that declares `from` as required is not called without one.
 */
type Outgoing<C extends SendingChannel, F extends CredentialFields> = MessageOf<C> &
  (F extends { from: { required: true } } ? { from: string } : unknown);

type Behaviour<M, V> = {
  request?(message: M, credentials: V): HttpRequest;
  /** Where in the JSON body the members of `extra` belong; left out, at its root. */
  extraAt?: readonly (string | number)[];
  /** Members of `extra` that belong to the root of the body whatever `extraAt` says. */
  rootMembers?: readonly string[];
  /**
   * Lists of the body that overrides are merged into item by item, instead of replacing them; each with the members of
   * an item that overrides cannot change.
   */
  mergedLists?: Readonly<Record<string, readonly string[]>>;
  /** The members of `extra` that the adapter knows: they may be given under the names of the provider's SDK as well. */
  overrideNames?: OverrideNames;
  /** Signs the request after the overrides were merged in, for providers whose signature covers the body. */
  sign?(request: HttpRequest, credentials: V, now: Date): HttpRequest | Promise<HttpRequest>;
  /** Left out, the status decides. */
  read?(reply: HttpReply, message: M): Outcome;
  send?(message: M, credentials: V, io: Io): Promise<Outcome>;
  check?(credentials: V, io: Io): Promise<CheckResult>;
  /** The provider sends delivery reports. */
  receipts?: Receipts;
  /**
   * Registers a webhook for delivery reports and returns the key that verifies them. Idempotent. Refusals are thrown as
   * SendError.
   */
  registerReceipts?(target: ReportTarget, credentials: V, io: Io): Promise<string>;
  /** How a message that was sent is retracted, or why it cannot be, as a sentence. */
  unsend?: Unsend<M, V> | string;
  /** Workspaces are connected by OAuth. */
  oauth?: Oauth<V>;
};

/** A provider as the registry holds it, without the types of its particular fields. */
export type Provider = Description<SendingChannel, CredentialFields> & Behaviour<Message, Credentials>;

type Declaration<C extends SendingChannel, F extends CredentialFields> = Description<C, F> &
  Behaviour<Outgoing<C, F>, CredentialValues<F>>;

/**
 * Types the functions of an adapter by its channel and fields. The result is without these types: only run/ calls the
 * functions, and it pairs message, credentials and provider.
 */
export function defineProvider<const C extends SendingChannel, const F extends CredentialFields>(
  declaration: Declaration<C, F>,
): Provider {
  return declaration as unknown as Provider;
}

// Sends one message through one provider and always returns an outcome. Apart from ask.ts, unsend.ts and verify.ts,
// this is the only caller of an adapter's functions: it reads the credentials, fills in the sender, checks the limits
// and turns errors into outcomes.

import { type Credentials, missingField, readCredentials } from "../kit/credentials.ts";
import type { Io } from "../kit/io.ts";
import { withUniqueRecipients } from "../kit/mail.ts";
import type { Message } from "../kit/message.ts";
import {
  accepted,
  decidedLocally,
  errorText,
  type Failure,
  type Note,
  type Outcome,
  rejected,
  retry,
  SendError,
  unknown,
} from "../kit/outcome.ts";
import { toApiNames } from "../kit/override-names.ts";
import { withOverrides } from "../kit/overrides.ts";
import type { Provider } from "../kit/provider.ts";
import { byStatus } from "../kit/reply.ts";
import { findAdapter, secretFields } from "./catalogue.ts";
import { checkLimits } from "./limits.ts";
import { messageSecrets, scrub, secretValues } from "./secrets.ts";

export async function send(providerId: string, message: Message, credentials: Credentials, io: Io): Promise<Outcome> {
  const adapter = findAdapter(providerId);
  if (!adapter) return decidedLocally(rejected("config", `There is no provider ${providerId} that sends anything`));
  const outcome = await deliver(adapter, message, credentials, io);
  if (outcome.kind === "accepted" && !outcome.refusedCopies) return outcome;
  const secrets = [...secretValues(secretFields(providerId), credentials), ...messageSecrets(message)];
  if (outcome.kind !== "accepted") return { ...outcome, reason: scrub(outcome.reason, secrets) };
  return { ...outcome, refusedCopies: outcome.refusedCopies?.map((reason) => scrub(reason, secrets)) };
}

/** The same for an adapter, with reasons as the provider worded them. */
export async function deliver(provider: Provider, message: Message, stored: Credentials, io: Io): Promise<Outcome> {
  const prepared = prepare(provider, message, stored);
  if ("kind" in prepared) return decidedLocally(prepared);
  const outcome = await callProvider(provider, prepared.message, prepared.credentials, io);
  if (outcome.kind !== "accepted") return outcome;
  const { providerMessageId, refusedCopies, notes = [] } = outcome;
  return accepted(providerMessageId, refusedCopies, [...notes, ...notesOn(provider, prepared.message)]);
}

/** Message and credentials as the adapter gets them, or why it is not called. */
export function prepare(
  provider: Provider,
  message: Message,
  stored: Credentials,
): { message: Message; credentials: Credentials } | Failure {
  if (message.channel !== provider.channel) {
    return rejected("config", `${provider.name} sends ${provider.channel}, not ${message.channel}`);
  }
  const missing = missingField(provider.credentials, stored);
  if (missing) return rejected("config", `The credential ${missing} of ${provider.name} is not set`);
  const credentials = readCredentials(provider.credentials, stored);
  const outgoing = withSender(withUniqueRecipients(withApiNames(provider, message)), credentials);
  if (provider.credentials.from?.required && !("from" in outgoing && outgoing.from)) {
    return rejected("config", `No sender: neither the message nor the integration of ${provider.name} has a "from"`);
  }
  const checked = checkLimits(provider, outgoing);
  return "kind" in checked ? checked : { message: checked, credentials };
}

async function callProvider(provider: Provider, message: Message, credentials: Credentials, io: Io): Promise<Outcome> {
  let isWritten = false;
  let isAnswered = false;
  const onReply = () => {
    isAnswered = true;
  };
  // A rejection before any reply was decided on our side: the request could not be built, or its address is not
  // allowed. A call that fails without a reply is `retry` or `unknown`, never `rejected`.
  const markUnasked = (outcome: Outcome): Outcome =>
    outcome.kind === "rejected" && !isAnswered ? decidedLocally(outcome) : outcome;
  try {
    if (provider.send) {
      isWritten = true;
      return markUnasked(await provider.send(message, credentials, observeReplies(io, onReply)));
    }
    if (!provider.request) return decidedLocally(rejected("config", `${provider.name} has no way to send`));
    const built = withOverrides(provider.request(message, credentials), message, provider.extraAt, provider);
    const request = provider.sign ? await provider.sign(built, credentials, io.now()) : built;
    isWritten = true;
    const reply = await io.http(request);
    onReply();
    return provider.read ? provider.read(reply, message) : byStatus(reply);
  } catch (error) {
    if (error instanceof SendError) return markUnasked(error.outcome);
    // An error before the request was written is retried; after that, the provider may have the message.
    return isWritten ? unknown(errorText(error)) : decidedLocally(retry(errorText(error)));
  }
}

/** A mail server refuses by an error and not by a reply, so having its connection pool counts as a reply. */
function observeReplies(io: Io, onReply: () => void): Io {
  const observed = <T>(reply: T): T => {
    onReply();
    return reply;
  };
  return {
    ...io,
    http: async (request) => observed(await io.http(request)),
    http2: async (request) => observed(await io.http2(request)),
    smtp: (settings) => observed(io.smtp(settings)),
  };
}

/** What the mail asks for and the provider does not support. */
function notesOn({ name: provider, takes = [] }: Provider, message: Message): Note[] {
  if (message.channel !== "email") return [];
  const { attachments = [], customData = {} } = message;
  const lost = Object.keys(customData).length > 0 && !takes.includes("customData");
  const images = attachments.flatMap(({ name, contentId, disposition }): Note[] => {
    const isWanted = disposition !== "attachment" && (contentId !== undefined || disposition === "inline");
    if (!isWanted || (contentId !== undefined && takes.includes("inline"))) return [];
    const why = contentId === undefined ? "it has no cid" : `${provider} has no inline images`;
    return [{ about: "attachment", name, reason: `It is attached and not shown inline: ${why}` }];
  });
  const reason = `${provider} keeps no data with a mail`;
  return lost ? [{ about: "override", name: "customData", reason }, ...images] : images;
}

const withApiNames = ({ overrideNames }: Provider, message: Message): Message =>
  overrideNames && message.extra ? { ...message, extra: toApiNames(message.extra, overrideNames) } : message;

function withSender(message: Message, credentials: Credentials): Message {
  if (message.channel !== "email" && message.channel !== "sms") return message;
  const from = message.from || textIn(credentials, "from");
  if (message.channel === "sms") return { ...message, from };
  return { ...message, from, senderName: message.senderName || textIn(credentials, "senderName") };
}

function textIn(credentials: Credentials, name: string): string | undefined {
  const value = credentials[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

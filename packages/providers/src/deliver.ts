// Runs one provider for one message and always answers with an outcome. Beside ask.ts this is the only caller of a
// provider's functions: it reads the credentials, fills in the sender, and turns whatever is thrown into a result.

import { type Credentials, missingField, readCredentials } from "./credentials.ts";
import { withinLimits } from "./limits.ts";
import { withUniqueRecipients } from "./mail.ts";
import type { Message } from "./message.ts";
import {
  accepted,
  byStatus,
  type Note,
  type Outcome,
  rejected,
  retry,
  SendFault,
  unasked,
  unknown,
} from "./outcome.ts";
import { toApiNames } from "./override-names.ts";
import { withOverrides } from "./overrides.ts";
import type { Io, Provider } from "./provider.ts";

export const deliver = async (provider: Provider, message: Message, stored: Credentials, io: Io): Promise<Outcome> => {
  const refuse = (reason: string): Outcome => unasked(rejected("config", reason));
  if (message.channel !== provider.channel) {
    return refuse(`${provider.name} sends ${provider.channel}, not ${message.channel}`);
  }
  const missing = missingField(provider.credentials, stored);
  if (missing) return refuse(`The credential ${missing} of ${provider.name} is not set`);
  const credentials = readCredentials(provider.credentials, stored);
  const outgoing = withSender(withUniqueRecipients(withApiNames(provider, message)), credentials);
  if (provider.credentials.from?.required && !("from" in outgoing && outgoing.from)) {
    return refuse(`No sender: neither the message nor the integration of ${provider.name} has a "from"`);
  }
  const checked = withinLimits(provider, outgoing);
  if ("kind" in checked) return unasked(checked);
  const outcome = await run(provider, checked, credentials, io);
  if (outcome.kind !== "accepted") return outcome;
  const { providerMessageId, notTaken, notes = [] } = outcome;
  return accepted(providerMessageId, notTaken, [...notes, ...notesOn(provider, checked)]);
};

const run = async (provider: Provider, message: Message, credentials: Credentials, io: Io): Promise<Outcome> => {
  let isWritten = false;
  let isAnswered = false;
  const heard = <T>(answer: T): T => {
    isAnswered = true;
    return answer;
  };
  // A call that fails is a repeat or an open outcome. Who refuses before any answer came is on our side: a request that
  // cannot be built, an address that may not be called.
  const judged = (outcome: Outcome): Outcome =>
    outcome.kind === "rejected" && !isAnswered ? unasked(outcome) : outcome;
  try {
    if (provider.send) {
      isWritten = true;
      return judged(await provider.send(message, credentials, listening(io, heard)));
    }
    if (!provider.request) return unasked(rejected("config", `${provider.name} has no way to send`));
    const built = withOverrides(provider.request(message, credentials), message, provider.extraAt, provider);
    const request = provider.sign ? await provider.sign(built, credentials, io.now()) : built;
    isWritten = true;
    const reply = heard(await io.http(request));
    return provider.read ? provider.read(reply) : byStatus(reply);
  } catch (error) {
    if (error instanceof SendFault) return judged(error.outcome);
    // Before anything was written a fault of ours costs a repeat; after, the message may be with the provider.
    return isWritten ? unknown(textOf(error)) : unasked(retry(textOf(error)));
  }
};

/** A mail server's refusals come as faults, not as replies: there, having a line is as good as an answer. */
const listening = (io: Io, heard: <T>(answer: T) => T): Io => ({
  ...io,
  http: async (request) => heard(await io.http(request)),
  http2: async (request) => heard(await io.http2(request)),
  smtp: (settings) => heard(io.smtp(settings)),
});

/** What the mail asks for and this kind of provider does not have. */
const notesOn = ({ name: provider, takes = [] }: Provider, message: Message): Note[] => {
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
};

const withApiNames = ({ overrideNames }: Provider, message: Message): Message =>
  overrideNames && message.extra ? { ...message, extra: toApiNames(message.extra, overrideNames) } : message;

const withSender = (message: Message, credentials: Credentials): Message => {
  if (message.channel !== "email" && message.channel !== "sms") return message;
  const from = message.from || textIn(credentials, "from");
  if (message.channel === "sms") return { ...message, from };
  return { ...message, from, senderName: message.senderName || textIn(credentials, "senderName") };
};

const textIn = (credentials: Credentials, name: string): string | undefined => {
  const value = credentials[name];
  return typeof value === "string" && value !== "" ? value : undefined;
};

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

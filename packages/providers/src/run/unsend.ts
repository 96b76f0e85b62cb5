// Retracts one message that a provider has sent and always returns an outcome: the counterpart of send.ts. Repeating
// the call does no harm, so a call without a response can be retried.

import type { Credentials } from "../kit/credentials.ts";
import type { Io } from "../kit/io.ts";
import type { Message, SendingChannel } from "../kit/message.ts";
import { errorText, SendError, unknown } from "../kit/outcome.ts";
import type { Provider } from "../kit/provider.ts";
import { ImpossibleError, type SentMessage, type Undone } from "../kit/unsend.ts";
import { findAdapter, secretFields } from "./catalogue.ts";
import { messageSecrets, scrub, secretValues } from "./secrets.ts";
import { prepare } from "./send.ts";

export type Unsending = { kind: "delete" } | { kind: "replace"; content: Message };

export type UnsendOutcome =
  | { kind: "deleted" }
  | { kind: "replaced"; providerMessageId?: string }
  /** The device was asked to remove the notification. Whether it did is not known. */
  | { kind: "removal_sent" }
  /** The message stays as people have it. */
  | { kind: "impossible"; reason: string }
  | { kind: "failed"; reason: string; canRetry: boolean };

export async function unsend(
  providerId: string,
  sent: SentMessage,
  unsending: Unsending,
  credentials: Credentials,
  io: Io,
): Promise<UnsendOutcome> {
  const adapter = findAdapter(providerId);
  if (!adapter) return { kind: "impossible", reason: `There is no provider ${providerId} that sends anything` };
  const outcome = await takeBack(adapter, sent, unsending, credentials, io);
  if (!("reason" in outcome)) return outcome;
  const messages = unsending.kind === "replace" ? [sent.content, unsending.content] : [sent.content];
  const secrets = [...secretValues(secretFields(providerId), credentials), ...messages.flatMap(messageSecrets)];
  return { ...outcome, reason: scrub(outcome.reason, secrets) };
}

const permanent: Record<SendingChannel, string> = {
  email: "An email that was sent cannot be changed or deleted",
  sms: "A text message that was sent cannot be changed or deleted",
  push: "does not offer a way to replace or remove a notification",
  chat: "does not offer a way to change or delete a message",
};

function whyNot({ name, channel, unsend }: Provider): string {
  if (typeof unsend === "string") return unsend;
  return channel === "email" || channel === "sms" ? permanent[channel] : `${name} ${permanent[channel]}`;
}

async function takeBack(
  provider: Provider,
  sent: SentMessage,
  unsending: Unsending,
  stored: Credentials,
  io: Io,
): Promise<UnsendOutcome> {
  const { unsend } = provider;
  if (unsend === undefined || typeof unsend === "string") return { kind: "impossible", reason: whyNot(provider) };
  try {
    const content = unsending.kind === "replace" ? unsending.content : sent.content;
    const [before, prepared] = [prepare(provider, sent.content, stored), prepare(provider, content, stored)];
    if ("kind" in before) return { kind: "failed", reason: before.reason, canRetry: false };
    if ("kind" in prepared) return { kind: "failed", reason: prepared.reason, canRetry: false };
    const { message, credentials } = prepared;
    const known = { ...sent, content: before.message };
    if (unsending.kind === "replace") {
      if (!unsend.replace) return { kind: "impossible", reason: `${provider.name} cannot change what it has sent` };
      return replaced(await unsend.replace(known, message, credentials, io));
    }
    if (unsend.delete) return removed(await unsend.delete(known, credentials, io), "deleted");
    if (unsend.remove) return removed(await unsend.remove(known, credentials, io), "removal_sent");
    return { kind: "impossible", reason: `${provider.name} cannot delete what it has sent` };
  } catch (error) {
    if (error instanceof ImpossibleError) return { kind: "impossible", reason: error.message };
    return failed(error instanceof SendError ? error.outcome : unknown(errorText(error)));
  }
}

function replaced(undone: Undone): UnsendOutcome {
  if (undone.kind === "gone") return { kind: "impossible", reason: `The message no longer exists (${undone.reason})` };
  if (undone.kind !== "accepted") return failed(undone);
  const { providerMessageId } = undone;
  return providerMessageId === undefined ? { kind: "replaced" } : { kind: "replaced", providerMessageId };
}

function removed(undone: Undone, kind: "deleted" | "removal_sent"): UnsendOutcome {
  if (undone.kind === "accepted") return { kind };
  return undone.kind === "gone" ? { kind: "deleted" } : failed(undone);
}

/** Who the provider no longer reaches keeps the message. Errors of the integration can be repaired. */
function failed(undone: Exclude<Undone, { kind: "accepted" }>): UnsendOutcome {
  const { kind, reason } = undone;
  if (kind === "impossible" || kind === "dead-token") return { kind: "impossible", reason };
  if (kind === "rejected" && undone.class === "recipient") return { kind: "impossible", reason };
  return { kind: "failed", reason, canRetry: kind === "retry" || kind === "unknown" };
}

// Retracting what a provider has sent: what an adapter may declare, and how replies to such calls are read. An adapter
// says what its API really offers; run/unsend.ts turns its outcomes into those of the package.

import type { JsonObject } from "@tidings/contract";
import type { Io } from "./io.ts";
import type { Message } from "./message.ts";
import type { Outcome } from "./outcome.ts";

/** A message as it was handed to the provider, and the id under which the provider knows it. */
export type SentMessage<M = Message> = { content: M; providerMessageId: string | null };

/**
 * The outcome of a call that retracts. `gone`: the provider no longer has the message. `impossible`: the provider
 * refuses for good. An accepted call may name the message anew.
 */
export type Undone = Outcome | { kind: "gone" | "impossible"; reason: string };

/** The functions throw SendError as those that send do, and ImpossibleError where no call can help. */
export type Unsend<M, V> = {
  /** Deletes the message where people read it. */
  delete?(sent: SentMessage<M>, credentials: V, io: Io): Promise<Undone>;
  /** Changes the message where people read it. */
  replace?(sent: SentMessage<M>, content: M, credentials: V, io: Io): Promise<Undone>;
  /** Asks the device to remove what it shows. Whether it does is not known. */
  remove?(sent: SentMessage<M>, credentials: V, io: Io): Promise<Undone>;
};

export class ImpossibleError extends Error {}

/** The provider's id of the message, which every call that changes it needs. */
export function sentId({ providerMessageId }: SentMessage, provider: string): string {
  if (providerMessageId) return providerMessageId;
  throw new ImpossibleError(`${provider} did not return an id for the message, so it cannot be changed or deleted`);
}

/** An id as one segment of a path. Dots alone would lead to another path, however they are encoded. */
export function segment(id: string): string {
  if (/^\.{1,2}$/.test(id)) throw new ImpossibleError("The id of the message is not one that the provider gives out");
  return encodeURIComponent(id);
}

/** Error codes of calls that retract: those that say the message is gone, and refusals in plain words. */
export type UndoneCodes = {
  gone: readonly string[];
  impossible: Readonly<Record<string, string>>;
};

/** `outcome` is how the adapter reads such a reply to a message. */
export function undoneByCode(code: string | undefined, outcome: Outcome, { gone, impossible }: UndoneCodes): Undone {
  if (code === undefined || outcome.kind === "accepted") return outcome;
  if (gone.includes(code)) return { kind: "gone", reason: outcome.reason };
  const words = Object.hasOwn(impossible, code) ? impossible[code] : undefined;
  return words === undefined ? outcome : { kind: "impossible", reason: words };
}

/** The overrides of a message for a call that changes it, which knows fewer members than the one that sends. */
export function pickOverrides({ extra = {}, passthrough }: Message, names: readonly string[]) {
  const known = (members: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(members).filter(([name]) => names.includes(name)));
  return { extra: known(extra), passthrough: { body: known(passthrough?.body ?? {}) } };
}

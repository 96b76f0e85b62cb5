// Compares an unchanged run with the same run as changed, message by message: a message is a channel step of a run.
// Pure.
import { isDeepStrictEqual } from "node:util";
import type { BacktestEffect } from "@tidings/contract";
import type { MessageDraft } from "../run/run.ts";
import { channelOf, type MessageOutcome } from "./outcomes.ts";

/** A difference in time that a reader notices. */
const noticedMs = 60_000;

/** `stepId`: that of the unchanged run, where it has the step. Null for no effect. */
export type Compared = {
  stepId: string;
  before: MessageOutcome | undefined;
  after: MessageOutcome | undefined;
  effect: BacktestEffect | null;
};

type Outcomes = ReadonlyMap<string, MessageOutcome>;

export function compareRun(before: Outcomes, after: Outcomes): Compared[] {
  const pairs = pairSteps(before, after);
  const compared = pairs.map(([stepId, was, is]) => ({ stepId, before: was, after: is, effect: effectOf(was, is) }));
  return withOtherChannels(compared);
}

/** Steps of the same id; then those that one side lacks, in their order, where the channel is the same. */
function pairSteps(
  before: Outcomes,
  after: Outcomes,
): [string, MessageOutcome | undefined, MessageOutcome | undefined][] {
  const isRenamed = (one: MessageOutcome, others: Outcomes) => !others.has(one.step.stepId);
  const added = [...after.values()].filter((one) => isRenamed(one, before));
  const pairs = [...before].map(([stepId, was]): [string, MessageOutcome, MessageOutcome | undefined] => {
    const same = after.get(stepId);
    if (same) return [stepId, was, same];
    const at = added.findIndex((one) => channelOf(one) === channelOf(was));
    return [stepId, was, at < 0 ? undefined : added.splice(at, 1)[0]];
  });
  return [...pairs, ...added.map((is) => [is.step.stepId, undefined, is] as [string, undefined, MessageOutcome])];
}

function effectOf(before: MessageOutcome | undefined, after: MessageOutcome | undefined): BacktestEffect | null {
  const was = before?.outcome === "sent";
  const is = after?.outcome === "sent";
  if (was && is) return differenceOf(before, after);
  if (is) return before?.outcome === "waiting" ? "earlier" : "added";
  if (after && isRenderFault(after) && !(before && isRenderFault(before))) return "render_failed";
  if (!was) return null;
  if (after?.outcome === "merged") return "digested";
  return after?.outcome === "waiting" ? "later" : "removed";
}

export const isRenderFault = ({ outcome, code }: MessageOutcome): boolean =>
  outcome === "failed" && (code === "render_failed" || code === "condition_failed");

function differenceOf(before: MessageOutcome, after: MessageOutcome): BacktestEffect | null {
  if (channelOf(before) !== channelOf(after)) return "channel";
  if (!isDeepStrictEqual(waysOf(before), waysOf(after))) return "provider";
  const isSameDigest = before.eventCount === after.eventCount && isDeepStrictEqual(before.eventIds, after.eventIds);
  if (!isSameDigest) return "digested";
  const apart = (after.at ?? 0) - (before.at ?? 0);
  if (Math.abs(apart) >= noticedMs) return apart < 0 ? "earlier" : "later";
  return isSameContent(before.messages, after.messages) ? null : "content";
}

const waysOf = ({ messages }: MessageOutcome) => messages.map(({ integrationId }) => integrationId).sort();

const isSameContent = (before: MessageDraft[], after: MessageDraft[]): boolean =>
  before.length === after.length && before.every((one, index) => isSameMessage(one, after[index]!));

function isSameMessage(a: MessageDraft, b: MessageDraft): boolean {
  return (
    a.subject === b.subject &&
    a.content === b.content &&
    a.address === b.address &&
    isDeepStrictEqual(a.cta, b.cta) &&
    isDeepStrictEqual(a.data, b.data) &&
    isDeepStrictEqual(withoutRoute(a.outgoing), withoutRoute(b.outgoing))
  );
}

function withoutRoute(outgoing: MessageDraft["outgoing"]): object {
  if (!outgoing) return {};
  const { route: _, perProvider: __, ...fields } = outgoing as Record<string, unknown>;
  return fields;
}

/** A message that is gone in one channel and new in another of the same run is the same message in another channel. */
function withOtherChannels(compared: Compared[]): Compared[] {
  const added = compared.filter(({ effect }) => effect === "added");
  if (added.length === 0) return compared;
  for (const one of compared) {
    if (one.effect !== "removed") continue;
    const other = added.shift();
    if (!other) break;
    one.effect = "channel";
    other.effect = null;
  }
  return compared;
}

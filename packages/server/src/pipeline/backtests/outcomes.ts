// How the steps of a replayed run ended, in the words that both replays and the past are compared by. Pure.
import type { Channel } from "@tidings/contract";
import { isChannel } from "@tidings/contract";
import type { StoredDetail } from "../../store/tables.ts";
import type { StoredStep } from "../../store/workflows/workflows.ts";
import { digestInputRefs } from "../rules/grouping.ts";
import { outcomeCode } from "../rules/step-outcome-text.ts";
import type { JobState, MessageDraft } from "../run/run.ts";
import type { ReplayedRun } from "./state.ts";

type Outcome = "sent" | "failed" | "not_sent" | "waiting" | "merged";

/** The outcome of a channel step. `code`: the detail that decided. */
export type MessageOutcome = {
  step: StoredStep;
  job: JobState;
  outcome: Outcome;
  code: string | null;
  /** When it was sent, or ended (ms). */
  at: number | null;
  messages: MessageDraft[];
  /** Ids of the events in its digest. */
  eventIds: string[];
  eventCount: number;
};

export const channelOf = ({ step }: MessageOutcome): Channel => step.type as Channel;

export const isSent = (one: MessageOutcome | undefined): one is MessageOutcome => one?.outcome === "sent";

/** The channel steps of a run, by `stepId`. */
export function outcomesOf({ run, messages }: ReplayedRun): Map<string, MessageOutcome> {
  const found = new Map<string, MessageOutcome>();
  for (const job of run.jobs) {
    if (!isChannel(job.step.type)) continue;
    const own = messages.filter(({ jobId }) => jobId === job.id);
    const { refs, eventCount } = digestInputRefs(run, job.stepIndex);
    found.set(job.step.stepId, {
      step: job.step,
      job,
      ...outcomeOf(job, own),
      messages: own,
      eventIds: refs.map(({ id }) => id),
      eventCount,
    });
  }
  return found;
}

function outcomeOf(job: JobState, messages: MessageDraft[]): Pick<MessageOutcome, "outcome" | "code" | "at"> {
  const { outcome, code } = outcomeCode({ step: job.step, status: job.status, details: job.newDetails });
  const last = decidedAt(job.newDetails, code);
  if (outcome === "sent" && messages.some(({ status }) => status === "sent"))
    return { outcome: "sent", code, at: last };
  if (outcome === "merged") return { outcome, code, at: last };
  if (job.status === "skipped" && job.mergedInto !== null) return { outcome: "merged", code, at: last };
  if (outcome === "failed") return { outcome, code, at: last };
  const isOpen = outcome === "waiting" || outcome === "pending" || outcome === "sending";
  return { outcome: isOpen ? "waiting" : "not_sent", code, at: isOpen ? null : last };
}

const decidedAt = (details: readonly StoredDetail[], code: string | null): number | null =>
  details.findLast(({ d }) => d === code)?.t ?? details.at(-1)?.t ?? null;

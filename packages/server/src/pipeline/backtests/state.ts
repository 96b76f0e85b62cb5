// What a replay of one person consists of: the variant that it follows, its runs, and what it has at a moment.
import type { StoredDetail } from "../../store/tables.ts";
import type { WorkflowRules, WorkflowVersion } from "../../store/workflows/workflows.ts";
import type { Marks } from "../rules/step-results.ts";
import type { Arrival, Claim, ClaimResult, DigestResult, Facts, JobState, MessageDraft, Run } from "../run/run.ts";
import type { MemoryClaims, PastSignal } from "./claims.ts";
import type { PastRun, PersonHistory } from "./history.ts";
import type { PastCancel } from "./past-jobs.ts";
import type { BegunRollUp } from "./places.ts";
import type { AnswerCounts, Asked } from "./responses.ts";
import type { Timeline } from "./timeline.ts";
import type { Turns } from "./turns.ts";

/** The maps of the facts that a replay fills, emptied before each person. */
export type Moving = {
  claimResults: Map<string, ClaimResult>;
  digests: Map<string, DigestResult>;
  arrivals: Map<string, Arrival>;
  marks: Map<string, Marks>;
};

/** What a run starts with; null: it does not start. */
export type RunVersion = { version: WorkflowVersion; rules: WorkflowRules };

/** The engine without the change, or with it. */
export type Variant = {
  facts: Facts;
  moving: Moving;
  versionOf(past: PastRun): RunVersion | null;
  /** The workflow that sends roll-ups; null where there is none. */
  rollUp: RunVersion | null;
  /** False in the unchanged replay: what a step started then is started again, whatever the replay says. */
  followsStarts: boolean;
};

/** `past`: null for a roll-up that only the replay has. */
export type ReplayedRun = { run: Run; past: PastRun | null; isLead: boolean; messages: MessageDraft[] };

export type Replayed = { runs: Map<string, ReplayedRun>; answers: AnswerCounts };

/** Something that happened to the job of a message, or to a digest, then. */
type Happened = { notificationId: string; stepId: string; happened: StoredDetail };

/** `now`: the time of the run, where its turn comes later. */
export type Action =
  | { kind: "start"; past: PastRun }
  | { kind: "roll-up"; begun: BegunRollUp }
  | { kind: "wake"; run: ReplayedRun; now: Date }
  | { kind: "reply"; run: ReplayedRun; job: JobState; asked: Asked }
  | { kind: "continue"; run: ReplayedRun; now: Date }
  | { kind: "overdue"; run: ReplayedRun; jobId: string; now: Date }
  | { kind: "signal"; signal: PastSignal }
  | ({ kind: "mark" } & Happened)
  | ({ kind: "close" } & Happened)
  | { kind: "cancel"; notificationId: string; canceled: PastCancel; isLast?: true };

type Waiting = { run: ReplayedRun; claim: Extract<Claim, { kind: "wait" }> };

export type Replaying = {
  history: PersonHistory;
  variant: Variant;
  turns: Turns;
  timeline: Timeline<Action>;
  runs: Map<string, ReplayedRun>;
  claims: MemoryClaims;
  /** By job that leads a digest: the jobs that were merged into it. */
  members: Map<string, { one: ReplayedRun; job: JobState }[]>;
  /** Waits for a signal or a message that have not ended, by job. */
  waiting: Map<string, Waiting>;
  /** The signals that have come. */
  sent: PastSignal[];
};

/** The step of then that this job replays. */
export const pastStepOf = ({ past }: ReplayedRun, { step }: JobState) => past?.steps.get(step.stepId);

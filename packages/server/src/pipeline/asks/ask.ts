// A question of a step to another program on its way through a stage: to the bridge of its workflow (../bridge), or to
// any host by an HTTP request (../requests). What the stages have in common is in this folder: stage.ts prepares the
// calls, settle.ts writes what follows from the replies, replay.ts opens failed steps again.
import type { Outcome } from "@tidings/providers";
import type { NetworkCtx } from "../../context.ts";
import type { JobUpdate } from "../../store/events/jobs.batch.ts";
import type { Task } from "../../store/queue/queue.ts";
import type { StoredDetail } from "../../store/tables.ts";
import type { BreakerTable } from "../../store/workflows/call-breakers.batch.ts";
import type { Batch } from "../batch.ts";
import type { Health } from "../deliver/breaker.ts";
import type { JobState, Run } from "../run/run.ts";
import type { AskTask } from "../tasks.ts";

/** A step that asks. */
export type Asking = { task: Task<AskTask>; run: Run; job: JobState };

/** Who is asked: the address that has a circuit breaker, and its lane in the queue. */
type Target = { url: string; health: Health };

/** A question whose target is known, or one that is not asked because the reply is. */
export type Planned<Call, Reply> = Asking & ({ target: Target; call: () => Call } | { reply: Reply });

type Admitted = Asking & { target: Target | null; isProbe: boolean };

/** `call` is null when no call is made: `reply` was known beforehand. */
export type Prepared<Call, Reply> = Admitted & ({ call: Call } | { call: null; reply: Reply });

export type Finished<Call, Reply> = Admitted & { call: Call | null; reply: Reply };

/**
 * What follows from a reply. `again`: the question is repeated then. `failure`: the text of the failed task, which can
 * be replayed.
 */
export type Effect = { update: JobUpdate; wakes: boolean; again?: Date; failure?: string };

/** What a kind of question adds to the stage. */
export type AskSource<Call, Reply> = {
  kind: "bridge" | "request";
  breakers: BreakerTable;
  /** Why a step waits for a target whose circuit is open. */
  pausedReason: string;
  /** Details of the job: it asks, and it is repeated later. */
  asked(now: Date): StoredDetail;
  isRetry(stored: StoredDetail): boolean;
  retry(now: Date, raw: { reason: string; next: string }): StoredDetail;
  /** Whom each step asks, and what. */
  plan(batch: Batch, runs: Run[], asking: Asking[]): Promise<Planned<Call, Reply>[]>;
  /** Never rejects. */
  call(ctx: NetworkCtx, prepared: Asking, call: Call): Promise<Reply>;
  /** What the reply says about the health of the target. */
  outcomeOf(reply: Reply): Outcome;
  /** Before the breakers are locked: those of targets that failed for the first time. */
  addBreakers?(batch: Batch, keys: { environment_id: string; url: string }[]): Promise<void>;
  effectOf(batch: Batch, finished: Finished<Call, Reply>): Effect;
};

export const jobKeyOf = ({ run, job }: Pick<Asking, "run" | "job">) => ({
  environment_id: run.environmentId,
  notification_id: run.notificationId,
  job_id: job.id,
});

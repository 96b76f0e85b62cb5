// Stage 4: what leaves the building. Every call to a provider is recorded before it is made (deliver/prepare.ts) and after
// it returned; the retry decision is rules/retry.ts; the result settles message, job and attempt in one transaction
// together with the task that follows from it (outcome.ts).
//
// A worker does not wait for the calls it started: it takes the next tasks as soon as there is room for them, so a slow
// provider holds up its own messages and nobody else's. The claims on tasks that are under way are kept alive meanwhile.
import { type Outcome, send } from "@tidings/providers";
import type { Ctx } from "../context.ts";
import { inTransaction, isDatabaseAway } from "../store/db.ts";
import { ClaimLost, type Task } from "../store/queue.ts";
import { createLanes } from "./deliver/lanes.ts";
import type { Send } from "./deliver/plan.ts";
import { prepare } from "./deliver/prepare.ts";
import { type Settled, settle } from "./outcome.ts";
import type { DeliverTask } from "./tasks.ts";

/** Tasks taken at once: few enough that a worker seldom waits for room, many enough to share their queries. */
export const deliverBatch = ({ config }: Ctx): number => Math.max(1, Math.floor(config.delivery.window / 8));

/** How long a finished send may wait for others before its result is written: they then share a transaction. */
const gatherMs = 50;

/** The database has to be away this long before a message that was sent is given back, to be sent again. */
const writeRounds = 10;
const writePauseMs = 1_000;

/** The stage, with the calls it has under way: one for each service. */
export function createDeliver(ctx: Ctx): (tasks: Task<DeliverTask>[]) => Promise<void> {
  const lanes = createLanes(ctx.config.delivery.window);
  let finished: Settled[] = [];

  const add = (settled: Settled) => {
    finished.push(settled);
    if (finished.length > 1) return;
    setTimeout(() => {
      const group = finished;
      finished = [];
      void write(ctx, group).finally(() => ctx.queue.letGo(group.map((one) => one.task)));
    }, gatherMs);
  };

  const start = async (one: Send): Promise<void> => {
    if (one.attemptId === null) return add({ ...one, outcome: null });
    const began = performance.now();
    const outcome = await callProvider(ctx, one);
    lanes.left(one.integration.id, performance.now() - began);
    add({ ...one, outcome });
  };

  return async (tasks) => {
    const boarding = lanes.board();
    let sends: Send[];
    try {
      sends = await inTransaction(ctx.db, (tx) => prepare(ctx, tx, tasks, boarding));
    } catch (error) {
      boarding.giveBack();
      throw error;
    }
    ctx.queue.hold(
      "deliver",
      sends.map((one) => one.task),
    );
    for (const one of sends) void start(one);
    await lanes.room(
      deliverBatch(ctx),
      sends.map((one) => one.integration.id),
    );
  };
}

/**
 * Writing again is better than sending again. What cannot be written goes to another worker once its claim has lapsed,
 * as an attempt whose outcome is unknown.
 */
async function write(ctx: Ctx, group: Settled[]): Promise<void> {
  for (let round = 1; ; round++) {
    try {
      return await inTransaction(ctx.db, (tx) => settle(ctx, tx, group));
    } catch (error) {
      // One result that the database does not take must not keep back the others.
      if (group.length > 1 && !isDatabaseAway(error)) {
        for (const one of group) await write(ctx, [one]);
        return;
      }
      // Another worker has the message; for it, this attempt is one whose outcome is unknown.
      if (error instanceof ClaimLost) return;
      if (round === writeRounds) {
        ctx.metrics.taskFailures.inc({ kind: "deliver" }, group.length);
        ctx.log.error(
          { err: error, tasks: group.map(({ task }) => task.id) },
          "the result of a delivery could not be written",
        );
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, writePauseMs));
    }
  }
}

/** Never rejects: one message must not take the results of its neighbours with it. */
async function callProvider(ctx: Ctx, { integration, content }: Send): Promise<Outcome> {
  let credentials: Record<string, unknown>;
  try {
    credentials = integration.credentials ? JSON.parse(ctx.secrets.decrypt(integration.credentials)) : {};
  } catch (error) {
    ctx.log.error({ err: error, integration: integration.identifier }, "credentials cannot be read");
    return { kind: "rejected", class: "config", reason: "the stored credentials cannot be read" };
  }
  try {
    const outcome = storable(await send(integration.provider_id, content!, credentials, ctx.io));
    ctx.metrics.attempts.inc({ provider: integration.provider_id, outcome: outcome.kind });
    return outcome;
  } catch (error) {
    ctx.log.error({ err: error, provider: integration.provider_id }, "a provider adapter failed");
    return { kind: "unknown", reason: "the provider adapter failed" };
  }
}

/** Servers answer with any bytes they like; the database does not take all of them in a text. */
const storable = (outcome: Outcome): Outcome =>
  outcome.kind === "accepted"
    ? outcome
    : { ...outcome, reason: outcome.reason.replace(/\p{Cc}+/gu, " ").toWellFormed() };

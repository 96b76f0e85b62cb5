// Collects calls to trigger events into batches. A transaction costs some 5 ms of CPU time, however few events it has:
// a dozen statements, each with a round trip, and a commit. So the calls of an environment that wait for a slot
// (admission.ts) run together when there is one (batch.ts), in this thread or, under load, in a worker thread
// (worker-handover.ts). A call that arrives alone is a batch of one, and does not wait
// (docs/decisions/0024-shared-transactions.md).
import { setTimeout as sleep } from "node:timers/promises";
import { type Operation, type OperationId, operations } from "@tidings/contract";
import type { NetworkCtx } from "../../context.ts";
import { isObject } from "../../lib/json.ts";
import { recipientsPerBatch } from "../../pipeline/tasks.ts";
import type { BatchHandler } from "../handler.ts";
import type { Call, CallResponse } from "../request/call.ts";
import type { Admission } from "./admission.ts";
import { runBatch } from "./batch.ts";
import { dispatchBatch, type WorkerPool } from "./worker-handover.ts";

/** What one transaction has at most: as many recipients as a batch of the pipeline, or 2 MB of requests. */
const maxCost = recipientsPerBatch;
const bytesPerCost = 4_096;
/** How long a call waits for others while batches of its environment are in progress. */
const waitMs = 3;

export type TriggerLimits = { admission: Admission; workers: WorkerPool };

export function createTriggerBatcher(
  ctx: NetworkCtx,
  id: OperationId,
  handler: BatchHandler,
  { admission, workers }: TriggerLimits,
): (call: Call) => Promise<CallResponse> {
  const { admission: kind }: Operation = operations[id];
  const isSingle = kind === "single";
  const addToBatch = createBatcher<Call, CallResponse>({
    acquire: (environmentId) => admission.acquire({ environmentId, isSingle }),
    costOf,
    maxCost,
    waitMs,
    run: (calls) =>
      workers.run(isSingle, (thread) => {
        if (!thread || calls.some(({ request }) => request.text === null)) return runBatch(ctx, handler, calls);
        ctx.metrics.dispatchedRequests.inc(calls.length);
        return dispatchBatch(thread, id, calls);
      }),
  });
  return async (call) => {
    const { environmentId } = call.request.caller!;
    await admission.waitForQueue({ environmentId, isSingle });
    return addToBatch(environmentId, call);
  };
}

/** A call without a known length runs alone. */
function costOf({ request: { headers, body } }: Call): number {
  const bytes = Number(headers["content-length"] ?? Number.POSITIVE_INFINITY);
  return Math.max(countRecipients(body), bytes / bytesPerCost);
}

/** Recipients in a body that is not checked yet: checking it takes too long to do it before the call is admitted. */
function countRecipients(body: unknown): number {
  const events: unknown[] = isObject(body) && Array.isArray(body.events) ? body.events : [body];
  return events.reduce<number>((sum, event) => {
    const to = isObject(event) ? event.to : undefined;
    return sum + (Array.isArray(to) ? Math.max(1, to.length) : 1);
  }, 0);
}

type BatcherOptions<T, R> = {
  /** Resolves to the function that releases the slot; rejects when no slot is available. */
  acquire(owner: string): Promise<() => void>;
  costOf(item: T): number;
  /** Maximum total cost of one batch. An item above it runs alone. */
  maxCost: number;
  /** How long an item waits for others while a batch of its owner is in progress. Without one, it does not wait. */
  waitMs: number;
  /** Runs a batch, all of one owner, and returns the result of each item, in order. */
  run(items: T[]): Promise<PromiseSettledResult<R>[]>;
};

type Entry<T, R> = { item: T; cost: number; settle(result: PromiseSettledResult<R>): void };

export function createBatcher<T, R>({ acquire, costOf, maxCost, waitMs, run }: BatcherOptions<T, R>) {
  const waiting = new Map<string, Set<Entry<T, R>>>();
  /** Batches in progress, by owner. */
  const running = new Map<string, number>();

  const remove = (owner: string, entry: Entry<T, R>): boolean => {
    const own = waiting.get(owner);
    const isRemoved = own?.delete(entry) ?? false;
    if (own?.size === 0) waiting.delete(owner);
    return isRemoved;
  };

  /** As many waiting entries as fit into a batch with `first`, in order of arrival. */
  const takeOthers = (owner: string, first: Entry<T, R>): Entry<T, R>[] => {
    const taken: Entry<T, R>[] = [];
    let { cost } = first;
    for (const entry of waiting.get(owner) ?? []) {
      cost += entry.cost;
      if (cost > maxCost) break;
      taken.push(entry);
    }
    for (const entry of taken) remove(owner, entry);
    return taken;
  };

  const runTogether = async (owner: string, entries: Entry<T, R>[]): Promise<void> => {
    running.set(owner, (running.get(owner) ?? 0) + 1);
    try {
      const results = await run(entries.map(({ item }) => item));
      for (const [index, { settle }] of entries.entries()) settle(results[index]!);
    } catch (reason) {
      for (const { settle } of entries) settle({ status: "rejected", reason });
    } finally {
      const left = running.get(owner)! - 1;
      if (left > 0) running.set(owner, left);
      else running.delete(owner);
    }
  };

  return (owner: string, item: T): Promise<R> =>
    new Promise<R>((resolve, reject) => {
      const settle = (result: PromiseSettledResult<R>) =>
        result.status === "fulfilled" ? resolve(result.value) : reject(result.reason);
      const entry = { item, cost: costOf(item), settle };
      const own = waiting.get(owner) ?? new Set();
      waiting.set(owner, own.add(entry));
      // Every entry waits for a slot. One that has run with another entry releases it unused.
      acquire(owner).then(
        async (release) => {
          if (running.has(owner) && waiting.get(owner)?.has(entry)) await sleep(waitMs);
          if (remove(owner, entry)) await runTogether(owner, [entry, ...takeOthers(owner, entry)]);
          release();
        },
        (reason) => {
          if (remove(owner, entry)) settle({ status: "rejected", reason });
        },
      );
    });
}

// A dry run of a broadcast for some of its people: the event is evaluated as when it is sent, and its runs are advanced
// by the code of the pipeline. Reads only; checks, previews and sentences are made of it.
import type { BroadcastContent } from "@tidings/contract";
import { LRUCache } from "lru-cache";
import type { Ctx } from "../../context.ts";
import type { CheckSource } from "../../store/broadcasts/checks.ts";
import { inReadOnlyTransaction } from "../../store/db.ts";
import type { EventRow } from "../../store/events/events.ts";
import type { RecipientRow } from "../../store/subscribers/subscribers.ts";
import { findWorkflowStates } from "../../store/workflows/workflows.batch.ts";
import { type Clock, peekClock } from "../clock/clock.ts";
import { type SimulatedRun, simulate } from "../run/dry-run.ts";
import { type Evaluation, evaluateEvents } from "../trigger/evaluation.ts";
import { previewRecipients } from "../trigger/recipients.ts";
import { makeRuns } from "../trigger/trigger.ts";

/** What is sent. Its version is not stored yet. */
export type Dispatch = { broadcastId: string; content: BroadcastContent; source: CheckSource };

type Simulated = { runs: SimulatedRun[]; refusal: string[] | null };

/** `people`: reads those to simulate, in the transaction of the dry run. */
export async function simulatePeople(
  ctx: Ctx,
  environmentId: string,
  dispatch: Dispatch,
  people: (tx: Ctx, now: Date) => Promise<RecipientRow[]>,
): Promise<Simulated & { people: RecipientRow[] }> {
  return inReadOnlyTransaction(ctx.db, async (db) => {
    const tx = withVersion({ ...ctx, db }, environmentId, dispatch);
    const clock = await peekClock(tx, environmentId);
    const found = await people(tx, clock.now(environmentId));
    return { people: found, ...(await simulateFound(tx, environmentId, dispatch, { clock, people: found })) };
  });
}

/** A version that is not stored is in a cache that no other work sees. */
function withVersion(ctx: Ctx, environmentId: string, { source: { target, definition } }: Dispatch): Ctx {
  const versions: Ctx["versions"] = new LRUCache({ max: 1 });
  if (definition)
    versions.set(target.version_id, { id: target.version_id, environmentId, workflowId: target.id, definition });
  return { ...ctx, versions };
}

/** As the event would be accepted, or why it would be refused. */
export async function evaluateBroadcast(
  ctx: Ctx,
  environmentId: string,
  { broadcastId, content, source: { target } }: Dispatch,
  now: Date,
): Promise<Evaluation> {
  const event = { name: target.workflow_id, to: [], payload: structuredClone(content.payload ?? {}) };
  const audience = { kind: "audiences" as const, audienceIds: [], minus: [], exclude: [], broadcastId };
  const place = { environmentId, environmentType: "prod" as const };
  const options = { audience, now, targets: [target] };
  const [evaluation] = await evaluateEvents(ctx, place, [{ request: {}, event }], options);
  return evaluation!;
}

async function simulateFound(
  tx: Ctx,
  environmentId: string,
  dispatch: Dispatch,
  { clock, people }: { clock: Clock; people: RecipientRow[] },
): Promise<Simulated> {
  const { accepted, result } = await evaluateBroadcast(tx, environmentId, dispatch, clock.now(environmentId));
  if (!accepted) return { runs: [], refusal: result.error ?? [result.status] };
  const started = { expanded_at: null, canceled_at: null, open_walks: 1, held_events: null, refusal: null };
  const event: EventRow = { ...accepted.event, ...started };
  const members = people.map((subscriber) => ({ subscriber, subscriptions: null }));
  const starts = [{ event, members }];
  const found = await previewRecipients(tx, environmentId, starts);
  const states = await findWorkflowStates(tx.db, [event.workflow_id]);
  const batch = { ...tx, clock };
  const runs = await makeRuns(batch, starts, found, states);
  const around = { contexts: accepted.contexts, tenant: accepted.tenant ?? null, assume: {} };
  return { runs: await simulate(batch, runs, around, { answers: new Map(), asks: new Map() }), refusal: null };
}

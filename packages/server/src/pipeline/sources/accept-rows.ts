// Accepts rows of an outbox, in one transaction of this service: events as if they had come over HTTP, each with the
// transaction id of its row, so that a row that comes again is recognised. A refused row becomes a failed task with its
// reason, and holds up nothing.
import { errorMessage } from "@tidings/contract";
import type { Ctx } from "../../context.ts";
import { Failure } from "../../failure.ts";
import { definedMembers } from "../../lib/json.ts";
import type { ClaimedRow } from "../../store/sources/outbox.ts";
import { type SubscriberUpsert, upsertSubscribers } from "../../store/subscribers/subscribers.ts";
import { type Batch, openBatch } from "../batch.ts";
import { cancelEvent } from "../run/cancel-event.ts";
import { acceptEvents } from "../trigger/accept.ts";
import type { EventPlace } from "../trigger/evaluation.ts";
import { storeAndStart } from "../trigger/trigger.ts";
import { readRow, type SourceEntry, takeBatch } from "./entries.ts";
import { type Refusal, setAsideRows } from "./refused.ts";

/** `sourceId`: where the rows come from. */
export type SourcePlace = EventPlace & { sourceId: string };

/** `done`: rows that were accepted or refused, and leave the outbox. The others follow with the next batch. */
export type AcceptedRows = { done: ClaimedRow[]; refused: number };

export async function acceptRows(tx: Ctx, place: SourcePlace, rows: ClaimedRow[]): Promise<AcceptedRows> {
  const entries = takeBatch(rows.map(readRow));
  const batch = await openBatch(tx, [place.environmentId]);
  const of = <K extends SourceEntry["kind"]>(kind: K) =>
    entries.filter((entry): entry is Extract<SourceEntry, { kind: K }> => entry.kind === kind);
  const refusals: Refusal[] = of("refused");
  refusals.push(...(await writeSubscribers(batch, place, of("subscriber"))));
  refusals.push(...(await startEvents(batch, place, of("trigger"))));
  for (const { transactionId } of of("cancel")) await cancelEvent(batch, place.environmentId, transactionId);
  await setAsideRows(batch, place, refusals);
  return { done: entries.map(({ row }) => row), refused: refusals.length };
}

async function startEvents(
  batch: Batch,
  place: SourcePlace,
  entries: Extract<SourceEntry, { kind: "trigger" }>[],
): Promise<Refusal[]> {
  if (entries.length === 0) return [];
  const requested = entries.map((entry) => ({ request: {}, ...entry }));
  const outcomes = await acceptEvents(batch, place, requested, { store: storeAndStart });
  return requested.flatMap(({ request, row }): Refusal[] => {
    const outcome = outcomes.get(request)!;
    if (outcome instanceof Failure) return [{ row, reason: outcome.message }];
    const { status, error = [] } = outcome[0]!.result;
    return status === "processed" ? [] : [{ row, reason: error.length > 0 ? error.join("; ") : status }];
  });
}

/** Later entries of a subscriber change the fields that they name. */
async function writeSubscribers(
  batch: Batch,
  { environmentId }: SourcePlace,
  entries: Extract<SourceEntry, { kind: "subscriber" }>[],
): Promise<Refusal[]> {
  if (entries.length === 0) return [];
  const merged = new Map<string, SubscriberUpsert>();
  for (const { subscriberId, fields } of entries) {
    const { id = batch.newId(), fields: before = {} } = merged.get(subscriberId) ?? {};
    merged.set(subscriberId, { id, subscriberId, fields: { ...before, ...definedMembers(fields) } });
  }
  const rows = await upsertSubscribers(batch.db, environmentId, { entries: [...merged.values()], now: batch.now() });
  const stored = new Set(rows.map((row) => row.subscriber_id));
  return entries.flatMap(({ row, subscriberId }) =>
    stored.has(subscriberId) ? [] : [{ row, reason: errorMessage("SUBSCRIBER_BEING_ERASED", { subscriberId }) }],
  );
}

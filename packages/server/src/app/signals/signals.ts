// Signals: stored, and handed to the runs that wait for them, in the transaction of the request.
import { type Input, maxSignalBytes, type Output, type SignalIn, type SignalResult } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { type FieldFaults, invalid } from "../../failure.ts";
import { isWithinBytes } from "../../lib/json.ts";
import { enqueueTimed } from "../../pipeline/clock/clock.ts";
import { wakeTasks } from "../../pipeline/clock/wakes.ts";
import { type NewSignal, recordSignals } from "../../store/signals/signals.ts";
import { findSubscribersByKeys } from "../../store/subscribers/subscribers.ts";
import { environmentClock } from "../environments/clock.ts";

export async function send(ctx: Ctx, caller: Caller, { body }: Input<"signals.send">): Promise<Output<"signals.send">> {
  refuseLargeData([body], () => "data");
  const [result] = await record(ctx, caller, [body]);
  return result!;
}

export async function sendBulk(
  ctx: Ctx,
  caller: Caller,
  { body: { signals } }: Input<"signals.sendBulk">,
): Promise<Output<"signals.sendBulk">> {
  refuseLargeData(signals, (index) => `signals.${index}.data`);
  return record(ctx, caller, signals);
}

function refuseLargeData(signals: SignalIn[], fieldOf: (index: number) => string): void {
  const faults: FieldFaults = {};
  for (const [index, { data }] of signals.entries()) {
    if (data === undefined || isWithinBytes(data, maxSignalBytes)) continue;
    const field = fieldOf(index);
    faults[field] = { messages: [`${field} must not be larger than ${maxSignalBytes / 1024} KB`] };
  }
  if (Object.keys(faults).length > 0) throw invalid(faults);
}

/** The subscribers of a signal, each once. */
const recipientsOf = ({ to }: SignalIn): string[] => [
  ...new Set((Array.isArray(to) ? to : [to]).map((one) => (typeof one === "string" ? one : one.subscriberId).trim())),
];

async function record(ctx: Ctx, caller: Caller, signals: SignalIn[]): Promise<SignalResult[]> {
  const { environmentId } = caller;
  const keys = [...new Set(signals.flatMap(recipientsOf))];
  const found = await findSubscribersByKeys(ctx.db, environmentId, keys);
  const ids = new Map(found.map((row) => [row.subscriber_id, row.id]));
  const clock = await environmentClock(ctx, caller);
  const now = clock.now(environmentId);
  const stored = signals.map((signal) => toRows(ctx, signal, ids, now));
  const rows = stored.flat();
  const reached = await recordSignals(ctx.db, environmentId, rows);
  const woken = [...new Set(reached.map(({ notification_id }) => notification_id))];
  await enqueueTimed({ ...ctx, clock }, "wake", wakeTasks({ environmentId, ids: woken }));
  return signals.map((signal, index): SignalResult => {
    const own = new Set(stored[index]!.map(({ id }) => id));
    const unknown = recipientsOf(signal).filter((key) => !ids.has(key));
    return {
      id: stored[index]![0]?.id ?? ctx.newId(),
      name: signal.name,
      at: now.toISOString(),
      reached: reached.filter(({ signal_id }) => own.has(signal_id)).length,
      ...(unknown.length > 0 && { unknownSubscribers: unknown }),
    };
  });
}

/** A row for each subscriber. */
const toRows = (ctx: Ctx, signal: SignalIn, ids: ReadonlyMap<string, string>, now: Date): NewSignal[] =>
  recipientsOf(signal).flatMap((key) => {
    const subscriberId = ids.get(key);
    if (subscriberId === undefined) return [];
    const { name, data = null } = signal;
    return [{ id: ctx.newId(), subscriber_id: subscriberId, name, key: signal.key ?? null, data, created_at: now }];
  });

// What a row of an outbox asks for, or why it cannot be read: pure.
import { isJsonObject, type JsonObject, operations, SubscriberIn, type TriggerEvent } from "@tidings/contract";
import { type ClaimedRow, marksOf, maxBodyBytes } from "../../store/sources/outbox.ts";
import { checkShape } from "../../validation.ts";

export type SourceEntry =
  | { kind: "trigger"; row: ClaimedRow; event: TriggerEvent }
  | { kind: "subscriber"; row: ClaimedRow; subscriberId: string; fields: JsonObject }
  | { kind: "cancel"; row: ClaimedRow; transactionId: string }
  | { kind: "refused"; row: ClaimedRow; reason: string };

const eventFaults = checkShape(operations["events.trigger"].body);
const subscriberFaults = checkShape(SubscriberIn);

export function readRow(row: ClaimedRow): SourceEntry {
  const refuse = (faults: string[]): SourceEntry => ({ kind: "refused", row, reason: faults.join("; ") });
  const { kind, transaction_id: transactionId, body, bytes } = row;
  if (typeof transactionId !== "string" || transactionId === "") return refuse(["transaction_id must not be empty"]);
  if (kind === "cancel") return { kind, row, transactionId };
  if (bytes > maxBodyBytes) return refuse([`body has ${bytes} bytes, the limit is ${maxBodyBytes}`]);
  if (!isJsonObject(body)) return refuse(["body must be a JSON object"]);
  if (kind === "trigger") {
    const event = { ...body, transactionId };
    const faults = eventFaults(event);
    return faults.length > 0 ? refuse(faults) : { kind, row, event: event as unknown as TriggerEvent };
  }
  if (kind === "subscriber") {
    const faults = subscriberFaults(body);
    const { subscriberId, ...fields } = body;
    return faults.length > 0 ? refuse(faults) : { kind, row, subscriberId: String(subscriberId).trim(), fields };
  }
  return refuse([`kind must be trigger, subscriber or cancel, not ${String(kind).slice(0, 50)}`]);
}

/** The order in which the entries of a batch are handled. */
const phases: Record<SourceEntry["kind"], number> = { refused: 0, subscriber: 0, trigger: 1, cancel: 2 };

/**
 * The first entries, as many as may be handled by phases without changing the order of those with the same key or
 * transaction id: a change of a subscriber that follows an event for the same key ends the batch.
 */
export function takeBatch(entries: SourceEntry[]): SourceEntry[] {
  const reached = new Map<string, number>();
  const end = entries.findIndex(({ kind, row }) => {
    if (kind === "refused") return false;
    const marks = marksOf(row);
    if (marks.some((mark) => phases[kind] < (reached.get(mark) ?? 0))) return true;
    for (const mark of marks) reached.set(mark, phases[kind]);
    return false;
  });
  return end < 0 ? entries : entries.slice(0, end);
}

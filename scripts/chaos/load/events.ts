// The requests that trigger events, and how their responses are read.
import type { PlannedEvent } from "../../auditor/evidence.ts";
import type { Wanted } from "./caller.ts";
import type { LoadEnvironment } from "./world.ts";

export type Plan = (
  environment: LoadEnvironment,
  workflowId: string,
  recipients: Pick<PlannedEvent, "to" | "topic" | "broadcast">,
) => PlannedEvent;

/** Numbers the events of the run. */
export function createPlan(): Plan {
  let number = 0;
  return ({ name }, workflowId, recipients) => ({
    ...{ text: `${name}-${workflowId}-${++number}`, workflowId },
    ...recipients,
  });
}

const bodyOf = ({ workflowId, text, to, topic }: PlannedEvent) => ({
  name: workflowId,
  to: topic ? { type: "Topic", topicKey: topic } : to.length === 1 ? to[0] : to,
  payload: { text },
});

type Results = { transactionId?: string; status: string }[];

/** A single result may be wrapped in `data`. The result of an event that was refused has no transaction id. */
function readResults(body: unknown) {
  const { data } = body as { data?: unknown };
  const results = [data ?? body].flat() as Results;
  const statuses = [...new Set(results.map(({ status }) => status))];
  return {
    transactionIds: results.map(({ transactionId }) => transactionId ?? ""),
    ...(statuses.join() !== "processed" && { answer: results.map(({ status }) => status) }),
  };
}

export function triggerOne(environment: LoadEnvironment, client: string, event: PlannedEvent): Wanted {
  const { name, to, payload } = bodyOf(event);
  const path = event.broadcast ? "/v1/events/trigger/broadcast" : "/v1/events/trigger";
  return {
    ...{ environment, client, method: "POST", path, events: [event], read: readResults },
    operation: event.broadcast ? "broadcast" : event.topic ? "topic" : "trigger",
    body: event.broadcast ? { name, payload } : { name, to, payload },
  };
}

/**
 * With an id of the client, by which the event is accepted once, and by which one that was refused can be explained.
 */
export function triggerWithId(environment: LoadEnvironment, client: string, event: PlannedEvent): Wanted {
  const wanted = triggerOne(environment, client, event);
  const transactionId = `own-${event.text}`;
  const read = (body: unknown) => {
    const results = readResults(body);
    return { ...results, transactionIds: results.transactionIds.map((id) => id || transactionId) };
  };
  return { ...wanted, hasNoKey: true, body: { ...(wanted.body as object), transactionId }, read };
}

export function triggerBulk(environment: LoadEnvironment, client: string, events: PlannedEvent[]): Wanted {
  const body = { events: events.map(bodyOf) };
  return {
    ...{ environment, client, operation: "bulk", method: "POST", path: "/v1/events/trigger/bulk" },
    ...{ body, events, read: readResults },
  };
}

export function cancelEvent(
  environment: LoadEnvironment,
  { text, transactionId }: { text: string; transactionId: string },
): Wanted {
  return {
    ...{ environment, client: "cancel", operation: "cancel", method: "DELETE" },
    path: `/v1/events/trigger/${encodeURIComponent(transactionId)}`,
    target: { text, transactionId },
    read: (body) => ({ answer: (body as { data?: boolean } | null)?.data ?? body }),
  };
}

export function retractEvent(
  environment: LoadEnvironment,
  { text, transactionId }: { text: string; transactionId: string },
): Wanted {
  return {
    ...{ environment, client: "retract", operation: "retract", method: "POST", path: "/v2/retractions" },
    ...{ body: { transactionId, reason: "sent by mistake" }, target: { text, transactionId } },
    read: (body) => ({ answer: (body as { _id: string })._id }),
  };
}

export function sendSignal(
  environment: LoadEnvironment,
  { signal, subscriberId, text }: { signal: string; subscriberId: string; text: string },
): Wanted {
  return {
    ...{ environment, client: "signal", operation: "signal", method: "POST", path: "/v2/signals" },
    ...{ body: { name: signal, to: subscriberId, key: text }, target: { signal, subscriberId, text } },
    read: (body) => ({ answer: (body as { reached: number }).reached }),
  };
}

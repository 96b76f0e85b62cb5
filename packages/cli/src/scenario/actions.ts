// What happens in a scenario: events, marks, reports of providers, signals. Each is a request that a product, an inbox
// or a provider would send.
import type { CallInput, Channel, ScenarioAction } from "@tidings/contract";
import { CliError } from "../failure.ts";
import { countOf } from "../output.ts";
import type { Stage } from "./environment.ts";
import { report } from "./reports.ts";

/** `nowMs`: the time of the test clock. */
export async function perform(stage: Stage, action: ScenarioAction, nowMs: number): Promise<void> {
  const { tidings } = stage;
  const { trigger, broadcast, cancel, seen, read, archive, signal, workflow, to } = action;
  const { payload, overrides, actor, context, tenant, transactionId } = action;
  const event = { overrides, actor, context, tenant, transactionId };
  if (trigger !== undefined) {
    const body = { name: trigger, to: to as CallInput<"events.trigger">["body"]["to"], payload, ...event };
    return refuseUnprocessed(trigger, await tidings.events.trigger({ body }));
  }
  if (broadcast !== undefined) {
    const body = { name: broadcast, payload: payload ?? {}, ...event };
    return refuseUnprocessed(broadcast, await tidings.events.broadcast({ body }));
  }
  if (signal !== undefined) return sendSignal(stage, signal, action);
  if (cancel !== undefined) return void (await tidings.events.cancel({ params: { transactionId: cancel } }));
  if (seen !== undefined) return mark(stage, seen, workflow, "seen");
  if (read !== undefined) return mark(stage, read, workflow, "read");
  if (archive !== undefined) return mark(stage, archive, workflow, "archive");
  for (const status of ["delivered", "clicked", "bounced"] as const) {
    const subscriberId = action[status];
    if (subscriberId === undefined) continue;
    const channel = action.channel ?? "email";
    const messageIds = await messagesOf(stage, { subscriberId, channel, workflow });
    await report(stage, { channel, messageIds, status, at: new Date(nowMs) });
  }
}

function refuseUnprocessed(workflow: string, { status, error = [] }: { status: string; error?: string[] }): void {
  if (status !== "processed")
    throw new CliError(`The event ${workflow} was not processed: ${[status, ...error].join("; ")}`);
}

async function sendSignal({ tidings }: Stage, name: string, { to, key, data, reached }: ScenarioAction): Promise<void> {
  const body = { name, to: to as CallInput<"signals.send">["body"]["to"], key, data };
  const result = await tidings.signals.send({ body });
  const [unknown] = result.unknownSubscribers ?? [];
  if (unknown !== undefined) throw new CliError(`The signal ${name} is for ${unknown}, who is not a subscriber.`);
  if (reached !== undefined && reached !== result.reached)
    throw new CliError(`The signal ${name} reached ${countOf(result.reached, "run")}, not ${reached}.`);
}

const maxMarked = 100;

type Selected = { subscriberId: string; channel: Channel; workflow: string | undefined };

async function messagesOf({ tidings }: Stage, { subscriberId, channel, workflow }: Selected, isUnread = false) {
  const { data } = await tidings.messages.list({ query: { subscriberId, channel, limit: maxMarked } });
  return data
    .filter(({ templateIdentifier }) => workflow === undefined || templateIdentifier === workflow)
    .filter(({ read }) => !(isUnread && read))
    .flatMap(({ _id }) => _id ?? []);
}

async function mark(
  stage: Stage,
  subscriberId: string,
  workflow: string | undefined,
  as: "seen" | "read" | "archive",
): Promise<void> {
  const { tidings } = stage;
  const ids = await messagesOf(stage, { subscriberId, channel: "in_app", workflow }, as !== "archive");
  if (ids.length === 0) return;
  const params = { subscriberId };
  if (as !== "archive")
    return void (await tidings.subscribers.markMessages({ params, body: { messageId: ids, markAs: as } }));
  for (const notificationId of ids)
    await tidings.subscriberNotifications.archive({ params: { subscriberId, notificationId } });
}

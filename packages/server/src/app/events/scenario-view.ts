// Rows of past events as a scenario. Times are counted from the first event.
import type { Scenario, ScenarioAction, ScenarioMessage, ScenarioSubscriber } from "@tidings/contract";
import { mapWithPauses } from "../../lib/load/pauses.ts";
import { htmlToText } from "../../pipeline/render/html-text.ts";
import type { EventRow } from "../../store/events/events.ts";
import type { ScenarioMessageRow } from "../../store/events/scenarios.ts";
import { withoutDefaults } from "../attention/read-budgets.ts";
import { toSignalAction } from "./scenarios/awaited-signals.ts";
import type { Happened } from "./scenarios/happened.ts";
import { isHandedOver, notesOn } from "./scenarios/notes.ts";

export async function buildScenario(given: Happened): Promise<{ scenario: Scenario; notes: string[] }> {
  const happened = inOrder(given);
  const start = startOf(happened);
  const subscribers = toSubscribers(happened);
  const topics = toTopics(happened);
  const scenario: Scenario = {
    name: nameOf(happened),
    given: {
      time: start.toISOString(),
      ...(subscribers.length > 0 && { subscribers }),
      ...(Object.keys(topics).length > 0 && { topics }),
      ...(happened.budgets.length > 0 && { attention: happened.budgets.map(withoutDefaults) }),
      ...(Object.keys(happened.requests.responses).length > 0 && { responses: happened.requests.responses }),
    },
    when: toActions(happened, start),
    ...(happened.isOpen && { until: formatOffset(wholeSeconds(+happened.now - +start)) }),
    // biome-ignore lint/suspicious/noThenProperty: a list, which nothing takes for a promise
    then: await toExpected(happened, start),
  };
  return { scenario, notes: notesOn(happened) };
}

const inOrder = (happened: Happened): Happened => ({
  ...happened,
  events: happened.events.toSorted((a, b) => +a.created_at - +b.created_at || (a.id < b.id ? -1 : 1)),
  // A push step has a message per device; in a scenario a subscriber has one device.
  messages: [...new Map(happened.messages.map((row) => [`${row.job_id} ${row.channel}`, row])).values()],
});

/** In real time, whole seconds are easier to read. */
const startOf = ({ events, isTestClock }: Happened): Date => {
  const first = events[0]!.created_at.getTime();
  return new Date(isTestClock ? first : Math.floor(first / 1_000) * 1_000);
};

function nameOf({ events, subscribers, versions }: Happened): string {
  const workflows = [...new Set(events.map((event) => workflowOf(versions, event)))];
  const [first] = subscribers;
  return `${workflows.slice(0, 3).join(", ")}${first ? ` to ${first.subscriber_id}` : ""}${subscribers.length > 1 ? ` and ${subscribers.length - 1} more` : ""}`;
}

const workflowOf = (versions: Happened["versions"], event: EventRow): string =>
  versions.get(event.workflow_version_id)!.definition.workflowId;

const sizes = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
  ["ms", 1],
] as const;

/** `+1d2h`. */
function formatOffset(ms: number): string {
  let left = Math.max(0, ms);
  const parts = sizes.map(([unit, size]) => {
    const count = Math.floor(left / size);
    left -= count * size;
    return count > 0 ? `${count}${unit}` : "";
  });
  return `+${parts.join("") || "0m"}`;
}

const wholeSeconds = (ms: number): number => Math.floor(ms / 1_000) * 1_000;

function toSubscribers({ subscribers, preferences, messages }: Happened): ScenarioSubscriber[] {
  const chosen = Map.groupBy(
    preferences.filter((row) => !row.has_context),
    (row) => row.subscriber_id,
  );
  const channelsOf = Map.groupBy(messages, (row) => row.subscriber_id);
  return subscribers.map((row) => {
    const own = chosen.get(row.id) ?? [];
    const choices = own
      .map(({ workflow, channels, digest_frequency }) => ({
        workflow,
        choice: { ...channels, ...(digest_frequency && { digestFrequency: digest_frequency }) },
      }))
      .filter(({ choice }) => Object.keys(choice).length > 0);
    const schedule = own.find(({ workflow }) => workflow === null)?.schedule;
    const reached = new Set((channelsOf.get(row.id) ?? []).map(({ channel }) => channel));
    const channels = (["chat"] as const).filter((channel) => reached.has(channel));
    return withoutNulls({
      subscriberId: row.subscriber_id,
      firstName: row.first_name,
      lastName: row.last_name,
      email: row.email,
      phone: row.phone,
      avatar: row.avatar,
      locale: row.locale,
      timezone: row.timezone,
      data: row.data,
      preferences:
        choices.length > 0
          ? Object.fromEntries(choices.map(({ workflow, choice }) => [workflow ?? "all", choice]))
          : null,
      schedule: schedule ?? null,
      channels: channels.length > 0 ? channels : null,
    }) as ScenarioSubscriber;
  });
}

const withoutNulls = (members: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined));

/** The members whose subscriptions let an event through. */
function toTopics(happened: Happened): Record<string, string[]> {
  const names = namesOf(happened);
  const members = happened.recipients.flatMap(({ subscriber_id, subscriptions }) =>
    (subscriptions ?? []).flatMap(({ topicKey }) => {
      const name = names.get(subscriber_id);
      return name === undefined ? [] : [{ topicKey, name }];
    }),
  );
  const byTopic = Map.groupBy(members, ({ topicKey }) => topicKey);
  return Object.fromEntries([...byTopic].map(([key, list]) => [key, [...new Set(list.map(({ name }) => name))]]));
}

function toActions(happened: Happened, start: Date): ScenarioAction[] {
  const { events, messages, signals, isTestClock } = happened;
  const since = (time: Date) => (isTestClock ? +time - +start : wholeSeconds(+time - +start));
  const timed: { ms: number; action: Omit<ScenarioAction, "at"> }[] = [];
  const ids = new Set(events.map(({ id }) => id));
  for (const event of events) {
    // What a step of another event started is started by it again; a roll-up always.
    const starter = event.started_by;
    const isStarted = starter !== null && (starter.rollUp !== undefined || ids.has(starter.eventId));
    if (!isStarted) timed.push({ ms: since(event.created_at), action: toTrigger(happened, event) });
    const canceledAt = canceledAtOf(happened, event);
    if (canceledAt) timed.push({ ms: since(canceledAt), action: { cancel: event.transaction_id } });
  }
  const names = namesOf(happened);
  for (const signal of signals) {
    const name = names.get(signal.subscriber_id);
    if (name !== undefined) timed.push({ ms: since(signal.created_at), action: toSignalAction(signal, name) });
  }
  const last = Math.max(...messages.map((row) => +row.created_at), 0);
  // Marks after the last message decided nothing.
  for (const mark of marksOf(happened)) {
    if (+mark.time <= last) timed.push({ ms: since(mark.time), action: mark.action });
  }
  return timed.sort((a, b) => a.ms - b.ms).map(({ ms, action }) => ({ at: formatOffset(ms), ...action }));
}

const canceledAtOf = ({ canceled }: Happened, event: EventRow): Date | null =>
  event.canceled_at ?? canceled.get(event.id) ?? null;

const namesOf = ({ subscribers }: Happened): ReadonlyMap<string, string> =>
  new Map(subscribers.map(({ id, subscriber_id }) => [id, subscriber_id]));

function marksOf(happened: Happened): { time: Date; action: Omit<ScenarioAction, "at"> }[] {
  const names = namesOf(happened);
  const marks = happened.messages
    .filter(({ channel }) => channel === "in_app")
    .flatMap(({ subscriber_id, workflow, seen_at, read_at, archived_at }) => {
      const name = names.get(subscriber_id);
      if (name === undefined || workflow === null) return [];
      const isSeenFirst = seen_at && (!read_at || seen_at < read_at);
      return [
        ...(isSeenFirst ? [{ time: seen_at, action: { seen: name, workflow } }] : []),
        ...(read_at ? [{ time: read_at, action: { read: name, workflow } }] : []),
        ...(archived_at ? [{ time: archived_at, action: { archive: name, workflow } }] : []),
      ];
    });
  return [...new Map(marks.map((mark) => [JSON.stringify(mark), mark])).values()];
}

function toTrigger(happened: Happened, event: EventRow): Omit<ScenarioAction, "at"> {
  const { payload, actor, context_keys, tenant, audience, transaction_id } = event;
  const workflow = workflowOf(happened.versions, event);
  const context = Object.fromEntries(
    context_keys.map((key) => [key.slice(0, key.indexOf(":")), key.slice(key.indexOf(":") + 1)]),
  );
  return {
    ...(audience?.kind === "everyone" ? { broadcast: workflow } : { trigger: workflow, to: addressedBy(event) }),
    ...(canceledAtOf(happened, event) && { transactionId: transaction_id }),
    ...(Object.keys(payload).length > 0 && { payload }),
    ...(actor?.subscriberId && { actor: actor.subscriberId }),
    ...(context_keys.length > 0 && { context }),
    ...(tenant && { tenant: tenantOf(happened, event) }),
  };
}

/** With name and data: the scenario runs in a new environment, which has no tenants. */
function tenantOf({ tenants }: Happened, { tenant, tenant_fields }: EventRow): Record<string, unknown> {
  const row = tenants.get(tenant!);
  const data = tenant_fields?.data ?? row?.data ?? {};
  return withoutNulls({
    identifier: tenant,
    name: tenant_fields?.name ?? row?.name ?? null,
    data: Object.keys(data).length > 0 ? data : null,
  });
}

function addressedBy({ recipients, audience }: EventRow): unknown {
  const named = recipients.flatMap(({ subscriberId }) => subscriberId ?? []);
  const topics =
    audience?.kind === "topics"
      ? audience.topicKeys.map((topicKey) => ({
          type: "Topic",
          topicKey,
          ...(audience.exclude.length > 0 && { exclude: audience.exclude }),
        }))
      : [];
  const audiences =
    audience?.kind === "audiences" ? audience.audienceIds.map((audienceId) => ({ type: "Audience", audienceId })) : [];
  const all = [...named, ...topics, ...audiences];
  return all.length === 1 ? all[0] : all;
}

async function toExpected(happened: Happened, start: Date): Promise<ScenarioMessage[]> {
  const names = namesOf(happened);
  const rows = happened.messages.filter((row) => isHandedOver(row) && names.has(row.subscriber_id));
  const inTime = rows.toSorted((a, b) => +a.created_at - +b.created_at);
  return mapWithPauses(inTime, (row) => ({
    to: names.get(row.subscriber_id)!,
    channel: row.channel,
    at: expectedTime(+row.created_at - +start, happened.isTestClock),
    ...(row.subject !== null && row.subject !== "" && { subject: row.subject }),
    ...expectedBody(row),
  }));
}

/** How late a message may be in real time: the work before it takes a moment. */
const latestMs = 5_000;

const expectedTime = (ms: number, isTestClock: boolean): ScenarioMessage["at"] =>
  isTestClock
    ? formatOffset(ms)
    : { from: formatOffset(wholeSeconds(ms - latestMs)), to: formatOffset(wholeSeconds(ms) + 1_000) };

const maxBodyLength = 500;
const maxPartLength = 200;

/** Emails have their own links in every run, such as the one to unsubscribe: a line of their text stands for them. */
function expectedBody({ channel, content }: ScenarioMessageRow): Pick<ScenarioMessage, "body"> {
  if (content === null || content === "") return {};
  if (channel !== "email")
    return { body: content.length <= maxBodyLength ? content : { contains: content.slice(0, maxPartLength) } };
  const lines = htmlToText(content)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.includes("://"));
  const [longest] = lines.toSorted((a, b) => b.length - a.length);
  return longest === undefined ? {} : { body: { contains: longest.slice(0, maxPartLength) } };
}

// Subscribers with their preferences, and topics with their members, page by page. After each page the cursor is kept, so that an
// interrupted import goes on where it was.
import type { Tidings } from "@tidings/client/source";
import type { Subscriber, SubscriberPreferences, Subscription, Topic } from "@tidings/contract";
import { count, type ImportReport } from "./report.ts";
import { cursorOf, listOf, type Source, unwrap } from "./source.ts";

export type Progress = { subscribers?: string; topics?: string; done: string[] };
type Import = {
  source: Source;
  target: Tidings;
  report: ImportReport;
  progress: Progress;
  /** Called after each page. */
  keep(): void;
  signal: AbortSignal;
};

const perPage = 100;
/** Requests for preferences at once: the other installation serves its users meanwhile. */
const atOnce = 5;

export async function importSubscribers(given: Import): Promise<void> {
  const { source, target, report, progress, keep, signal } = given;
  for (;;) {
    signal.throwIfAborted();
    const query = { limit: perPage, after: progress.subscribers, orderDirection: "ASC" as const };
    const answer = await source.subscribers.list({ query });
    const people = listOf<Subscriber>(answer, "subscribers");
    if (people.length > 0) {
      const { created, updated, failed } = await target.subscribers.createBulk({
        body: { subscribers: people.map(fieldsOf) },
      });
      count(report.created, "subscribers", created?.length ?? 0);
      count(report.updated, "subscribers", updated?.length ?? 0);
      for (const one of failed ?? [])
        report.byHand.push(`subscriber ${one.subscriberId ?? ""}: ${one.message ?? "refused"}`);
      for (let at = 0; at < people.length; at += atOnce)
        await Promise.all(people.slice(at, at + atOnce).map((one) => importPreferences(given, one.subscriberId)));
    }
    const next = cursorOf(answer);
    if (next === null) return;
    progress.subscribers = next;
    keep();
  }
}

function fieldsOf(person: Subscriber): Record<string, unknown> {
  const { subscriberId, firstName, lastName, email, phone, avatar, locale, timezone, data } = person;
  const fields = { firstName, lastName, email, phone, avatar, locale, timezone, data };
  const given = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined && value !== "");
  return { subscriberId, ...Object.fromEntries(given) };
}

/** Only what the subscriber chose: what a workflow says comes with the workflow. */
async function importPreferences({ source, target, report }: Import, subscriberId: string): Promise<void> {
  const params = { subscriberId };
  const { global, workflows } = unwrap(
    await source.subscribers.retrievePreferences({ params }),
  ) as SubscriberPreferences;
  const refused = Object.fromEntries(Object.entries(global?.channels ?? {}).filter(([, isOn]) => isOn === false));
  const { schedule } = global ?? {};
  if (Object.keys(refused).length > 0 || schedule) {
    await target.subscribers.updatePreferences({ params, body: { channels: refused, ...(schedule && { schedule }) } });
    count(report.updated, "preferences");
  }
  for (const { channels, overrides = [], workflow } of workflows ?? []) {
    const own = overrides.filter(({ source: level }) => level === "subscriber").map(({ channel }) => channel);
    const chosen = Object.fromEntries(Object.entries(channels).filter(([name]) => own.includes(name as never)));
    if (Object.keys(chosen).length === 0) continue;
    const body = { workflowId: workflow.identifier, channels: chosen };
    await target.subscribers.updatePreferences({ params, body }).then(
      () => count(report.updated, "preferences"),
      (error: Error) =>
        report.byHand.push(`preference of ${subscriberId} for ${workflow.identifier}: ${error.message}`),
    );
  }
}

export async function importTopics(given: Import): Promise<void> {
  const { source, report, progress, keep, signal } = given;
  for (;;) {
    signal.throwIfAborted();
    const query = { limit: perPage, after: progress.topics, orderDirection: "ASC" as const };
    const answer = await source.topics.list({ query });
    for (const topic of listOf<Topic>(answer, "topics")) {
      await importMembers(given, topic);
      count(report.updated, "topics");
    }
    const next = cursorOf(answer);
    if (next === null) return;
    progress.topics = next;
    keep();
  }
}

async function importMembers({ source, target, report, signal }: Import, { key, name }: Topic): Promise<void> {
  const params = { topicKey: key };
  let after: string | undefined;
  await target.topics.create({ body: { key, ...(name && { name }) } });
  for (;;) {
    signal.throwIfAborted();
    const answer = await source.topicSubscriptions.list({ params, query: { limit: perPage, after } });
    const subscriptions = listOf<Subscription>(answer, "subscriptions");
    const members = subscriptions.flatMap(({ subscriber }) => subscriber?.subscriberId ?? []);
    if (subscriptions.some(({ contextKeys }) => (contextKeys?.length ?? 0) > 0))
      report.changed.push(`topic ${key}: subscriptions with contexts came over without them`);
    if (members.length > 0) {
      const { errors = [] } = await target.topicSubscriptions.create({
        params,
        body: { subscriptions: [...new Set(members)] },
      });
      count(report.updated, "subscriptions", members.length - errors.length);
      for (const one of errors) report.byHand.push(`topic ${key}, ${one.subscriberId}: ${one.message}`);
    }
    const next = cursorOf(answer);
    if (next === null) return;
    after = next;
  }
}

// Subscribers with their preferences, and topics with their members, page by page. After each page the cursor is kept,
// so that an interrupted import continues where it was.
import type { CallInput, Integration, Subscriber, Subscription, Topic } from "@tidings/contract";
import { importPreferences } from "./preferences.ts";
import { count, noteOnce } from "./report.ts";
import { attempt, findOrNull, isSame, withoutNulls } from "./requests.ts";
import { cursorOf, type Import, listOf } from "./source.ts";

export type Progress = { subscribers?: string; topics?: string; done: string[] };
type PagedImport = Import & {
  progress: Progress;
  /** Called after each page. */
  keep(): void;
  signal: AbortSignal;
};

const perPage = 100;
/** Requests at once: the other installation serves its users meanwhile. */
const atOnce = 5;

export async function importSubscribers(given: PagedImport): Promise<void> {
  const { source, target, report, progress, keep, signal } = given;
  const integrations = listOf<Integration>(await source.integrations.list(), "integrations");
  const identifiers = new Map(integrations.map(({ _id, identifier }) => [_id, identifier]));
  for (;;) {
    signal.throwIfAborted();
    const query = { limit: perPage, after: progress.subscribers, orderDirection: "ASC" as const };
    const answer = await source.subscribers.list({ query });
    const subscribers = listOf<Subscriber>(answer, "subscribers");
    const former = new Map<string, Subscriber | null>();
    await forEachOf(subscribers, async ({ subscriberId }) => {
      former.set(subscriberId, await findOrNull(() => target.subscribers.retrieve({ params: { subscriberId } })));
    });
    const different = subscribers.filter((one) => !hasFields(former.get(one.subscriberId), one));
    count(report.unchanged, "subscribers", subscribers.length - different.length);
    const refused = new Set(different.length > 0 ? await writeSubscribers(given, different) : []);
    await forEachOf(subscribers, async (one) => {
      if (refused.has(one.subscriberId)) return;
      await importPreferences(given, one.subscriberId);
      await importCredentials(given, one, former.get(one.subscriberId) ?? null, identifiers);
    });
    const next = cursorOf(answer);
    if (next === null) return;
    progress.subscribers = next;
    keep();
  }
}

async function forEachOf<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += atOnce) await Promise.all(items.slice(at, at + atOnce).map(act));
}

/** The ids of subscribers that the target refuses. */
async function writeSubscribers({ target, report }: Import, subscribers: Subscriber[]): Promise<string[]> {
  const answer = await target.subscribers.createBulk({ body: { subscribers: subscribers.map(fieldsOf) } });
  count(report.created, "subscribers", answer.created?.length ?? 0);
  count(report.updated, "subscribers", answer.updated?.length ?? 0);
  for (const one of answer.failed ?? [])
    report.byHand.push(`subscriber ${one.subscriberId ?? ""}: ${one.message ?? "refused"}`);
  return (answer.failed ?? []).flatMap(({ subscriberId }) => subscriberId ?? []);
}

function fieldsOf(subscriber: Subscriber): Record<string, unknown> & { subscriberId: string } {
  const { subscriberId, firstName, lastName, email, phone, avatar, locale, timezone, data } = subscriber;
  const fields = withoutNulls({ firstName, lastName, email, phone, avatar, locale, timezone, data });
  return { subscriberId, ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== "")) };
}

function hasFields(former: Subscriber | null | undefined, subscriber: Subscriber): boolean {
  if (!former) return false;
  const stored: Record<string, unknown> = fieldsOf(former);
  return Object.entries(fieldsOf(subscriber)).every(([name, value]) => isSame(value, stored[name]));
}

/** Device tokens and webhook addresses of chat and push. They need the integration, which came over before. */
async function importCredentials(
  { target, report }: Import,
  { subscriberId, channels = [] }: Subscriber,
  former: Subscriber | null,
  identifiers: ReadonlyMap<string | undefined, string>,
): Promise<void> {
  for (const entry of channels) {
    const { providerId, _integrationId } = entry;
    const integrationIdentifier = entry.integrationIdentifier ?? identifiers.get(_integrationId);
    const { deviceTokens = [], ...addresses } = withoutNulls(entry.credentials ?? {}) as typeof entry.credentials;
    const given = Object.entries(addresses).filter(([, value]) => typeof value === "string" && !/^\**$/.test(value));
    const credentials = { ...Object.fromEntries(given), ...(deviceTokens.length > 0 && { deviceTokens }) };
    if (Object.keys(credentials).length === 0) continue;
    const stored = former?.channels?.find((one) => one.integrationIdentifier === integrationIdentifier)?.credentials;
    const hasTokens = deviceTokens.every((token) => stored?.deviceTokens?.includes(token));
    if (
      stored &&
      hasTokens &&
      given.every(([name, value]) => isSame(value, (stored as Record<string, unknown>)[name]))
    ) {
      count(report.unchanged, "credentials");
      continue;
    }
    const body = { providerId, integrationIdentifier, credentials };
    const isDone = await attempt(report, `${providerId} of subscriber ${subscriberId}`, () =>
      target.subscribers.appendCredentials({
        params: { subscriberId },
        body,
      } as CallInput<"subscribers.appendCredentials">),
    );
    if (isDone) count(report.updated, "credentials");
  }
}

export async function importTopics(given: PagedImport): Promise<void> {
  const { source, progress, keep, signal } = given;
  for (;;) {
    signal.throwIfAborted();
    const query = { limit: perPage, after: progress.topics, orderDirection: "ASC" as const };
    const answer = await source.topics.list({ query });
    for (const topic of listOf<Topic>(answer, "topics")) {
      const isNew = await writeTopic(given, topic);
      await importMembers(given, topic, isNew ? new Set() : await readMembers(given, topic));
    }
    const next = cursorOf(answer);
    if (next === null) return;
    progress.topics = next;
    keep();
  }
}

/** Whether the topic is new here. */
async function writeTopic({ target, report }: Import, { key, name }: Topic): Promise<boolean> {
  const former = await findOrNull(() => target.topics.retrieve({ params: { topicKey: key } }));
  if (former && (!name || former.name === name)) count(report.unchanged, "topics");
  else {
    await target.topics.create({ body: { key, ...(name && { name }) } });
    count(former ? report.updated : report.created, "topics");
  }
  return former === null;
}

type Members = ReadonlySet<string>;

async function readMembers({ target, signal }: PagedImport, { key }: Topic): Promise<Members> {
  const members = new Set<string>();
  for (let after: string | undefined; ; ) {
    signal.throwIfAborted();
    const query = { limit: perPage, after };
    const { data, next } = await target.topicSubscriptions.list({ params: { topicKey: key }, query });
    for (const { subscriber } of data) members.add(subscriber.subscriberId);
    if (!next) return members;
    after = next;
  }
}

async function importMembers(
  { source, target, report, signal }: PagedImport,
  { key }: Topic,
  present: Members,
): Promise<void> {
  const params = { topicKey: key };
  for (let after: string | undefined; ; ) {
    signal.throwIfAborted();
    const answer = await source.topicSubscriptions.list({ params, query: { limit: perPage, after } });
    const subscriptions = listOf<Subscription>(answer, "subscriptions");
    const members = [...new Set(subscriptions.flatMap(({ subscriber }) => subscriber?.subscriberId ?? []))];
    if (subscriptions.some(({ contextKeys }) => (contextKeys?.length ?? 0) > 0))
      noteOnce(report, `topic ${key}: subscriptions with contexts came over without them`);
    if (subscriptions.some(({ preferences }) => (preferences?.length ?? 0) > 0))
      noteOnce(report, `topic ${key}: subscriptions with conditions per workflow came over without them`);
    const missing = members.filter((subscriberId) => !present.has(subscriberId));
    count(report.unchanged, "subscriptions", members.length - missing.length);
    if (missing.length > 0) {
      const { errors = [] } = await target.topicSubscriptions.create({ params, body: { subscriptions: missing } });
      count(report.created, "subscriptions", missing.length - errors.length);
      for (const one of errors) report.byHand.push(`topic ${key}, ${one.subscriberId}: ${one.message}`);
    }
    const next = cursorOf(answer);
    if (next === null) return;
    after = next;
  }
}

// The subscribers that events name as recipients or actor: created, or updated with the fields given. Each table takes
// a fixed number of statements per environment, whatever the number of recipients.
import type { Ctx } from "../../context.ts";
import { canonicalJson } from "../../lib/json.ts";
import type { NewEvent } from "../../store/events/events.ts";
import { listIntegrations } from "../../store/integrations/integrations.ts";
import {
  findSubscribersByKeys,
  lockSubscribersByKeys,
  newSubscriber,
  type RecipientRow,
  type SubscriberFields,
  type SubscriberUpsert,
  setChannelsOfMany,
  upsertSubscribers,
  withFields,
} from "../../store/subscribers/subscribers.ts";
import type { StoredChannel, StoredRecipient } from "../../store/tables.ts";
import { openRecipient, sealChannel } from "../encrypted-parts.ts";
import { channelEntries, mergeRecipientChannels, type RecipientChannel } from "../rules/subscriber-channels.ts";

type NamedRecipients = { event: NewEvent; recipients?: StoredRecipient[]; members?: { subscriber: RecipientRow }[] };

/** Finds a subscriber that the event names, as the event left it. */
type FindRecipient = (
  event: Pick<NewEvent, "id" | "environment_id">,
  subscriberId: string | undefined,
) => RecipientRow | null;

/**
 * `findMember`: a member of the event's audience as the events before it left it; it was read before they were written.
 */
export type Recipients = {
  findRecipient: FindRecipient;
  findMember(event: Pick<NewEvent, "id" | "environment_id">, subscriber: RecipientRow): RecipientRow;
};

type GivenData = { fields: SubscriberFields; channels: RecipientChannel[] };

/**
 * The fields and channels that the events give for one subscriber; later events override earlier ones. `byEvent`: what
 * each event gave, in order.
 */
type GivenForSubscriber = GivenData & { byEvent: EventGiven[] };

type EventGiven = GivenData & { eventId: string };

type GivenInEnvironment = Map<string, GivenForSubscriber>;

/** Subscribers by subscriber id. `ofEvents`: as an event left them where a later one changed them, by `eventName`. */
type Upserted = { rows: Map<string, RecipientRow>; ofEvents: Map<string, RecipientRow> };

const noRecipients: Upserted = { rows: new Map(), ofEvents: new Map() };

const eventName = (eventId: string, subscriberId: string): string => `${eventId} ${subscriberId}`;

/** Most recipients exist and are unchanged, so the common case is one read. */
export async function upsertRecipients(ctx: Ctx, starts: NamedRecipients[]): Promise<Recipients> {
  const environments = new Map<string, Upserted>();
  const all = collectGiven(ctx, starts);
  // One round per environment in the batch, not per recipient; sorted, so that two batches cannot deadlock.
  for (const [environmentId, given] of [...all].sort(([a], [b]) => (a < b ? -1 : 1))) {
    environments.set(environmentId, await upsertInEnvironment(ctx, environmentId, given));
  }
  const findRecipient: FindRecipient = (event, subscriberId = "") => {
    const { rows, ofEvents } = environments.get(event.environment_id) ?? noRecipients;
    const ofEvent = ofEvents.size > 0 ? ofEvents.get(eventName(event.id, subscriberId)) : undefined;
    return ofEvent ?? rows.get(subscriberId) ?? null;
  };
  const findMember: Recipients["findMember"] = (event, subscriber) => {
    const given = all.get(event.environment_id)?.get(subscriber.subscriber_id);
    const isGivenBefore = given?.byEvent.some(({ eventId }) => eventId === event.id);
    return (isGivenBefore && findRecipient(event, subscriber.subscriber_id)) || subscriber;
  };
  return { findRecipient, findMember };
}

/** The subscribers as `upsertRecipients` would leave them. Nothing is written. */
export async function previewRecipients(
  ctx: Ctx,
  environmentId: string,
  starts: NamedRecipients[],
): Promise<Recipients & { created: ReadonlySet<string> }> {
  const given: GivenInEnvironment = collectGiven(ctx, starts).get(environmentId) ?? new Map();
  const stored = await findSubscribersByKeys(ctx.db, environmentId, [...given.keys()]);
  const rows = new Map(stored.map((row) => [row.subscriber_id, row]));
  const merge = await createChannelMerge(ctx, environmentId, given);
  for (const [subscriberId, { fields, channels }] of given) {
    const before = rows.get(subscriberId) ?? newSubscriber(environmentId, ctx.newId(), subscriberId, ctx.now());
    const row = withFields(before, fields);
    rows.set(subscriberId, { ...row, channels: merge?.(channels, row) ?? row.channels });
  }
  const existing = new Set(stored.map((row) => row.subscriber_id));
  const created = new Set([...given.keys()].filter((id) => !existing.has(id)));
  return {
    findRecipient: (_event, subscriberId) => rows.get(subscriberId ?? "") ?? null,
    findMember: (_event, subscriber) => subscriber,
    created,
  };
}

function collectGiven({ secrets }: Ctx, starts: NamedRecipients[]): Map<string, GivenInEnvironment> {
  const all = new Map<string, GivenInEnvironment>();
  for (const { event, recipients = [], members = [] } of starts) {
    const inEnvironment: GivenInEnvironment = all.get(event.environment_id) ?? new Map();
    all.set(event.environment_id, inEnvironment);
    for (const stored of event.actor ? [...recipients, event.actor] : recipients) {
      if (stored.isErased) continue;
      const { subscriberId, channels = [], ...fields } = openRecipient(secrets, stored);
      const given = { eventId: event.id, fields, channels };
      const before = inEnvironment.get(subscriberId!);
      if (!before) {
        inEnvironment.set(subscriberId!, { fields, channels, byEvent: [given] });
        continue;
      }
      const last = before.byEvent.at(-1)!;
      if (last.eventId === event.id) Object.assign(last, addGiven(last, given));
      else before.byEvent.push(given);
      Object.assign(before, addGiven(before, given));
    }
    for (const { subscriber } of inEnvironment.size > 0 ? members : []) {
      const byEvent = inEnvironment.get(subscriber.subscriber_id)?.byEvent;
      if (byEvent && byEvent.at(-1)?.eventId !== event.id)
        byEvent.push({ eventId: event.id, fields: {}, channels: [] });
    }
  }
  return all;
}

const addGiven = (before: GivenData, { fields, channels }: GivenData): GivenData => ({
  fields: { ...before.fields, ...fields },
  channels: [...before.channels, ...channels],
});

async function upsertInEnvironment(ctx: Ctx, environmentId: string, given: GivenInEnvironment): Promise<Upserted> {
  const stored = await findSubscribersByKeys(ctx.db, environmentId, [...given.keys()]);
  const rows = new Map(stored.map((row) => [row.subscriber_id, row]));
  const before = new Map(rows);
  const upserts: SubscriberUpsert[] = [];
  for (const [subscriberId, { fields }] of given) {
    const row = rows.get(subscriberId);
    if (!row || isDifferent(row, fields)) upserts.push({ id: ctx.newId(), subscriberId, fields });
  }
  const merge = await createChannelMerge(ctx, environmentId, given);
  const mergeFor = (id: string, row: RecipientRow | null) => merge?.(given.get(id)?.channels ?? [], row) ?? null;
  const changing = merge ? [...given.keys()].filter((id) => mergeFor(id, rows.get(id) ?? null)) : [];
  const locked = await lockForChannels(ctx, environmentId, upserts, changing);
  for (const row of await upsertSubscribers(ctx.db, environmentId, { entries: upserts, now: ctx.now() }))
    rows.set(row.subscriber_id, row);
  const changed = locked.flatMap((row) => {
    const channels = mergeFor(row.subscriber_id, row);
    return channels ? [{ id: row.id, subscriberId: row.subscriber_id, channels }] : [];
  });
  await setChannelsOfMany(ctx.db, environmentId, changed, ctx.now());
  for (const { subscriberId, channels } of changed) {
    rows.set(subscriberId, { ...rows.get(subscriberId)!, channels });
  }
  const channelsBefore = new Map(locked.map((row) => [row.subscriber_id, row.channels]));
  const ofEvents = new Map<string, RecipientRow>();
  for (const [subscriberId, { byEvent }] of given) {
    const stored = rows.get(subscriberId);
    if (!stored || !isContested(byEvent)) continue;
    const { id } = stored;
    let row = before.get(subscriberId) ?? newSubscriber(environmentId, id, subscriberId, ctx.now());
    row = { ...row, id, channels: channelsBefore.get(subscriberId) ?? row.channels };
    for (const { eventId, fields, channels } of byEvent) {
      row = withFields(row, fields);
      row = { ...row, channels: merge?.(channels, row) ?? row.channels };
      ofEvents.set(eventName(eventId, subscriberId), row);
    }
  }
  return { rows, ofEvents };
}

const isGiven = (value: unknown): boolean => value !== undefined;

/** Whether events after the first one give something for the subscriber: the earlier ones must not see it. */
function isContested(byEvent: readonly EventGiven[]): boolean {
  return byEvent.slice(1).some(({ fields, channels }) => channels.length > 0 || Object.values(fields).some(isGiven));
}

/**
 * Null when no recipient has channels; else a function that returns the merged channels, or null when they do not
 * change.
 */
async function createChannelMerge({ db, secrets }: Ctx, environmentId: string, given: GivenInEnvironment) {
  if (![...given.values()].some(({ channels }) => channels.length > 0)) return null;
  const integrations = await listIntegrations(db, environmentId);
  return (channels: RecipientChannel[], row: RecipientRow | null): StoredChannel[] | null => {
    if (channels.length === 0) return null;
    const before = channelEntries(secrets, row);
    const after = mergeRecipientChannels(before, channels, integrations);
    return canonicalJson(after) === canonicalJson(before) ? null : after.map((entry) => sealChannel(secrets, entry));
  };
}

/**
 * Channels are merged with the stored ones, so the rows are locked between the read and the write. New subscribers are
 * inserted first; then all rows are locked in one statement, in the order that updates of subscribers use, so that two
 * batches cannot deadlock.
 */
async function lockForChannels(
  ctx: Ctx,
  environmentId: string,
  upserts: SubscriberUpsert[],
  changing: string[],
): Promise<RecipientRow[]> {
  if (changing.length === 0) return [];
  await upsertSubscribers(ctx.db, environmentId, { entries: upserts, now: ctx.now(), options: { keepExisting: true } });
  const keys = new Set([...upserts.map((entry) => entry.subscriberId), ...changing]);
  return lockSubscribersByKeys(ctx.db, environmentId, [...keys]);
}

function isDifferent(row: RecipientRow, fields: SubscriberFields): boolean {
  const differs = (value: unknown, stored: unknown) => value !== undefined && value !== stored;
  return (
    differs(fields.firstName, row.first_name) ||
    differs(fields.lastName, row.last_name) ||
    differs(fields.email, row.email) ||
    differs(fields.phone, row.phone) ||
    differs(fields.avatar, row.avatar) ||
    differs(fields.locale, row.locale) ||
    differs(fields.timezone, row.timezone) ||
    (fields.data !== undefined && JSON.stringify(fields.data) !== JSON.stringify(row.data))
  );
}

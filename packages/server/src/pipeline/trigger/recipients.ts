// Bringing in the people that events name: created or updated with the fields given, each table in a few statements
// however many there are.
import type { Ctx } from "../../context.ts";
import { canonicalJson } from "../../lib/json.ts";
import type { EventRow } from "../../store/events/events.ts";
import { listIntegrations } from "../../store/integrations/integrations.ts";
import {
  findSubscribersByKeys,
  lockSubscribersByKeys,
  newSubscriber,
  type SubscriberFields,
  type SubscriberRow,
  type SubscriberUpsert,
  setChannelsOfMany,
  upsertSubscribers,
  withFields,
} from "../../store/subscribers/subscribers.ts";
import type { StoredChannel, StoredRecipient } from "../../store/tables.ts";
import { openRecipient, sealChannel } from "../encrypted-parts.ts";
import { type RecipientChannel, withRecipientChannels } from "../rules/channel-entries.ts";
import { entriesOf } from "../rules/contact.ts";

type Naming = { event: EventRow; recipients?: StoredRecipient[] };

/** Everyone who was named, by environment and subscriber id. */
export type People = (environmentId: string, subscriberId: string | undefined) => SubscriberRow | null;

/** What the events say about one person, in their order. */
type Wanted = { fields: SubscriberFields; channels: RecipientChannel[] };

/** Most recipients are known and unchanged, so the common case is one read. */
export async function bringInSubscribers(ctx: Ctx, starts: Naming[]): Promise<People> {
  const people = new Map<string, Map<string, SubscriberRow>>();
  // One round per environment in the batch, not per recipient; in order, so that two batches cannot wait for each other.
  for (const [environmentId, wanted] of [...collect(ctx, starts)].sort(([a], [b]) => (a < b ? -1 : 1))) {
    people.set(environmentId, await bringIn(ctx, environmentId, wanted));
  }
  return (environmentId, subscriberId) => people.get(environmentId)?.get(subscriberId ?? "") ?? null;
}

/** The people as `bringInSubscribers` would leave them. Nothing is written. */
export async function imagineSubscribers(
  ctx: Ctx,
  environmentId: string,
  starts: Naming[],
): Promise<{ people: People; created: ReadonlySet<string> }> {
  const wanted = collect(ctx, starts).get(environmentId) ?? new Map<string, Wanted>();
  const known = await findSubscribersByKeys(ctx.db, environmentId, [...wanted.keys()]);
  const people = new Map(known.map((row) => [row.subscriber_id, row]));
  const merge = await channelMerge(ctx, environmentId, wanted);
  for (const [subscriberId, { fields }] of wanted) {
    const before = people.get(subscriberId) ?? newSubscriber(environmentId, ctx.newId(), subscriberId, ctx.now());
    const row = withFields(before, fields);
    people.set(subscriberId, { ...row, channels: merge?.(subscriberId, row) ?? row.channels });
  }
  const isKnown = new Set(known.map((row) => row.subscriber_id));
  const created = new Set([...wanted.keys()].filter((id) => !isKnown.has(id)));
  return { people: (_environmentId, subscriberId) => people.get(subscriberId ?? "") ?? null, created };
}

function collect({ secrets }: Ctx, starts: Naming[]): Map<string, Map<string, Wanted>> {
  const all = new Map<string, Map<string, Wanted>>();
  for (const { event, recipients = [] } of starts) {
    const inEnvironment = all.get(event.environment_id) ?? new Map<string, Wanted>();
    all.set(event.environment_id, inEnvironment);
    for (const stored of event.actor ? [...recipients, event.actor] : recipients) {
      const { subscriberId, channels = [], ...fields } = openRecipient(secrets, stored);
      const before = inEnvironment.get(subscriberId!);
      inEnvironment.set(subscriberId!, {
        fields: { ...before?.fields, ...fields },
        channels: [...(before?.channels ?? []), ...channels],
      });
    }
  }
  return all;
}

async function bringIn(
  ctx: Ctx,
  environmentId: string,
  wanted: Map<string, Wanted>,
): Promise<Map<string, SubscriberRow>> {
  const known = await findSubscribersByKeys(ctx.db, environmentId, [...wanted.keys()]);
  const people = new Map(known.map((row) => [row.subscriber_id, row]));
  const upserts: SubscriberUpsert[] = [];
  for (const [subscriberId, { fields }] of wanted) {
    const row = people.get(subscriberId);
    if (!row || isDifferent(row, fields)) upserts.push({ id: ctx.newId(), subscriberId, fields });
  }
  const merge = await channelMerge(ctx, environmentId, wanted);
  const merging = merge ? [...wanted.keys()].filter((id) => merge(id, people.get(id) ?? null)) : [];
  const locked = await lockForChannels(ctx, environmentId, upserts, merging);
  for (const row of await upsertSubscribers(ctx.db, environmentId, upserts, ctx.now()))
    people.set(row.subscriber_id, row);
  const changed = locked.flatMap((row) => {
    const channels = merge?.(row.subscriber_id, row);
    return channels ? [{ id: row.id, subscriberId: row.subscriber_id, channels }] : [];
  });
  await setChannelsOfMany(ctx.db, environmentId, changed, ctx.now());
  for (const { subscriberId, channels } of changed) {
    people.set(subscriberId, { ...people.get(subscriberId)!, channels });
  }
  return people;
}

/** Null when nobody comes with channels; else the channels a person gets, or null when they stay as they are. */
async function channelMerge({ db, secrets }: Ctx, environmentId: string, wanted: Map<string, Wanted>) {
  if (![...wanted.values()].some(({ channels }) => channels.length > 0)) return null;
  const integrations = await listIntegrations(db, environmentId);
  return (subscriberId: string, row: SubscriberRow | null): StoredChannel[] | null => {
    const { channels } = wanted.get(subscriberId)!;
    if (channels.length === 0) return null;
    const before = entriesOf(secrets, row);
    const after = withRecipientChannels(before, channels, integrations);
    return canonicalJson(after) === canonicalJson(before) ? null : after.map((entry) => sealChannel(secrets, entry));
  };
}

/**
 * Channels are merged with what is stored, so nobody may change it in between. New people are made first and everyone
 * else is then locked at once, in the order that updates of subscribers keep, so that two batches cannot wait for each
 * other.
 */
async function lockForChannels(
  ctx: Ctx,
  environmentId: string,
  upserts: SubscriberUpsert[],
  merging: string[],
): Promise<SubscriberRow[]> {
  if (merging.length === 0) return [];
  await upsertSubscribers(ctx.db, environmentId, upserts, ctx.now(), { keepExisting: true });
  const keys = new Set([...upserts.map((entry) => entry.subscriberId), ...merging]);
  return lockSubscribersByKeys(ctx.db, environmentId, [...keys]);
}

function isDifferent(row: SubscriberRow, fields: SubscriberFields): boolean {
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

// The subscribers that events name as recipients or actor: created, or updated with the fields given. Each table takes a
// fixed number of statements per environment, whatever the number of recipients.
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

type NamedRecipients = { event: NewEvent; recipients?: StoredRecipient[] };

/** Finds a named subscriber by environment and subscriber id. */
export type FindRecipient = (environmentId: string, subscriberId: string | undefined) => RecipientRow | null;

/** The fields and channels that the events give for one subscriber; later events override earlier ones. */
type GivenData = { fields: SubscriberFields; channels: RecipientChannel[] };

/** Most recipients exist and are unchanged, so the common case is one read. */
export async function upsertRecipients(ctx: Ctx, starts: NamedRecipients[]): Promise<FindRecipient> {
  const rows = new Map<string, Map<string, RecipientRow>>();
  // One round per environment in the batch, not per recipient; sorted, so that two batches cannot deadlock.
  for (const [environmentId, given] of [...collectGiven(ctx, starts)].sort(([a], [b]) => (a < b ? -1 : 1))) {
    rows.set(environmentId, await upsertInEnvironment(ctx, environmentId, given));
  }
  return (environmentId, subscriberId) => rows.get(environmentId)?.get(subscriberId ?? "") ?? null;
}

/** The subscribers as `upsertRecipients` would leave them. Nothing is written. */
export async function previewRecipients(
  ctx: Ctx,
  environmentId: string,
  starts: NamedRecipients[],
): Promise<{ findRecipient: FindRecipient; created: ReadonlySet<string> }> {
  const given = collectGiven(ctx, starts).get(environmentId) ?? new Map<string, GivenData>();
  const stored = await findSubscribersByKeys(ctx.db, environmentId, [...given.keys()]);
  const rows = new Map(stored.map((row) => [row.subscriber_id, row]));
  const merge = await createChannelMerge(ctx, environmentId, given);
  for (const [subscriberId, { fields }] of given) {
    const before = rows.get(subscriberId) ?? newSubscriber(environmentId, ctx.newId(), subscriberId, ctx.now());
    const row = withFields(before, fields);
    rows.set(subscriberId, { ...row, channels: merge?.(subscriberId, row) ?? row.channels });
  }
  const existing = new Set(stored.map((row) => row.subscriber_id));
  const created = new Set([...given.keys()].filter((id) => !existing.has(id)));
  return { findRecipient: (_environmentId, subscriberId) => rows.get(subscriberId ?? "") ?? null, created };
}

function collectGiven({ secrets }: Ctx, starts: NamedRecipients[]): Map<string, Map<string, GivenData>> {
  const all = new Map<string, Map<string, GivenData>>();
  for (const { event, recipients = [] } of starts) {
    const inEnvironment = all.get(event.environment_id) ?? new Map<string, GivenData>();
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

async function upsertInEnvironment(
  ctx: Ctx,
  environmentId: string,
  given: Map<string, GivenData>,
): Promise<Map<string, RecipientRow>> {
  const stored = await findSubscribersByKeys(ctx.db, environmentId, [...given.keys()]);
  const rows = new Map(stored.map((row) => [row.subscriber_id, row]));
  const upserts: SubscriberUpsert[] = [];
  for (const [subscriberId, { fields }] of given) {
    const row = rows.get(subscriberId);
    if (!row || isDifferent(row, fields)) upserts.push({ id: ctx.newId(), subscriberId, fields });
  }
  const merge = await createChannelMerge(ctx, environmentId, given);
  const changing = merge ? [...given.keys()].filter((id) => merge(id, rows.get(id) ?? null)) : [];
  const locked = await lockForChannels(ctx, environmentId, upserts, changing);
  for (const row of await upsertSubscribers(ctx.db, environmentId, upserts, ctx.now()))
    rows.set(row.subscriber_id, row);
  const changed = locked.flatMap((row) => {
    const channels = merge?.(row.subscriber_id, row);
    return channels ? [{ id: row.id, subscriberId: row.subscriber_id, channels }] : [];
  });
  await setChannelsOfMany(ctx.db, environmentId, changed, ctx.now());
  for (const { subscriberId, channels } of changed) {
    rows.set(subscriberId, { ...rows.get(subscriberId)!, channels });
  }
  return rows;
}

/** Null when no recipient has channels; else a function that returns the merged channels, or null when they do not change. */
async function createChannelMerge({ db, secrets }: Ctx, environmentId: string, given: Map<string, GivenData>) {
  if (![...given.values()].some(({ channels }) => channels.length > 0)) return null;
  const integrations = await listIntegrations(db, environmentId);
  return (subscriberId: string, row: RecipientRow | null): StoredChannel[] | null => {
    const { channels } = given.get(subscriberId)!;
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
  await upsertSubscribers(ctx.db, environmentId, upserts, ctx.now(), { keepExisting: true });
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

// Preferences of subscribers, by level and set of contexts; and the workflows that preferences exist for.
import type { Channel, DigestFrequency, PreferenceChannels, Schedule, StepType } from "@tidings/contract";
import { type Selectable, sql } from "kysely";
import { isUuid } from "../../lib/ids.ts";
import type { JsonObject } from "../../lib/json.ts";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import type { Tables } from "../tables.ts";
import type { WorkflowRow } from "../workflows/workflows.ts";
import { type CategoryRule, categoryRule } from "./categories.ts";
import type { SubscriberRow } from "./subscribers.ts";
export type PreferenceRow = Selectable<Tables["subscriber_preferences"]>;

export type PreferenceChange = {
  /** The id of a workflow or of a category; null for the global level. */
  workflow_id: string | null;
  channels: PreferenceChannels;
  schedule?: Schedule;
  /** Null removes the choice; undefined leaves it unchanged. */
  digest_frequency?: DigestFrequency | null;
};

const columns = {
  workflow_id: "uuid",
  channels: "jsonb",
  schedule: "jsonb",
  digest_frequency: "text",
};

/**
 * Merges changes into the stored preferences in one statement; one change per workflow. Rows are locked in order, so
 * that two requests for the same subscriber cannot deadlock.
 */
export async function mergePreferences(
  db: Db,
  environmentId: string,
  {
    subscriberId,
    contextKeys,
    changes,
    now,
  }: { subscriberId: string; contextKeys: string[]; changes: PreferenceChange[]; now: Date },
): Promise<void> {
  const withFrequency = changes.filter((change) => change.digest_frequency !== undefined);
  const frequencyIds = withFrequency.flatMap(({ workflow_id }) => workflow_id ?? []);
  await sql`
    insert into subscriber_preferences as p
      (environment_id, subscriber_id, workflow_id, context_keys, channels, schedule, digest_frequency, created_at,
       updated_at)
    select ${environmentId}, ${subscriberId}, workflow_id, ${contextKeys}::text[], channels, schedule,
      digest_frequency, ${now}, ${now}
    from ${rowsOf("r", columns, changes)} order by workflow_id
    on conflict (subscriber_id, workflow_id, context_keys) do update set
      channels = p.channels || excluded.channels, schedule = coalesce(excluded.schedule, p.schedule),
      digest_frequency = case when excluded.workflow_id = any(${frequencyIds}::uuid[])
        then excluded.digest_frequency else p.digest_frequency end,
      updated_at = excluded.updated_at`.execute(db);
}

/** Merges one change into the preferences of many subscribers, without contexts; rows are locked in order, as above. */
export async function mergePreferenceOfMany(
  db: Db,
  environmentId: string,
  {
    subscriberIds,
    change: { workflow_id, channels },
    now,
  }: { subscriberIds: string[]; change: PreferenceChange; now: Date },
): Promise<void> {
  await sql`
    insert into subscriber_preferences as p
      (environment_id, subscriber_id, workflow_id, context_keys, channels, created_at, updated_at)
    select ${environmentId}, id, ${workflow_id}::uuid, '{}', ${JSON.stringify(channels)}::jsonb, ${now}, ${now}
    from unnest(${subscriberIds}::uuid[]) as s(id) order by id
    on conflict (subscriber_id, workflow_id, context_keys) do update set
      channels = p.channels || excluded.channels, updated_at = excluded.updated_at`.execute(db);
}

/** The preferences of these subscribers without context. */
export async function findPreferencesOfMany(
  db: Db,
  environmentId: string,
  subscriberIds: string[],
): Promise<PreferenceRow[]> {
  const { rows } = await sql<PreferenceRow>`
    select * from subscriber_preferences
    where environment_id = ${environmentId} and subscriber_id = any(${subscriberIds}::uuid[])
      and context_keys = '{}'`.execute(db);
  return rows;
}

export type ChosenChannels = { workflow_id: string | null; names: Channel[] };

/**
 * Deletes the preferences for these channels with contexts, and with `has_frequency` those for digests, so that the
 * preference without context counts everywhere. Returns whether there were any.
 */
export async function deleteScopedPreferences(
  db: Db,
  environmentId: string,
  {
    subscriberId,
    chosen,
    now,
  }: { subscriberId: string; chosen: (ChosenChannels & { has_frequency: boolean })[]; now: Date },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update subscriber_preferences p set channels = p.channels - c.names, updated_at = ${now},
      digest_frequency = case when c.has_frequency then null else p.digest_frequency end
    from ${rowsOf("c", { workflow_id: "uuid", names: "text[]", has_frequency: "boolean" }, chosen)}
    where p.environment_id = ${environmentId} and p.subscriber_id = ${subscriberId} and p.context_keys <> '{}'
      and p.workflow_id is not distinct from c.workflow_id
      and (p.channels ?| c.names or (c.has_frequency and p.digest_frequency is not null))`.execute(db);
  return (numAffectedRows ?? 0n) > 0n;
}

/** Removes choices without contexts for these channels, so that weaker levels decide again. */
export async function removeChoices(
  db: Db,
  environmentId: string,
  { subscriberId, chosen, now }: { subscriberId: string; chosen: ChosenChannels[]; now: Date },
): Promise<void> {
  await sql`
    update subscriber_preferences p set channels = p.channels - c.names, updated_at = ${now}
    from ${rowsOf("c", { workflow_id: "uuid", names: "text[]" }, chosen)}
    where p.environment_id = ${environmentId} and p.subscriber_id = ${subscriberId} and p.context_keys = '{}'
      and p.workflow_id is not distinct from c.workflow_id and p.channels ?| c.names`.execute(db);
}

/** By internal id; null when the subscriber or its environment was deleted. */
export async function findPreferenceOwner(
  db: Db,
  environmentId: string,
  subscriberId: string,
): Promise<SubscriberRow | null> {
  const { rows } = await sql<SubscriberRow>`
    select s.* from subscribers s join environments e on e.id = s.environment_id
    where s.environment_id = ${environmentId} and s.id = ${subscriberId} and e.deleted_at is null`.execute(db);
  return rows[0] ?? null;
}

/** The preferences of a subscriber without context and for this set of contexts. */
export async function findPreferences(
  db: Db,
  environmentId: string,
  subscriberId: string,
  contextKeys: string[],
): Promise<PreferenceRow[]> {
  const { rows } = await sql<PreferenceRow>`
    select * from subscriber_preferences
    where environment_id = ${environmentId} and subscriber_id = ${subscriberId}
      and context_keys in ('{}', ${contextKeys}::text[])`.execute(db);
  return rows;
}

/**
 * The fields of a workflow that preferences need. `step_types`: those of its active steps. `digests`: the control
 * values of its active digest steps.
 */
export type PreferenceWorkflow = Pick<
  WorkflowRow,
  | "id"
  | "workflow_id"
  | "name"
  | "active"
  | "tags"
  | "severity"
  | "preferences_user"
  | "preferences_default"
  | "updated_at"
> & { step_types: StepType[]; digests: JsonObject[]; category: CategoryRule | null };

const workflows = sql`
  select w.id, w.workflow_id, w.name, w.active, w.tags, w.severity, w.preferences_user, w.preferences_default,
         w.updated_at, v.step_types,
         case when 'digest' = any(v.step_types) then jsonb_path_query_array(v.definition,
           '$.steps[*] ? (@.type == "digest" && @.active == true).controlValues') else '[]' end as digests,
         case when c.id is not null then ${categoryRule} end as category
  from workflows w join workflow_versions v on v.id = w.version_id
    left join preference_categories c on c.environment_id = w.environment_id and c.category_id = w.category_id`;

/** An environment has hundreds of workflows; the limit only bounds the response. */
const maxWorkflows = 10_000;

/** In order of creation. */
export async function listPreferenceWorkflows(db: Db, environmentId: string): Promise<PreferenceWorkflow[]> {
  const { rows } = await sql<PreferenceWorkflow>`
    ${workflows} where w.environment_id = ${environmentId} and w.deleted_at is null
    order by w.id limit ${maxWorkflows}`.execute(db);
  return rows;
}

/** The workflows with one of these internal ids or identifiers. */
export async function findPreferenceWorkflows(
  db: Db,
  environmentId: string,
  idsOrIdentifiers: string[],
): Promise<PreferenceWorkflow[]> {
  const { rows } = await sql<PreferenceWorkflow>`
    ${workflows} where w.environment_id = ${environmentId} and w.deleted_at is null
      and (w.id = any(${idsOrIdentifiers.filter(isUuid)}::uuid[]) or w.workflow_id = any(${idsOrIdentifiers}))`.execute(
    db,
  );
  return rows;
}

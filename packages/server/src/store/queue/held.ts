// Messages that wait for the circuit breaker of an integration: `deliver` tasks in their own group, which is
// indexed, and with the integration in their data. Tasks in an environment on a test clock are in the group of the
// environment, whose clock waits for them. Other tasks have neither, so that messages through healthy integrations cost
// nothing more.
import type { Channel } from "@tidings/contract";
import { sql } from "kysely";
import type { TaskPriority } from "../../lib/load/fair-queue.ts";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { schema } from "./boss.ts";

export const heldGroup = (integrationId: string): string => `held ${integrationId}`;

const jobs = sql.table(`${schema}.job_common`);

const isHeldBy = (environmentId: string, integrationIds: readonly string[]) => sql`
  group_id = any(${[...integrationIds.map(heldGroup), environmentId]}::text[])
  and data->>'heldBy' = any(${integrationIds}::text[])`;

/** `until`: only those held by then (ms). */
export type HeldSelection = { integrationIds: readonly string[]; until?: number; limit: number };

type HeldTask = { id: string; lane: string; messages: number; priority?: TaskPriority };

/**
 * Tasks that wait, those that are due next first. Locked until the transaction ends; tasks locked by another are left
 * out.
 */
export async function lockHeldTasks(
  tx: Db,
  environmentId: string,
  { integrationIds, until, limit }: HeldSelection,
): Promise<HeldTask[]> {
  const { rows } = await sql<HeldTask>`
    select id, data->>'heldBy' as lane, jsonb_array_length(data->'messageIds') as messages,
      coalesce(data->>'priority', 'normal') as priority
    from ${jobs}
    where name = 'deliver' and ${isHeldBy(environmentId, integrationIds)} and state < 'active'
      and start_after > clock_timestamp() and data->>'isReleased' is null
      and (${until ?? null}::float8 is null or created_on <= to_timestamp(${until ?? null}::float8 / 1000))
    order by start_after limit ${limit} for update skip locked`.execute(tx);
  return rows;
}

export async function bringForward(
  tx: Db,
  environmentId: string,
  tasks: { id: string; after_ms: number; priority: number }[],
): Promise<void> {
  await sql`
    update ${jobs} j set start_after = clock_timestamp() + r.after_ms * interval '1 ms', priority = r.priority
    from ${rowsOf("r", { id: "uuid", after_ms: "float8", priority: "int" }, tasks)}
    where j.name = 'deliver' and j.id = r.id and j.singleton_key = ${environmentId}`.execute(tx);
}

/** `oldest`: the id of the oldest message. */
export type HeldCount = { integration_id: string; count: number; oldest: string };

/** `oldest`: the id of the oldest message. */
export type RetryCount = { channel: Channel; provider_id: string | null; count: number; oldest: string };

/**
 * Messages that wait for their next attempt although no circuit is open, from at most `limit` tasks of the group: those
 * that wait in real time.
 */
export async function countRetries(
  db: Db,
  environmentId: string,
  { group, limit }: { group: string; limit: number },
): Promise<RetryCount[]> {
  const { rows } = await sql<RetryCount>`
    select m.channel, m.provider_id, count(*)::int as count, min(m.id::text) as oldest
    from (
      select data from ${jobs} where group_id = ${group} and name = 'deliver' and state < 'active'
        and start_after < clock_timestamp() + interval '1 hour'
      order by start_after limit ${limit}) as t
    cross join lateral jsonb_array_elements_text(t.data->'messageIds') as i(id)
    cross join lateral (
      select a.id, a.channel, a.provider_id from messages a
      where a.environment_id = ${environmentId} and a.id = i.id::uuid and a.status = 'pending' offset 0) as m
    group by 1, 2`.execute(db);
  return rows;
}

/**
 * What waits for each of these integrations, woken messages that are not sent yet among it. At most `limit` tasks are
 * counted.
 */
export async function countHeld(
  db: Db,
  environmentId: string,
  integrationIds: readonly string[],
  limit: number,
): Promise<HeldCount[]> {
  if (integrationIds.length === 0) return [];
  const { rows } = await sql<HeldCount>`
    select t.integration_id, sum(t.count)::int as count, min(t.oldest) as oldest from (
      select data->>'heldBy' as integration_id, jsonb_array_length(data->'messageIds') as count,
        data->'messageIds'->>0 as oldest
      from ${jobs} where ${isHeldBy(environmentId, integrationIds)} and state < 'completed' limit ${limit}) as t
    group by t.integration_id`.execute(db);
  return rows;
}

// The bridges of an environment: the addresses of the customer's code that runs its workflows.
import { sql } from "kysely";
import type { Db } from "../db.ts";
import type { WorkflowRow } from "./workflows.ts";

/** A sync closes the circuit breaker: the bridge has just responded. */
export async function upsertBridge(
  db: Db,
  environmentId: string,
  { url, apiKeyId, now }: { url: string; apiKeyId: string; now: Date },
): Promise<void> {
  await sql`
    insert into bridges (environment_id, url, api_key_id, state, failures, probes, synced_at, updated_at)
    values (${environmentId}, ${url}, ${apiKeyId}, 'closed', 0, 0, ${now}, ${now})
    on conflict (environment_id, url) do update set api_key_id = excluded.api_key_id, state = 'closed', failures = 0,
      probes = 0, opened_at = null, next_probe_at = null, synced_at = excluded.synced_at, updated_at = excluded.updated_at`.execute(
    db,
  );
}

/** Locks the workflows that a sync may change: those it names, and those that the bridge gave before. */
export async function lockWorkflowsOfSync(
  db: Db,
  environmentId: string,
  url: string,
  identifiers: string[],
): Promise<WorkflowRow[]> {
  return db
    .selectFrom("workflows")
    .where("environment_id", "=", environmentId)
    .where("deleted_at", "is", null)
    .where(sql<boolean>`(bridge_url = ${url} or workflow_id = any(${identifiers}::text[]))`)
    .orderBy("id")
    .forUpdate()
    .selectAll()
    .execute();
}

/**
 * The key that signs calls to the bridge: that of its last sync, else the oldest full one of the environment. Keys that
 * have expired only sign where there is no other.
 */
export async function findBridgeKey(db: Db, environmentId: string, url: string): Promise<string | undefined> {
  const { rows } = await sql<{ secret: string }>`
    select k.secret from api_keys k
    left join bridges b on b.environment_id = k.environment_id and b.url = ${url} and b.api_key_id = k.id
    where k.environment_id = ${environmentId} and k.revoked_at is null
    order by coalesce(k.expires_at <= now(), false), b.url is null, k.scope <> 'full', k.created_at, k.id limit 1`.execute(
    db,
  );
  return rows[0]?.secret;
}

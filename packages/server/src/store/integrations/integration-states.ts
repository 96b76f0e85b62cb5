// Integrations as members see them: their names, and what the circuit breaker knows of their provider.
import { sql } from "kysely";
import type { Db } from "../db.ts";

export type IntegrationState = {
  id: string;
  identifier: string;
  name: string;
  provider_id: string;
  /** The row of integration_health with all its columns, times as text; null as long as the provider never failed. */
  health: IntegrationHealth | null;
};

type IntegrationHealth = {
  state: "closed" | "open" | "half_open";
  opened_at: string | null;
  next_probe_at: string | null;
  last_error?: string | null;
};

/** Includes those that were disabled or deleted. */
export async function findIntegrationStates(db: Db, environmentId: string, ids: string[]): Promise<IntegrationState[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<IntegrationState>`
    select i.id, i.identifier, i.name, i.provider_id, to_jsonb(h) as health from integrations i
    left join integration_health h on h.integration_id = i.id
    where i.environment_id = ${environmentId} and i.id = any(${ids}::uuid[])`.execute(db);
  return rows;
}

// What is not as it should be in one environment.
import { sql } from "kysely";
import type { Db } from "../db.ts";
import type { HealthRow } from "../integrations/integrations.ts";

export type BreakerRow = {
  id: string;
  identifier: string;
  name: string;
  provider_id: string;
  state: "open" | "half_open";
  failures: number;
  opened_at: Date | null;
  next_probe_at: Date | null;
} & Pick<HealthRow, "failing_since" | "last_error" | "last_error_class" | "last_error_at">;

export async function listOpenBreakers(db: Db, environmentId: string, limit: number): Promise<BreakerRow[]> {
  const { rows } = await sql<BreakerRow>`
    select i.id, i.identifier, i.name, i.provider_id, h.state, h.failures, h.opened_at, h.next_probe_at,
      h.failing_since, h.last_error, h.last_error_class, h.last_error_at
    from integrations i join integration_health h on h.integration_id = i.id
    where i.environment_id = ${environmentId} and i.deleted_at is null and h.state <> 'closed'
    order by h.opened_at, i.id limit ${limit}`.execute(db);
  return rows;
}

export type FaultCounts = {
  dead_letters: number;
  failed_tasks: number;
  failed_deliveries: number;
  disabled_webhooks: number;
};

/** Each counted up to `limit`. */
export async function countFaults(db: Db, environmentId: string, limit: number): Promise<FaultCounts> {
  const { rows } = await sql<FaultCounts>`select
    (select count(*) from (select 1 from dead_letters where environment_id = ${environmentId} and status = 'open'
      limit ${limit}) as f) as dead_letters,
    (select count(*) from (select 1 from failed_tasks where environment_id = ${environmentId} and status = 'open'
      limit ${limit}) as f) as failed_tasks,
    (select count(*) from (select 1 from webhooks w join webhook_deliveries d on d.webhook_id = w.id and d.status = 'failed'
      where w.environment_id = ${environmentId} and w.deleted_at is null limit ${limit}) as f) as failed_deliveries,
    (select count(*) from webhooks where environment_id = ${environmentId} and deleted_at is null
      and disabled_at is not null) as disabled_webhooks`.execute(db);
  return rows[0]!;
}

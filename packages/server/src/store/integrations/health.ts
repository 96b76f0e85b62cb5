// Changes of an integration's health by requests: a check of its credentials, new credentials, "try now".
import { sql } from "kysely";
import type { Db } from "../db.ts";
import type { IntegrationErrorClass } from "../tables.ts";

/**
 * Closes the circuit: earlier failures no longer count. `answered`: the provider has just accepted the credentials.
 * `changed`: the credentials are others now, so that neither errors nor successes from before say anything.
 */
export async function closeCircuit(
  db: Db,
  environmentId: string,
  { integrationId, cause, now }: { integrationId: string; cause: "answered" | "changed" | "reset"; now: Date },
): Promise<void> {
  if (cause === "answered") {
    await sql`
      insert into integration_health (integration_id, environment_id, state, failures, probes, updated_at)
      values (${integrationId}, ${environmentId}, 'closed', 0, 0, ${now}) on conflict do nothing`.execute(db);
  }
  const last =
    cause === "reset"
      ? sql``
      : sql`, last_error = null, last_error_class = null, last_error_at = null,
          last_success_at = ${cause === "answered" ? now : null}`;
  await sql`
    update integration_health set state = 'closed', failures = 0, probes = 0, opened_at = null, next_probe_at = null,
      failing_since = null, updated_at = ${now} ${last}
    where environment_id = ${environmentId} and integration_id = ${integrationId}`.execute(db);
}

/** A failed check is shown as an error of the integration. It does not open the circuit: only messages do. */
export async function recordFailedCheck(
  db: Db,
  environmentId: string,
  {
    integrationId,
    error,
    now,
  }: { integrationId: string; error: { text: string; class: IntegrationErrorClass }; now: Date },
): Promise<void> {
  await sql`
    insert into integration_health as h (integration_id, environment_id, state, failures, probes, updated_at,
      failing_since, last_error, last_error_class, last_error_at)
    values (${integrationId}, ${environmentId}, 'closed', 0, 0, ${now}, ${now}, ${error.text}, ${error.class}, ${now})
    on conflict (integration_id) do update set failing_since = coalesce(h.failing_since, excluded.failing_since),
      last_error = excluded.last_error, last_error_class = excluded.last_error_class,
      last_error_at = excluded.last_error_at, updated_at = excluded.updated_at
    where h.environment_id = excluded.environment_id`.execute(db);
}

/** The next message is sent as a probe, whenever that was to be. */
export async function makeProbeDue(db: Db, environmentId: string, integrationId: string, now: Date): Promise<void> {
  await sql`
    update integration_health set next_probe_at = ${now}, updated_at = ${now}
    where environment_id = ${environmentId} and integration_id = ${integrationId} and state = 'open'`.execute(db);
}

// What alert rules look for, over all environments at once. Each query takes the rules of one kind and returns rows
// with the rule that they belong to.
import { sql } from "kysely";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import type { HealthRow } from "../integrations/integrations.ts";

/** Findings of one kind that one pass reads: an installation in trouble needs no longer list. */
const maxFindings = 1_000;

type RuleSince = { rule_id: string; environment_id: string; before: Date };

export type FailingIntegration = {
  rule_id: string;
  id: string;
  name: string;
  provider_id: string;
  channel: string;
  failing_since: Date;
} & Pick<HealthRow, "state" | "failures" | "last_error" | "last_error_class">;

/**
 * Active integrations without a success since a rule's `before`: their circuit is not closed, they failed so often in a
 * row, or the provider refuses the credentials.
 */
export async function findFailingIntegrations(
  db: Db,
  rules: RuleSince[],
  minFailures: number,
): Promise<FailingIntegration[]> {
  const { rows } = await sql<FailingIntegration>`
    select r.rule_id, i.id, i.name, i.provider_id, i.channel, h.state, h.failures, h.last_error, h.last_error_class,
      coalesce(h.failing_since, h.opened_at) as failing_since
    from ${rowsOf("r", { rule_id: "uuid", environment_id: "uuid", before: "timestamptz" }, rules)}
    join integrations i on i.environment_id = r.environment_id and i.active and i.deleted_at is null
    join integration_health h on h.integration_id = i.id
    where coalesce(h.failing_since, h.opened_at) <= r.before
      and (h.state <> 'closed' or h.failures >= ${minFailures} or h.last_error_class in ('auth', 'quota', 'config'))
    order by r.rule_id, i.id limit ${maxFindings}`.execute(db);
  return rows;
}

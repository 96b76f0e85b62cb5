// The alert rules of an environment. Targets are encrypted by the caller of these functions.
import { type Selectable, sql } from "kysely";
import { isUuid } from "../../lib/ids.ts";
import type { Db } from "../db.ts";
import type { Tables } from "../tables.ts";

export type AlertRuleRow = Selectable<Tables["alert_rules"]>;
export type ListedRule = AlertRuleRow & { open_alerts: number };

const rules = (db: Db, environmentId: string) =>
  db
    .selectFrom("alert_rules as r")
    .where("r.environment_id", "=", environmentId)
    .selectAll("r")
    .select(
      sql<number>`(select count(*) from alerts a
        where a.environment_id = r.environment_id and a.rule_id = r.id and a.status = 'open')`.as("open_alerts"),
    );

export const listAlertRules = (db: Db, environmentId: string): Promise<ListedRule[]> =>
  rules(db, environmentId).orderBy("r.id").execute();

export async function findAlertRule(
  db: Db,
  environmentId: string,
  id: string,
  options: { lock?: boolean } = {},
): Promise<ListedRule | undefined> {
  if (!isUuid(id)) return undefined;
  const found = rules(db, environmentId).where("r.id", "=", id);
  return (options.lock ? found.forNoKeyUpdate("r") : found).executeTakeFirst();
}

export type NewAlertRule = Omit<AlertRuleRow, "parameters" | "quiet"> & {
  parameters: object;
  quiet: AlertRuleRow["quiet"];
};

const toStored = (row: NewAlertRule) => ({
  ...row,
  parameters: JSON.stringify(row.parameters),
  quiet: row.quiet && JSON.stringify(row.quiet),
});

export async function insertAlertRule(db: Db, row: NewAlertRule): Promise<void> {
  await db.insertInto("alert_rules").values(toStored(row)).execute();
}

/** Without those whose name is taken in their environment. */
export async function insertMissingRules(db: Db, rows: NewAlertRule[]): Promise<void> {
  if (rows.length === 0) return;
  await db
    .insertInto("alert_rules")
    .values(rows.map(toStored))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function updateAlertRule(db: Db, environmentId: string, row: NewAlertRule): Promise<void> {
  const { id, parameters, quiet, environment_id, created_at, kind, ...changes } = row;
  await db
    .updateTable("alert_rules")
    .set({ ...changes, parameters: JSON.stringify(parameters), quiet: quiet && JSON.stringify(quiet) })
    .where("environment_id", "=", environmentId)
    .where("id", "=", id)
    .execute();
}

export async function deleteAlertRule(db: Db, environmentId: string, id: string): Promise<void> {
  await db.deleteFrom("alert_rules").where("environment_id", "=", environmentId).where("id", "=", id).execute();
}

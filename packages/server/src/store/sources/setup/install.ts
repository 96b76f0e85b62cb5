// `tidings outbox install` and `uninstall`: creates the outbox in a customer's database, or removes it, in one
// transaction.
import {
  countedOutboxRows,
  type OutboxRoles,
  outboxFunctions,
  outboxGrants,
  outboxObjects,
  quoteSqlName,
} from "@tidings/contract";
import { inCustomersDatabase, type OutboxTarget, refuse, type Session } from "./session.ts";
import { readOutboxState } from "./state.ts";

/** `change`: what was done, or would be in a dry run. */
export type InstallResult = {
  place: string;
  version: string;
  schema: string;
  change: "created" | "updated" | "none";
  app: string[];
  relay: string | null;
  isDryRun: boolean;
};

/** Installations at the same time follow one another. */
const lockKey = 7_310_302_718_542_054n;

export const installOutbox = (target: OutboxTarget & OutboxRoles & { isDryRun: boolean }): Promise<InstallResult> =>
  inCustomersDatabase(target, async (session) => {
    const { client, place, version } = session;
    const { schema, app = [], relay, isDryRun } = target;
    await client.query("select pg_advisory_xact_lock($1)", [String(lockKey)]);
    await requireRoles(session, [...app, ...(relay === undefined ? [] : [relay])]);
    const { hasTable, functions } = await readOutboxState(client, schema);
    await client.query(outboxObjects(schema));
    if (app.length > 0 || relay !== undefined) await client.query(outboxGrants(schema, { app, relay }));
    const change = !hasTable ? "created" : functions === "current" ? "none" : "updated";
    return { place, version, schema, change, app: [...app], relay: relay ?? null, isDryRun };
  });

async function requireRoles({ client, place }: Session, names: string[]): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    "select distinct name from unnest($1::text[]) as name where not exists (select from pg_roles where rolname = name)",
    [names],
  );
  const [first] = rows;
  if (!first) return;
  const list = rows.map(({ name }) => quoteSqlName(name)).join(", ");
  throw refuse(
    `There is no role ${list} in ${place}. Create it first: create role ${quoteSqlName(first.name)} login password '…';`,
  );
}

export type UninstallResult = {
  place: string;
  schema: string;
  isRemoved: boolean;
  lostRows: number;
  keepsSchema: boolean;
};

/** Rows that wait are lost with `isForced`; otherwise they are a reason to refuse. */
export const uninstallOutbox = (target: OutboxTarget & { isForced: boolean }): Promise<UninstallResult> =>
  inCustomersDatabase(target, async ({ client, place }) => {
    const { schema, isForced } = target;
    const state = await readOutboxState(client, schema);
    if (!state.hasTable) return { place, schema, isRemoved: false, lostRows: 0, keepsSchema: false };
    if (state.missingColumns.length > 0)
      throw refuse(
        `The table ${schema}.outbox is not an outbox of Tidings, or was altered: it lacks ${state.missingColumns.join(", ")}.`,
      );
    const table = `${quoteSqlName(schema)}.outbox`;
    // Waits for transactions that have triggered events and not committed yet.
    await client.query(`lock table ${table} in access exclusive mode`);
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::int as count from (select from ${table} limit ${countedOutboxRows}) as counted`,
    );
    const lostRows = rows[0]!.count;
    if (lostRows > 0 && !isForced)
      throw refuse(
        `Events wait in the outbox that the service has not accepted, ${lostRows === countedOutboxRows ? "at least " : ""}` +
          `${lostRows} in all: let it accept them, or add --force to lose them.`,
      );
    await client.query(`drop function if exists ${outboxFunctions(schema).join(", ")}`);
    await client.query(`drop table ${table}`);
    return { place, schema, isRemoved: true, lostRows, keepsSchema: await keepsSchema(client, schema) };
  });

/** Removes the schema unless it has something else. */
async function keepsSchema(client: Session["client"], schema: string): Promise<boolean> {
  await client.query("savepoint whole");
  try {
    await client.query(`drop schema ${quoteSqlName(schema)}`);
    return false;
  } catch (error) {
    const { code } = error as { code?: string };
    // Something depends on it, or another role owns it.
    if (code !== "2BP01" && code !== "42501") throw error;
    await client.query("rollback to savepoint whole");
    return true;
  }
}

// The circuit breakers of the addresses that steps call: bridges, and the hosts of `http_request` steps.
import { sql } from "kysely";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import type { CallBreaker } from "../tables.ts";

/** The table that holds the breakers: one row for each address of an environment. */
export type BreakerTable = "bridges" | "request_hosts";

export type BreakerKey = Pick<CallBreaker, "environment_id" | "url">;

const keyColumns = { environment_id: "uuid", url: "text" };

/** The hosts that have a row; the others have not failed. */
export async function findRequestHosts(db: Db, keys: BreakerKey[]): Promise<CallBreaker[]> {
  if (keys.length === 0) return [];
  const { rows } = await sql<CallBreaker>`
    select b.* from request_hosts b
    join ${rowsOf("r", keyColumns, keys)} on b.environment_id = r.environment_id and b.url = r.url`.execute(db);
  return rows;
}

/** A host gets its row with its first failure. In the order of the keys, as `lockBreakers` locks them. */
export async function addRequestHosts(db: Db, keys: BreakerKey[], now: Date): Promise<void> {
  if (keys.length === 0) return;
  await sql`
    insert into request_hosts (environment_id, url, state, failures, probes, updated_at)
    select r.environment_id, r.url, 'closed', 0, 0, ${now} from ${rowsOf("r", keyColumns, keys)}
    order by r.environment_id, r.url on conflict do nothing`.execute(db);
}

/**
 * Claims the probe of open circuits until `until`: one caller at a time gets it. Returns the addresses that were
 * claimed.
 */
export async function claimProbes(
  db: Db,
  table: BreakerTable,
  keys: BreakerKey[],
  { now, until }: { now: Date; until: Date },
): Promise<BreakerKey[]> {
  if (keys.length === 0) return [];
  const { rows } = await sql<BreakerKey>`
    update ${sql.table(table)} b set state = 'half_open', next_probe_at = ${until}, updated_at = ${now}
    where (b.environment_id, b.url) in (
      select c.environment_id, c.url from ${sql.table(table)} c
      join ${rowsOf("r", keyColumns, keys)} on c.environment_id = r.environment_id and c.url = r.url
      where c.state <> 'closed' and (c.next_probe_at is null or c.next_probe_at <= ${now})
      for update of c skip locked)
    returning b.environment_id, b.url`.execute(db);
  return rows;
}

/** Locked until the transaction ends. A bridge that only events name has no row, and no circuit breaker. */
export async function lockBreakers(db: Db, table: BreakerTable, keys: BreakerKey[]): Promise<CallBreaker[]> {
  if (keys.length === 0) return [];
  const { rows } = await sql<CallBreaker>`
    select b.environment_id, b.url, b.state, b.failures, b.probes, b.opened_at, b.next_probe_at, b.updated_at
    from ${sql.table(table)} b
    join ${rowsOf("r", keyColumns, keys)} on b.environment_id = r.environment_id and b.url = r.url
    order by b.environment_id, b.url for update of b`.execute(db);
  return rows;
}

const changing = {
  ...keyColumns,
  state: "text",
  failures: "int",
  probes: "int",
  opened_at: "timestamptz",
  next_probe_at: "timestamptz",
  updated_at: "timestamptz",
};

/** The transaction must have locked the rows. */
export async function updateBreakers(db: Db, table: BreakerTable, rows: CallBreaker[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    update ${sql.table(table)} b set state = r.state, failures = r.failures, probes = r.probes,
      opened_at = r.opened_at, next_probe_at = r.next_probe_at, updated_at = r.updated_at
    from ${rowsOf("r", changing, rows)} where b.environment_id = r.environment_id and b.url = r.url`.execute(db);
}

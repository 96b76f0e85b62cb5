// What a customer's database has of the outbox, and `tidings outbox status`.
import { countedOutboxRows, outboxColumns, outboxObjects, quoteSqlName } from "@tidings/contract";
import type { DatabaseClient } from "../../client.ts";
import { inCustomersDatabase, type OutboxTarget } from "./session.ts";

type FunctionsState = "missing" | "other" | "current";
type OutboxState = { hasTable: boolean; missingColumns: string[]; owner: string | null; functions: FunctionsState };

/** Name and text of each function as this version has it, read from what it would apply. */
function expectedFunctions(schema: string): { name: string; source: string }[] {
  const written = /^create or replace function \S+?\.(\w+)\([\s\S]*?\bas \$\$([\s\S]*?)\$\$;$/gm;
  return [...outboxObjects(schema).matchAll(written)].map(([, name, source]) => ({ name: name!, source: source! }));
}

export async function readOutboxState(client: DatabaseClient, schema: string): Promise<OutboxState> {
  const { rows: tables } = await client.query<{ owner: string; columns: string[] }>(
    `select pg_get_userbyid(c.relowner) as owner,
      array(select a.attname || ' ' || format_type(a.atttypid, null) from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = $1 and c.relname = 'outbox' and c.relkind in ('r', 'p')`,
    [schema],
  );
  const expected = expectedFunctions(schema);
  const { rows: functions } = await client.query<{ name: string; source: string }>(
    `select p.proname as name, p.prosrc as source from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = $1 and p.proname = any($2)`,
    [schema, expected.map(({ name }) => name)],
  );
  const isThere = (wanted: { name: string; source: string }) =>
    functions.some(({ name, source }) => name === wanted.name && source === wanted.source);
  const columns = new Set(tables[0]?.columns);
  return {
    hasTable: tables.length > 0,
    missingColumns: tables[0]
      ? Object.entries(outboxColumns).flatMap(([name, type]) => (columns.has(`${name} ${type}`) ? [] : [name]))
      : [],
    owner: tables[0]?.owner ?? null,
    functions: functions.length === 0 ? "missing" : expected.every(isThere) ? "current" : "other",
  };
}

/** `mayCall`, `mayEmpty`: roles that were granted it, and the owner. */
export type OutboxStatus = {
  version: string;
  schema: string;
  owner: string;
  functions: FunctionsState;
  missingColumns: string[];
  /** Counted up to 10,000. */
  waiting: number;
  oldestAt: string | null;
  mayCall: string[];
  mayEmpty: string[];
};

/** `found`: null without an outbox. */
export const findOutboxStatus = (target: OutboxTarget): Promise<{ place: string; found: OutboxStatus | null }> =>
  inCustomersDatabase({ ...target, isDryRun: true }, async ({ client, place, version }) => {
    const { schema } = target;
    const { hasTable, owner, ...state } = await readOutboxState(client, schema);
    if (!hasTable) return { place, found: null };
    const roles = await findRoles(client, schema);
    const table = `${quoteSqlName(schema)}.outbox`;
    const { rows } = await client.query<{ waiting: number; oldest_at: Date | null }>(
      `select (select count(*)::int from (select from ${table} limit ${countedOutboxRows}) as counted) as waiting,
        (select to_jsonb(o)->>'created_at' from ${table} as o order by id limit 1)::timestamptz as oldest_at`,
    );
    const { waiting, oldest_at } = rows[0]!;
    const oldestAt = oldest_at?.toISOString() ?? null;
    return { place, found: { version, schema, owner: owner!, ...state, waiting, oldestAt, ...roles } };
  });

async function findRoles(client: DatabaseClient, schema: string): Promise<Pick<OutboxStatus, "mayCall" | "mayEmpty">> {
  const nameOf = "case grantee when 0 then 'public' else pg_get_userbyid(grantee) end";
  const { rows } = await client.query<{ mayCall: string[]; mayEmpty: string[] }>(
    `select
      array(select distinct ${nameOf} from pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner)))
        where p.pronamespace = n.oid and p.proname = 'trigger' and privilege_type = 'EXECUTE' order by 1)::text[] as "mayCall",
      array(select distinct ${nameOf} from pg_class c, aclexplode(coalesce(c.relacl, acldefault('r', c.relowner)))
        where c.relnamespace = n.oid and c.relname = 'outbox' and privilege_type = 'DELETE' order by 1)::text[] as "mayEmpty"
    from pg_namespace n where n.nspname = $1`,
    [schema],
  );
  return rows[0]!;
}

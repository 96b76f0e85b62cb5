// Which rows were written, noted by triggers: whether a request changed something is known without reading the tables.
// A row that was written without becoming another one counts as well.
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import type { Db } from "../../src/store/db.ts";

/** `subscriberId`: the id of the row of the subscriber. */
export type Change = { table: string; environmentId: string | null; subscriberId: string | null };

const housekeeping = ["statistics_hours", "statistics_progress", "retention_runs"];

/** Housekeeping counts statistics and deletes old rows at its time. No request writes these tables. */
export const isOfHousekeeping = ({ table }: Change): boolean => housekeeping.includes(table);

export type Changes = {
  /** What was written and committed since the last call. */
  take(): Promise<Change[]>;
  /** Waits until nothing of this kind is written. */
  rest(isMeant: (change: Change) => boolean): Promise<void>;
};

/** How many times in a row nothing may have been written. */
const quietTimes = 5;

export async function noteChanges(db: Db): Promise<Changes> {
  await createTriggers(db);
  const take = async () => {
    const { rows } = await sql<Change>`with taken as (delete from noted.changes returning *)
      select distinct table_name as "table", environment_id as "environmentId", subscriber_id as "subscriberId"
      from taken`.execute(db);
    return rows;
  };
  const rest = async (isMeant: (change: Change) => boolean) => {
    let times = 0;
    await eventually(async () => {
      times = (await take()).some(isMeant) ? 0 : times + 1;
      return times >= quietTimes;
    }, "the pipeline to come to rest");
  };
  return { take, rest };
}

type Table = { name: string; subscriber: string | null };

/** On all tables, including partitions that are added later. The last use of a key is recorded with every request. */
async function createTriggers(db: Db): Promise<void> {
  const { rows: tables } = await sql<Table>`
    select c.relname as name, case when c.relname = 'subscribers' then 'id' else a.attname end as subscriber
    from pg_class c left join pg_attribute a
      on a.attrelid = c.oid and a.attname = 'subscriber_id' and a.atttypid = 'uuid'::regtype
    where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace`.execute(db);
  const triggers = tables.map(({ name, subscriber }) => {
    const note = `execute function noted.note('${name}', '${subscriber ?? ""}')`;
    const changed = "when (to_jsonb(old) - 'last_used_at' is distinct from to_jsonb(new) - 'last_used_at')";
    return `create trigger noted_rows after insert or delete on public.${name} for each row ${note};
      create trigger noted_updates after update on public.${name} for each row
        ${name === "api_keys" ? changed : ""} ${note};
      create trigger noted_end after truncate on public.${name} ${note};`;
  });
  await sql.raw(`${noting} ${triggers.join("\n")}`).execute(db);
}

const noting = `
  create schema noted;
  create unlogged table noted.changes (table_name text not null, environment_id uuid, subscriber_id uuid);
  create function noted.write(table_name text, line jsonb, subscriber text) returns void language sql as $$
    insert into noted.changes values (table_name, (line ->> 'environment_id')::uuid, (line ->> subscriber)::uuid)
  $$;
  create function noted.note() returns trigger language plpgsql as $$
  begin
    if tg_op = 'TRUNCATE' then perform noted.write(tg_argv[0], '{}', ''); end if;
    if tg_op in ('UPDATE', 'DELETE') then perform noted.write(tg_argv[0], to_jsonb(old), tg_argv[1]); end if;
    if tg_op in ('INSERT', 'UPDATE') then perform noted.write(tg_argv[0], to_jsonb(new), tg_argv[1]); end if;
    return null;
  end $$;`;

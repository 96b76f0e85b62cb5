// The role that the service works with in the embedded PostgreSQL: it owns its database and may do nothing else on the
// server. The superuser that created the cluster only keeps the lock of the data folder and hands the database over,
// once. Folders of older versions, where the superuser owns everything, are handed over by their next start.
import { createHmac } from "node:crypto";
import { connect, queryValue, type Session } from "./lock.ts";
export const serviceRole = "tidings_service";

/** Derived, so that nothing more has to be stored, and whoever has it does not have the superuser's. */
export const servicePassword = (password: string): string =>
  createHmac("sha256", password).update(serviceRole).digest("hex");

/** PostgreSQL says this of a wrong password and of a role that does not exist. */
const refused = new Set(["28P01", "28000"]);

/** A connection of the service's role; `admin` is a superuser's in the same database, for the first time. */
export async function connectService(admin: Session, port: number, password: string): Promise<Session> {
  const connectAsService = () => connect(port, servicePassword(password), "tidings", serviceRole);
  try {
    return await connectAsService();
  } catch (error) {
    if (!refused.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
    await queryValue(admin, handOver(servicePassword(password)));
    return connectAsService();
  }
}

const ours = "n.nspname !~ '^pg_' and n.nspname <> 'information_schema'";

/** What an extension brought stays the superuser's. */
const isFree = (catalogue: string, id: string) =>
  `not exists (select 1 from pg_depend d where d.classid = '${catalogue}'::regclass and d.objid = ${id} and d.deptype = 'e')`;

/**
 * One statement, so that it happens as a whole: that the role can log in means that everything is its own. A sequence
 * that belongs to a column and the indexes of a table follow their table.
 */
const handOver = (password: string): string => `
  do $$
  declare item text;
  begin
    if to_regrole('${serviceRole}') is null then create role ${serviceRole}; end if;
    alter role ${serviceRole}
      with login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password '${password}';
    for item in
      select format('schema %I', n.nspname) from pg_namespace n where n.nspowner = current_user::regrole and ${ours}
      union all
      select format('%s %I.%I', case c.relkind when 'S' then 'sequence' when 'v' then 'view'
          when 'm' then 'materialized view' else 'table' end, n.nspname, c.relname)
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relowner = current_user::regrole and c.relkind in ('r', 'p', 'S', 'v', 'm') and ${ours}
        and ${isFree("pg_class", "c.oid")}
        and not exists (select 1 from pg_depend d where d.objid = c.oid and c.relkind = 'S' and d.deptype in ('a', 'i'))
      union all
      select format('routine %s', p.oid::regprocedure) from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where p.proowner = current_user::regrole and ${ours} and ${isFree("pg_proc", "p.oid")}
      union all
      select format('type %s', t.oid::regtype) from pg_type t join pg_namespace n on n.oid = t.typnamespace
      where t.typowner = current_user::regrole and t.typtype in ('e', 'r') and ${ours} and ${isFree("pg_type", "t.oid")}
    loop
      execute format('alter %s owner to ${serviceRole}', item);
    end loop;
    execute format('alter database %I owner to ${serviceRole}', current_database());
  end $$`;

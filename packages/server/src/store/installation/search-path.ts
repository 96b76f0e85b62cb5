// The schema `tidings` has functions for other roles (migrations/0061_sql_trigger.sql). A role of that name would find
// and create the service's own tables there, as PostgreSQL looks into the schema named like the role first. The
// migration prevents it; a database that was restored or copied has lost the setting.
import pg from "pg";
import { DatabaseClient } from "../client.ts";

export async function leaveFunctionSchema(url: string): Promise<void> {
  const client = new DatabaseClient({ connectionString: url, connectionTimeoutMillis: 5_000, query_timeout: 10_000 });
  await client.connect();
  try {
    const { rows } = await client.query<{ role: string; database: string }>(
      `select current_user as role, current_database() as database where current_schema() = 'tidings'`,
    );
    const [found] = rows;
    if (!found) return;
    const [role, database] = [found.role, found.database].map(pg.escapeIdentifier);
    await client.query(`alter role ${role} in database ${database} set search_path = public`);
  } finally {
    await client.end();
  }
}

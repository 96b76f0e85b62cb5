// `tidings migrate`: brings the database up to date and ends, as a job before the processes of a new release start. The
// command line loads it from the bundle of the server.
import pino from "pino";
import { readConfig } from "../config.ts";
import { openDatabase } from "../database.ts";
import { shareDone } from "../pipeline/background/run.ts";
import { openDb } from "../store/db.ts";
import { listBackgroundMigrations } from "../store/installation/background-migrations.ts";
import { migrate } from "../store/installation/migrate.ts";
import { ensurePartitions } from "../store/installation/partitions.ts";

type MigrateResult = { applied: string[]; background: { name: string; done: number }[] };

/** `say` gets a line for each step. Errors are sentences for the operator. */
export async function migrateDatabase(
  env: Record<string, string | undefined>,
  say: (text: string) => void,
): Promise<MigrateResult> {
  const config = readConfig(env);
  const database = await openDatabase(config, pino({ level: "silent" }));
  say(`database: ${database.name}`);
  try {
    const { directDatabaseUrl: directUrl } = config;
    const db = openDb({ url: database.url, directUrl, poolSize: 2, onError: () => {} });
    try {
      const applied = await migrate(db, { say });
      const months = await ensurePartitions(db, new Date());
      for (const name of months) say(`created partition ${name}`);
      const rows = (await listBackgroundMigrations(db)).filter(({ finished_at }) => finished_at === null);
      return { applied, background: rows.map((row) => ({ name: row.name, done: shareDone(row) })) };
    } finally {
      await db.destroy();
    }
  } finally {
    await database.stop();
  }
}

// Which migrations a database has, and whether this program may run on it. Two neighbouring releases share a database,
// so each migration is recorded with the oldest program that may still run (docs/decisions/0034-rolling-upgrades.md).
import { sql } from "kysely";
import type { Db } from "../db.ts";
import { readMigrations } from "./migration-files.ts";

/** The NOTIFY channel on which migrations are announced. */
export const schemaChannel = "tidings_schema";

/** A day: by then, all processes are of the same release again, or went back to the older one for good. */
const sharedHours = 24;

export type SchemaState = {
  /** The name of the newest migration that this program does not know; null if it knows all of them. */
  newer: string | null;
  /** This program may no longer run on the database. */
  isTooNew: boolean;
  /** Processes of a newer release run as well, or did a moment ago: what this program cannot do is left to them. */
  isShared: boolean;
};

let newestKnown: number | undefined;

export async function readSchemaState(db: Db): Promise<SchemaState> {
  newestKnown ??= readMigrations().at(-1)?.version ?? 0;
  const { rows } = await sql<SchemaState>`
    select (array_agg(name order by version desc))[1] as newer,
      coalesce(max(compatible_from) > ${newestKnown}, false) as "isTooNew",
      coalesce(max(applied_at) > clock_timestamp() - ${sharedHours} * interval '1 hour', false) as "isShared"
    from schema_versions where version > ${newestKnown}`.execute(db);
  return rows[0]!;
}

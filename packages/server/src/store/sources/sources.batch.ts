// The sources that workers empty, of all environments.
import { sql } from "kysely";
import type { Db } from "../db.ts";
import type { SourceRow } from "./sources.ts";

/** A source, and what a worker has to know about its environment. */
export type ActiveSource = SourceRow & { environment_type: "dev" | "prod" };

/** The sources of all environments that are not paused. */
export async function listActiveSources(db: Db): Promise<ActiveSource[]> {
  const { rows } = await sql<ActiveSource>`
    select s.*, e.type as environment_type from sources s join environments e on e.id = s.environment_id
    where not s.paused and e.deleted_at is null order by s.id`.execute(db);
  return rows;
}

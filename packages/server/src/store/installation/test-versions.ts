// The drafts of tests (docs/decisions/0039-test-versions.md), which nothing reads after their events have gone.
import { sql } from "kysely";
import { firstIdAt } from "../../lib/ids.ts";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { testVersionReuseMs } from "../workflows/versions.ts";
import type { Horizon } from "./retention-rows.ts";

/** A version is used by events until then after its creation; the second day is for clocks that differ. */
const usedMs = 2 * testVersionReuseMs;

/**
 * Deletes up to `limit` test versions whose events are past the retention of messages and have gone; returns how many.
 * Events that are kept for a run that waits keep their version. They are few, if it is called after the events were
 * deleted.
 */
export async function purgeTestVersions(
  db: Db,
  horizons: Pick<Horizon, "environment_id" | "before" | "before_id">[],
  limit: number,
): Promise<number> {
  const limits = horizons.map(({ environment_id, before, before_id }) => ({
    environment_id,
    before_id,
    last_id: firstIdAt(new Date(before.getTime() - usedMs)),
  }));
  const newest = limits
    .map(({ before_id }) => before_id)
    .toSorted()
    .at(-1);
  const { numAffectedRows = 0n } = await sql`
    delete from workflow_versions where id in (
      select v.id from workflow_versions v
      join ${rowsOf("c", { environment_id: "uuid", before_id: "uuid", last_id: "uuid" }, limits)}
        on c.environment_id = v.environment_id and v.id < c.last_id
      where v.number < 0 and not exists (
        select 1 from events e where e.environment_id = v.environment_id and e.workflow_version_id = v.id
          and e.id > v.id and e.id < c.before_id and e.id < ${newest}::uuid)
      limit ${limit} for update of v skip locked)`.execute(db);
  return Number(numAffectedRows);
}

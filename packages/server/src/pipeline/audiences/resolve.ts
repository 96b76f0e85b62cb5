// The audiences that a rule reads, with those that they read in turn.
import { audienceRuleLimits } from "@tidings/contract";
import { checkRule } from "../../lib/audiences/rule-check.ts";
import { type AudienceRow, findAudiencesByKeys } from "../../store/audiences/audiences.ts";
import type { Db } from "../../store/db.ts";

/** By id. One query for each level. */
export async function resolveAudiences(
  db: Db,
  environmentId: string,
  audienceIds: Iterable<string>,
): Promise<Map<string, AudienceRow>> {
  const found = new Map<string, AudienceRow>();
  const asked = new Set<string>();
  let wanted = [...new Set(audienceIds)];
  for (let level = 0; level <= audienceRuleLimits.depth && wanted.length > 0; level++) {
    for (const id of wanted) asked.add(id);
    const rows = await findAudiencesByKeys(db, environmentId, wanted);
    for (const row of rows) found.set(row.audience_id, row);
    wanted = [...new Set(rows.flatMap(({ rule }) => [...audiencesIn(rule)]))].filter((id) => !asked.has(id));
  }
  return found;
}

export const audiencesIn = (rule: unknown): Iterable<string> =>
  rule === null ? [] : checkRule(rule).needs.audiences.keys();

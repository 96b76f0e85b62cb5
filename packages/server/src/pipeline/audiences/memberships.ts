// Which people are in which audiences, for many people at once.
import { selectMemberships } from "../../store/audiences/memberships.ts";
import type { Db } from "../../store/db.ts";
import { audienceConditions } from "./condition.ts";

/** By internal id of the subscriber: the ids of the audiences that have the person. People in none are left out. */
export async function findMemberships(
  db: Db,
  environmentId: string,
  subscriberRowIds: string[],
  audienceIds: string[],
  now: Date,
): Promise<Map<string, string[]>> {
  if (subscriberRowIds.length === 0 || audienceIds.length === 0) return new Map();
  const conditions = await audienceConditions(db, environmentId, audienceIds, now);
  return conditions.length === 0 ? new Map() : selectMemberships(db, environmentId, subscriberRowIds, conditions);
}

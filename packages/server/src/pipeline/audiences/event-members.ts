// The people of an event to audiences, or of a broadcast, as a condition in SQL.
import { allBut, type PeopleCondition } from "../../store/audiences/audience-members.ts";
import type { Db } from "../../store/db.ts";
import type { AudiencesOfEvent } from "../../store/tables.ts";
import { audienceCondition } from "./condition.ts";

/** Whether the subscriber `s` is in one of the audiences (without any: always), and in none of those of `minus`. */
export async function membersCondition(
  db: Db,
  environmentId: string,
  { audienceIds, minus }: Pick<AudiencesOfEvent, "audienceIds" | "minus">,
  now: Date,
): Promise<PeopleCondition> {
  const conditionOf = (ids: string[]) => (ids.length > 0 ? audienceCondition(db, environmentId, ids, now) : null);
  return allBut(await conditionOf(audienceIds), await conditionOf(minus));
}

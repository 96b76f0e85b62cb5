// The people of a broadcast as a condition over `subscribers s`: audiences minus others.
import type { BroadcastAudience } from "@tidings/contract";
import type { PeopleCondition } from "../../store/audiences/audience-members.ts";
import type { Db } from "../../store/db.ts";
import { membersCondition } from "../audiences/event-members.ts";

/** For a draft that has an audience, or is for everyone. */
export const isOfBroadcast = (
  db: Db,
  environmentId: string,
  { include, exclude = [] }: BroadcastAudience,
  now: Date,
): Promise<PeopleCondition> => membersCondition(db, environmentId, { audienceIds: include, minus: exclude }, now);

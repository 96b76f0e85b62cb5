// The people of audiences as a condition in SQL.
import { anyOf, type PeopleCondition } from "../../store/audiences/audience-members.ts";
import {
  audienceCondition as compileAudience,
  type RuleContext,
  ruleCondition,
} from "../../store/audiences/compile/rules.ts";
import type { Db } from "../../store/db.ts";
import { audiencesIn, resolveAudiences } from "./resolve.ts";

/**
 * Whether the subscriber `s` (alias of `subscribers`) is in at least one of the audiences with these ids; false for
 * unknown ones. The query also has to name the environment of `s`.
 */
export async function audienceCondition(
  db: Db,
  environmentId: string,
  audienceIds: string[],
  now: Date,
): Promise<PeopleCondition> {
  const conditions = await audienceConditions(db, environmentId, audienceIds, now);
  const each = conditions.map(({ condition }) => condition);
  return anyOf(each);
}

/** The same for each of them; without the unknown ones. */
export async function audienceConditions(
  db: Db,
  environmentId: string,
  audienceIds: string[],
  now: Date,
): Promise<{ audienceId: string; condition: PeopleCondition }[]> {
  const audiences = await resolveAudiences(db, environmentId, audienceIds);
  const context: RuleContext = { environmentId, now, audiences };
  return [...new Set(audienceIds)].flatMap((audienceId) => {
    const audience = audiences.get(audienceId);
    return audience ? [{ audienceId, condition: compileAudience(audience, context) }] : [];
  });
}

/** Whether a rule that may not be saved holds for `s`. It has been checked. */
export async function conditionOfRule(
  db: Db,
  environmentId: string,
  rule: unknown,
  now: Date,
): Promise<PeopleCondition> {
  const audiences = await resolveAudiences(db, environmentId, audiencesIn(rule));
  return ruleCondition(rule, { environmentId, now, audiences });
}

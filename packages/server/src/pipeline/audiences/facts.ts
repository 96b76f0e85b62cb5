// What the interpreter knows about people when it evaluates the rule of an audience. The same facts in SQL:
// store/audiences/compile/fields.ts.

import { audienceRuleLimits } from "@tidings/contract";
import { checkRule, type RuleNeeds } from "../../lib/audiences/rule-check.ts";
import { isTruthy } from "../../lib/condition-operators.ts";
import { evaluate } from "../../lib/conditions.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { AudienceRow } from "../../store/audiences/audiences.ts";
import {
  type ActivityRow,
  type ChoiceRow,
  findActivity,
  findFixedMembers,
  findOwnChoices,
  findPeople,
  findTopicKeys,
} from "../../store/audiences/facts.ts";
import type { Db } from "../../store/db.ts";
import type { SubscriberRow } from "../../store/subscribers/subscribers.ts";
import { subscriberScope } from "../rules/scope.ts";

export type AudienceFacts = JsonObject & { audiences: string[] };

type Asked = {
  subscriberRowIds: string[];
  rule: unknown;
  /** Those that the rule reads, with what they read in turn. */
  audiences: ReadonlyMap<string, AudienceRow>;
  now: Date;
};

/** By internal id of the subscriber. Only the kinds of facts that the rules read are loaded. */
export async function loadAudienceFacts(
  db: Db,
  environmentId: string,
  { subscriberRowIds: ids, rule, audiences, now }: Asked,
): Promise<Map<string, AudienceFacts>> {
  const rules = [rule, ...[...audiences.values()].map((audience) => audience.rule).filter((other) => other !== null)];
  const needs = rules.map((each) => checkRule(each).needs);
  const preferences = needs.flatMap((each) => each.preferences);
  const workflowIds = [...new Set(preferences.flatMap(({ workflowId }) => workflowId ?? []))];
  const fixed = [...audiences.values()].filter((audience) => audience.rule === null);
  const has = (kind: "topics" | "activity") => needs.some((each) => each[kind]);
  const [people, topics, activity, choices, members] = await Promise.all([
    findPeople(db, environmentId, ids),
    has("topics") ? findTopicKeys(db, environmentId, ids) : [],
    has("activity") ? findActivity(db, environmentId, ids) : [],
    preferences.length > 0 ? findOwnChoices(db, environmentId, ids, workflowIds) : [],
    fixed.length > 0
      ? findFixedMembers(
          db,
          environmentId,
          ids,
          fixed.map(({ id }) => id),
        )
      : [],
  ]);
  const topicsOf = new Map(topics.map(({ subscriber_id, keys }) => [subscriber_id, keys]));
  const activityOf = new Map(activity.map((row) => [row.subscriber_id, row]));
  const choicesOf = Map.groupBy(choices, ({ subscriber_id }) => subscriber_id);
  const membershipsOf = Map.groupBy(members, ({ subscriber_id }) => subscriber_id);
  return new Map(
    people.map((row) => {
      const facts: AudienceFacts = {
        subscriber: subscriberFacts(row),
        topics: topicsOf.get(row.id) ?? [],
        audiences: [],
        preferences: preferenceFacts(preferences, choicesOf.get(row.id) ?? []),
        activity: activityFacts(row, activityOf.get(row.id), now),
      };
      const fixedIds = new Set(membershipsOf.get(row.id)?.map(({ audience_id }) => audience_id));
      return [row.id, withAudiences(facts, audiences, fixedIds)];
    }),
  );
}

const subscriberFacts = (row: SubscriberRow): JsonObject => ({
  ...subscriberScope(row),
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
});

const dayMs = 86_400_000;

function activityFacts(row: SubscriberRow, activity: ActivityRow | undefined, now: Date): JsonObject {
  const times = { Online: row.last_online_at, Read: activity?.last_read_at, Opened: activity?.last_opened_at };
  const facts: JsonObject = {};
  for (const [name, time] of Object.entries(times)) {
    facts[`last${name}At`] = time?.toISOString() ?? null;
    facts[`daysSince${name}`] = time ? Math.floor((now.getTime() - time.getTime()) / dayMs) : null;
  }
  return facts;
}

/** The own choice for the workflow, then for everything; without one it is on. An id may have dots, as paths do. */
function preferenceFacts(asked: RuleNeeds["preferences"], choices: ChoiceRow[]): JsonObject {
  const choiceFor = (key: string | null, channel: string) =>
    choices.find(({ workflow_key }) => workflow_key === key)?.channels[channel];
  const facts: JsonObject = { global: {}, workflows: {} };
  for (const { workflowId, channel } of asked) {
    const everything = choiceFor(null, channel) ?? true;
    const path = workflowId === null ? ["global"] : ["workflows", ...workflowId.split(".")];
    let level = facts;
    for (const name of path) {
      if (typeof level[name] !== "object") level[name] = {};
      level = level[name] as JsonObject;
    }
    level[channel] = workflowId === null ? everything : (choiceFor(workflowId, channel) ?? everything);
  }
  return facts;
}

/** Adds the audiences that have the person, by evaluating their rules. */
function withAudiences(
  facts: AudienceFacts,
  audiences: ReadonlyMap<string, AudienceRow>,
  fixedIds: ReadonlySet<string>,
): AudienceFacts {
  const known = new Map<string, boolean>();
  const isIn = (id: string, level: number): boolean => {
    const audience = audiences.get(id);
    if (!audience || level > audienceRuleLimits.depth) return false;
    const before = known.get(id);
    if (before !== undefined) return before;
    const { rule } = audience;
    const isMember =
      rule === null
        ? fixedIds.has(audience.id)
        : holds(rule, {
            ...facts,
            audiences: [...checkRule(rule).needs.audiences.keys()].filter((other) => isIn(other, level + 1)),
          });
    known.set(id, isMember);
    return isMember;
  };
  return { ...facts, audiences: [...audiences.keys()].filter((id) => isIn(id, 0)).sort() };
}

/** Whether the rule is true for the person with these facts. */
export const holds = (rule: unknown, facts: AudienceFacts): boolean => isTruthy(evaluate(rule, facts));

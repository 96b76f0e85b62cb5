// Whether an event reaches somebody through its topics, and how to say it. The walk through an audience, the dry-run and
// the explanation of a past event ask the same question here. Pure.
import type { Reach } from "@tidings/contract";
import { withinBudget } from "../../lib/work.ts";
import type { EventRow } from "../../store/events/events.ts";
import type { Audience, PassedSubscription, StoredRule } from "../../store/tables.ts";
import type { AudienceMember, AudienceSubscription } from "../../store/topics/topic-audience.ts";
import type { WorkflowVersion } from "../../store/workflows/workflows.ts";
import { passingSubscriptions, ruleWorkflow } from "./topic-members.ts";
import { firstMatch } from "./topic-rules.ts";

type Topics = Extract<Audience, { kind: "topics" }>;
type Addressing = Pick<EventRow, "recipients" | "actor">;

/** A subscription that does not let the event through, and its rule that says so. */
export type Refusal = { topicKey: string; identifier: string; rule: StoredRule };

export type TopicVerdict =
  | { kind: "topic"; subscriptions: PassedSubscription[] }
  | { kind: LeftOut }
  | { kind: "topic_rule"; refusals: Refusal[] };

type LeftOut = "direct" | "excluded" | "actor";

/** The people whom the topics of an event do not add, by subscriber id: `direct` ones get it anyway. */
export function leftOutBy({ recipients, actor }: Addressing, { exclude }: Topics): Map<string, LeftOut> {
  const left = new Map<string, LeftOut>(exclude.map((id) => [id, "excluded"]));
  if (actor?.subscriberId !== undefined) left.set(actor.subscriberId, "actor");
  for (const { subscriberId } of recipients) left.set(subscriberId!, "direct");
  return left;
}

export function judgeMember(
  { subscriber, subscriptions }: AudienceMember,
  left: ReadonlyMap<string, LeftOut>,
  { topicKeys }: Topics,
  version: WorkflowVersion,
  payload: Record<string, unknown>,
): TopicVerdict {
  const kind = left.get(subscriber.subscriber_id);
  if (kind) return { kind };
  // One budget of work for all subscriptions of the member.
  const passed = withinBudget(() => passingSubscriptions(subscriptions, topicKeys, version, payload, subscriber));
  if (passed.length > 0) return { kind: "topic", subscriptions: passed };
  return { kind: "topic_rule", refusals: subscriptions.map((one) => refusalOf(one, version)) };
}

const refusalOf = ({ topicKey, identifier, rules }: AudienceSubscription, version: WorkflowVersion): Refusal => ({
  topicKey,
  identifier,
  // Without a rule that matches the workflow, a subscription lets everything through.
  rule: firstMatch(rules, ruleWorkflow(version))!,
});

const simple = {
  direct: "The event names this subscriber",
  everyone: "The event is for everyone",
  excluded: "The event excludes this subscriber from its topics",
  actor: "This subscriber is the actor of the event, whom its topics leave out",
  not_addressed: "The event names neither this subscriber nor any topic",
  unknown_subscriber: "The event names this subscriber, who does not exist now",
  pending: "The event is still being worked, and this subscriber's turn has not come",
  canceled: "The event was canceled before this subscriber's turn came",
} as const;

export const tellSimply = (kind: keyof typeof simple): Reach => ({ kind, text: simple[kind] });

type Named = { topicKey: string; identifier: string };

const topicsOf = (subscriptions: readonly Named[]) =>
  subscriptions.map(({ topicKey, identifier }) => ({ topicKey, subscription: identifier }));

const wordPositionsOf = (subscriptions: readonly Named[]): string =>
  subscriptions.map(({ topicKey, identifier }) => `topic ${topicKey} (subscription ${identifier})`).join(" and ");

export const tellPassed = (subscriptions: readonly Named[]): Reach => ({
  kind: "topic",
  text: `Reached through ${wordPositionsOf(subscriptions)}`,
  topics: topicsOf(subscriptions),
});

export const tellRefused = (refusals: readonly Refusal[]): Reach => ({
  kind: "topic_rule",
  text: refusals
    .map(
      ({ topicKey, identifier, rule }) => `Subscription ${identifier} to topic ${topicKey} says no: ${ruleText(rule)}`,
    )
    .join("; "),
  topics: refusals.map(({ topicKey, identifier, rule }) => ({ topicKey, subscription: identifier, rule })),
});

const ruleText = ({ condition, enabled }: StoredRule): string => {
  if (condition) return `its condition ${JSON.stringify(condition).slice(0, 300)} is not met`;
  return enabled === undefined ? "it follows the workflow, which is turned off" : "it is turned off for this workflow";
};

const contextsText = (keys: readonly string[]): string => (keys.length === 0 ? "no context" : keys.join(", "));

export const tellOtherContext = (
  memberships: readonly (Named & { contextKeys: string[] })[],
  contextKeys: readonly string[],
): Reach => ({
  kind: "other_context",
  text: memberships
    .map(({ contextKeys: own, ...one }) => `Subscribed to ${wordPositionsOf([one])} for ${contextsText(own)}`)
    .concat(`the event has ${contextsText(contextKeys)}`)
    .join("; "),
  topics: topicsOf(memberships),
});

export const tellNotMember = (topicKeys: readonly string[]): Reach => ({
  kind: "not_member",
  text: `Not subscribed to the event's ${topicKeys.length === 1 ? "topic" : "topics"} ${topicKeys.join(", ")}`,
});

/** What is there now would have let the event through. */
export const tellChanged = (why: string, subscriptions: readonly Named[] = []): Reach => ({
  kind: "changed_since",
  text: `The event would reach this subscriber now, but did not when it was worked: ${why}`,
  ...(subscriptions.length > 0 && { topics: topicsOf(subscriptions) }),
});

/** How a member of the event's topics is told of. */
export function tellMember(verdict: TopicVerdict): Reach {
  if (verdict.kind === "topic") return tellPassed(verdict.subscriptions);
  return verdict.kind === "topic_rule" ? tellRefused(verdict.refusals) : tellSimply(verdict.kind);
}

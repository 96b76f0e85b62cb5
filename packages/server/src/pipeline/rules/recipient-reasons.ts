// Why an event reaches a subscriber or does not: the match against its topics, and the reasons as text. The walk
// through an audience, the dry-run and the explanation of a past event share these rules. Pure.
import { conditionText, type DecidedBy, type Decider, type Reach } from "@tidings/contract";
import type { JsonObject } from "../../lib/json.ts";
import { withinBudget } from "../../lib/work.ts";
import type { EventRow } from "../../store/events/events.ts";
import type { Audience, PassedSubscription, StoredRule } from "../../store/tables.ts";
import type { AudienceMember, AudienceSubscription } from "../../store/topics/topic-audience.ts";
import type { WorkflowVersion } from "../../store/workflows/workflows.ts";
import { firstMatch, passingSubscriptions, ruleWorkflow } from "./topic-rules.ts";

type Topics = Extract<Audience, { kind: "topics" }>;
type Addressing = Pick<EventRow, "recipients" | "actor">;

/** A subscription that does not let the event through, and the rule that decided. */
export type Refusal = { topicKey: string; identifier: string; rule: StoredRule };

export type TopicMatch =
  | { kind: "topic"; subscriptions: PassedSubscription[] }
  | { kind: Exclusion }
  | { kind: "topic_rule"; refusals: Refusal[] };

type Exclusion = "direct" | "excluded" | "actor";

/**
 * The subscribers that the topics of an event do not add, by subscriber id; a `direct` recipient is named by the event.
 */
export function excludedFromTopics({ recipients, actor }: Addressing, { exclude }: Topics): Map<string, Exclusion> {
  const excluded = new Map<string, Exclusion>(exclude.map((id) => [id, "excluded"]));
  if (actor?.subscriberId !== undefined) excluded.set(actor.subscriberId, "actor");
  for (const { subscriberId } of recipients) if (subscriberId !== undefined) excluded.set(subscriberId, "direct");
  return excluded;
}

/** The event as far as its topics are concerned. */
type TopicEvent = {
  audience: Topics;
  excluded: ReadonlyMap<string, Exclusion>;
  version: WorkflowVersion;
  payload: JsonObject;
};

export function matchTopicMember(member: AudienceMember, event: TopicEvent): TopicMatch {
  const { subscriber, subscriptions } = member;
  const exclusion = event.excluded.get(subscriber.subscriber_id);
  if (exclusion) return { kind: exclusion };
  const { audience, version, payload } = event;
  // One budget of work for all subscriptions of the member.
  const passed = withinBudget(() =>
    passingSubscriptions(subscriptions, { topicKeys: audience.topicKeys, version, payload, subscriber }),
  );
  if (passed.length > 0) return { kind: "topic", subscriptions: passed };
  return { kind: "topic_rule", refusals: subscriptions.map((one) => refusalOf(one, version)) };
}

const refusalOf = ({ topicKey, identifier, rules }: AudienceSubscription, version: WorkflowVersion): Refusal => ({
  topicKey,
  identifier,
  // A subscription without a rule that matches the workflow lets every event through, so there is one.
  rule: firstMatch(rules, ruleWorkflow(version))!,
});

const plainTexts = {
  direct: "Sent to this person directly",
  everyone: "The event is for everyone",
  audience: "In an audience of the event when it started",
  excluded: "The event excludes this subscriber from its topics",
  actor: "This subscriber is the actor of the event, whom its topics leave out",
  not_addressed: "The event names neither this subscriber nor any topic",
  unknown_subscriber: "The event names this subscriber, who does not exist now",
  pending: "The event is still being worked, and this subscriber's turn has not come",
  canceled: "The event was canceled before this subscriber's turn came",
  workflow_off: "The workflow was off when the event came",
} as const;

export const plainReason = (kind: keyof typeof plainTexts): Reach => ({ kind, text: plainTexts[kind] });

type SubscriptionName = { topicKey: string; identifier: string };

const topicsOf = (subscriptions: readonly SubscriptionName[]) =>
  subscriptions.map(({ topicKey, identifier }) => ({ topicKey, subscription: identifier }));

const subscriptionNames = (subscriptions: readonly SubscriptionName[]): string =>
  subscriptions.map(({ topicKey, identifier }) => `topic ${topicKey} (subscription ${identifier})`).join(" and ");

export function topicReason(subscriptions: readonly SubscriptionName[]): Reach {
  return {
    kind: "topic",
    text: `Reached through ${subscriptionNames(subscriptions)}`,
    topics: topicsOf(subscriptions),
  };
}

export function ruleReason(refusals: readonly Refusal[]): Reach {
  return {
    kind: "topic_rule",
    text: refusals
      .map(
        ({ topicKey, identifier, rule }) =>
          `Subscription ${identifier} to topic ${topicKey} says no: ${ruleText(rule)}`,
      )
      .join("; "),
    topics: refusals.map(({ topicKey, identifier, rule }) => ({ topicKey, subscription: identifier, rule })),
  };
}

function ruleText({ condition, enabled }: StoredRule): string {
  if (condition) return `it lets events through only when ${conditionText(condition)}`;
  return enabled === undefined ? "it follows the workflow, which is turned off" : "it is turned off for this workflow";
}

const contextsText = (keys: readonly string[]): string => (keys.length === 0 ? "no context" : keys.join(", "));

export function otherContextReason(
  memberships: readonly (SubscriptionName & { contextKeys: string[] })[],
  contextKeys: readonly string[],
): Reach {
  return {
    kind: "other_context",
    text: memberships
      .map(({ contextKeys: own, ...one }) => `Subscribed to ${subscriptionNames([one])} for ${contextsText(own)}`)
      .concat(`the event has ${contextsText(contextKeys)}`)
      .join("; "),
    topics: topicsOf(memberships),
  };
}

export function notMemberReason(topicKeys: readonly string[]): Reach {
  return {
    kind: "not_member",
    text: `Not subscribed to the event's ${topicKeys.length === 1 ? "topic" : "topics"} ${topicKeys.join(", ")}`,
  };
}

/** The current subscriptions would let the event through, those at the time did not. */
export function changedReason(why: string, subscriptions: readonly SubscriptionName[] = []): Reach {
  return {
    kind: "changed_since",
    text: `The event would reach this subscriber now, but did not when it was worked: ${why}`,
    ...(subscriptions.length > 0 && { topics: topicsOf(subscriptions) }),
  };
}

/** The reason for a member of the event's topics. */
export function memberReason(match: TopicMatch): Reach {
  if (match.kind === "topic") return topicReason(match.subscriptions);
  return match.kind === "topic_rule" ? ruleReason(match.refusals) : plainReason(match.kind);
}

/** `changed_since` depends: the subscriptions changed, or the subscriber did. */
const reachDeciders: Readonly<Record<Reach["kind"], Decider | undefined>> = {
  direct: "event",
  everyone: "event",
  audience: "event",
  excluded: "event",
  actor: "event",
  not_addressed: "event",
  canceled: "event",
  topic: "topic",
  topic_rule: "topic",
  other_context: "topic",
  not_member: "topic",
  unknown_subscriber: "subscriber",
  workflow_off: "workflow",
  changed_since: undefined,
  pending: undefined,
};

/** What a recipient's reason is named after. `topicKeys`: the topics of the event. */
type ReachPlace = {
  workflow: { workflowId: string; name: string };
  subscriberId: string;
  transactionId?: string;
  topicKeys: readonly string[];
};

/** The reason with who decided: programs find the place to change it by this, and never by the text. */
export function withDecider(reach: Reach, place: ReachPlace): Reach {
  const kind = reach.kind === "changed_since" ? (reach.topics ? "topic" : "subscriber") : reachDeciders[reach.kind];
  return kind ? { ...reach, decidedBy: { kind, ...namesOf(kind, reach, place) } } : reach;
}

function namesOf(kind: Decider, { topics = [] }: Reach, place: ReachPlace): Omit<DecidedBy, "kind"> {
  const { workflow, subscriberId, transactionId, topicKeys } = place;
  if (kind === "workflow") return { id: workflow.workflowId, name: workflow.name };
  if (kind === "subscriber") return { id: subscriberId };
  if (kind === "event") return transactionId === undefined ? {} : { id: transactionId };
  const [first] = topics;
  return first ? { id: first.topicKey, name: first.subscription } : { id: topicKeys[0] };
}

export const topicKeysOf = (audience: Audience | null): readonly string[] =>
  audience?.kind === "topics" ? audience.topicKeys : [];

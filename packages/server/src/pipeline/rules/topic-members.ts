// Which of a member's subscriptions let an event through. Pure.

import type { SubscriberRow } from "../../store/subscribers/subscribers.ts";
import type { PassedSubscription } from "../../store/tables.ts";
import type { AudienceSubscription } from "../../store/topics/topic-audience.ts";
import type { WorkflowVersion } from "../../store/workflows/workflows.ts";
import { personScope, workflowScope } from "../render/scope.ts";
import { passesRules, type RuleWorkflow } from "./topic-rules.ts";

/** A workflow as rules of subscriptions see it. */
export function ruleWorkflow({ workflowId: id, definition }: WorkflowVersion): RuleWorkflow {
  const { workflowId, tags, preferences } = definition;
  return { id, workflowId, tags, preferences };
}

/** In the order in which the event names the topics; none when no subscription lets the event through. */
export function passingSubscriptions(
  subscriptions: readonly AudienceSubscription[],
  topicKeys: readonly string[],
  version: WorkflowVersion,
  payload: Record<string, unknown>,
  subscriber: SubscriberRow,
): PassedSubscription[] {
  const workflow = ruleWorkflow(version);
  // Most subscriptions have no rules: what conditions see is put together only where one is asked.
  const scope = () => ({
    payload,
    subscriber: personScope(subscriber),
    workflow: workflowScope(version.definition),
  });
  return subscriptions
    .filter(({ rules }) => rules.length === 0 || passesRules(rules, workflow, scope()))
    .map(({ id, identifier, topicId, topicKey }) => ({ id, identifier, topicId, topicKey }))
    .sort((a, b) => topicKeys.indexOf(a.topicKey) - topicKeys.indexOf(b.topicKey));
}

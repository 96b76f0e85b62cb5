// Why a person got a message of a past event, or did not. For a recipient this is read from the rows that the pipeline
// stored. Nothing is stored about people an event did not reach: for them the rules are evaluated again, as of now.
import type { Explanation, Input, Output, Reach } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure } from "../../failure.ts";
import { rankOf } from "../../pipeline/attention/message-class.ts";
import { readItem } from "../../pipeline/attention/roll-up-items.ts";
import {
  changedReason,
  excludedFromTopics,
  matchTopicMember,
  notMemberReason,
  otherContextReason,
  plainReason,
  ruleReason,
  topicKeysOf,
  topicReason,
  withDecider,
} from "../../pipeline/rules/recipient-reasons.ts";
import { loadVersions } from "../../pipeline/run/versions.ts";
import { listRollUpItems } from "../../store/attention/roll-ups.ts";
import { inReadOnlyTransaction } from "../../store/db.ts";
import { type EventRow, findEventOfTransaction, findEvents } from "../../store/events/events.ts";
import {
  countNotificationsOf,
  findNotificationFor,
  type ListedNotification,
} from "../../store/events/notifications.ts";
import { findDeletedSubscribers, findSubscriber, type SubscriberRow } from "../../store/subscribers/subscribers.ts";
import type { Audience } from "../../store/tables.ts";
import { findMemberships } from "../../store/topics/topic-audience.ts";
import type { WorkflowVersion } from "../../store/workflows/workflows.ts";
import { explainNotification } from "./explain-trail.ts";

export async function retrieve(
  ctx: Ctx,
  caller: Caller,
  { query }: Input<"explain.retrieve">,
): Promise<Output<"explain.retrieve">> {
  return inReadOnlyTransaction(ctx.db, (tx) => explain({ ...ctx, db: tx }, caller, query));
}

/** A past event, and the person the caller asks about. */
type Question = {
  event: EventRow;
  status: Explanation["event"]["status"];
  version: WorkflowVersion;
  subscriberId: string;
  subscriber: SubscriberRow | undefined;
};

async function explain(ctx: Ctx, caller: Caller, query: Input<"explain.retrieve">["query"]): Promise<Explanation> {
  const { db } = ctx;
  const { environmentId } = caller;
  const { transactionId } = query;
  const subscriberId = query.subscriberId.trim();
  const event = await findEventOfTransaction(db, environmentId, transactionId);
  if (!event) throw failure("TRANSACTION_NOT_FOUND", { transactionId });
  const subscriber = await findSubscriber(db, environmentId, subscriberId);
  const notification = await findNotificationOf(ctx, event, subscriberId, subscriber);
  if (!subscriber && !notification && !isMentioned(event, subscriberId)) {
    throw failure("SUBSCRIBER_NOT_FOUND", { subscriberId });
  }
  const version = (await loadVersions(ctx, [event.workflow_version_id])).get(event.workflow_version_id)!;
  const status = await statusOf(ctx, event);
  const question = { event, status, version, subscriberId, subscriber };
  const timezone = subscriber?.timezone ?? undefined;
  const decided = (reach: Reach): Reach =>
    withDecider(reach, {
      workflow: version.definition,
      subscriberId,
      transactionId,
      topicKeys: topicKeysOf(event.audience),
    });
  const startedBy = await findStarter(ctx, event);
  const common = { transactionId, subscriberId, timezone, event: { ...toEvent(question), ...startedBy } };
  if (!notification) {
    const via = decided(await explainNotReached(ctx, question));
    const verdict = `Nothing was sent: ${via.text.charAt(0).toLowerCase()}${via.text.slice(1)}.`;
    return { ...common, reached: false, evaluatedNow: status !== "refused", via, verdict, steps: [] };
  }
  return {
    ...common,
    reached: true,
    evaluatedNow: false,
    via: decided(reachedVia(question, notification)),
    notificationId: notification.id,
    ...(await findItems(ctx, event)),
    ...(await explainNotification(ctx, environmentId, notification)),
  };
}

/** What is stored counts, even for a subscriber that was deleted since, or deleted and created again. */
async function findNotificationOf(
  { db }: Ctx,
  { environment_id: environmentId, id: eventId }: EventRow,
  subscriberId: string,
  subscriber: SubscriberRow | undefined,
): Promise<ListedNotification | undefined> {
  const own = subscriber && (await findNotificationFor(db, environmentId, eventId, [subscriber.id]));
  if (own) return own;
  const deleted = await findDeletedSubscribers(db, environmentId, subscriberId);
  if (deleted.length === 0) return undefined;
  return findNotificationFor(
    db,
    environmentId,
    eventId,
    deleted.map(({ id }) => id),
  );
}

const isNamed = ({ recipients }: EventRow, id: string): boolean =>
  recipients.some(({ subscriberId }) => subscriberId === id);

const isMentioned = (event: EventRow, id: string): boolean =>
  isNamed(event, id) ||
  event.actor?.subscriberId === id ||
  (event.audience?.kind === "topics" && event.audience.exclude.includes(id));

async function statusOf(ctx: Ctx, event: EventRow): Promise<Question["status"]> {
  const { environment_id: environmentId, audience, expanded_at, canceled_at, recipients, refusal } = event;
  if (refusal) return "refused";
  if (canceled_at) return "canceled";
  if (audience && !expanded_at) return "expanding";
  if (recipients.length === 0) return "expanded";
  const count = await countNotificationsOf(ctx.db, environmentId, event.id, recipients.length);
  return count < recipients.length ? "expanding" : "expanded";
}

const toEvent = ({ event, status, version }: Question): Explanation["event"] => ({
  workflowId: version.definition.workflowId,
  workflowName: version.definition.name,
  time: event.created_at.toISOString(),
  status,
  contextKeys: event.context_keys,
  priority: rankOf(event, version.definition).priority ?? "normal",
  ...(version.definition.isTest && { isTest: true }),
});

/** Nothing for an event of a request. */
async function findStarter(
  { db }: Ctx,
  { environment_id: environmentId, started_by: starter }: EventRow,
): Promise<Pick<Explanation["event"], "startedBy"> | undefined> {
  if (!starter) return undefined;
  const { eventId, notificationId, workflowId, stepId } = starter;
  const [event] = await findEvents(db, environmentId, [eventId]);
  const act = starter.rollUp ? "held the first item of it" : "started it";
  const text = `The step ${stepId} of the workflow ${workflowId} ${act}${event ? `, in transaction ${event.transaction_id}` : ""}`;
  const transaction = event && { transactionId: event.transaction_id };
  return { startedBy: { workflowId, stepId, notificationId, ...transaction, text } };
}

const maxItems = 200;

/** Nothing for an event that sends no roll-up. */
async function findItems(
  { db }: Ctx,
  { environment_id: environmentId, started_by: starter }: EventRow,
): Promise<Pick<Explanation, "rollUp"> | undefined> {
  if (!starter?.rollUp) return undefined;
  const rows = await listRollUpItems(db, environmentId, { rollUp: starter.rollUp.id, limit: maxItems });
  return {
    rollUp: rows.flatMap((row) => {
      const item = readItem(row.output);
      const { transaction_id: transactionId, workflow_id: workflowId, workflow_name: workflowName } = row;
      const about = { transactionId, workflowId, workflowName, isTakenBack: row.is_taken_back };
      return item ? [{ ...about, title: item.title, heldAt: item.time }] : [];
    }),
  };
}

function reachedVia({ event, subscriberId }: Question, { subscriptions }: ListedNotification): Reach {
  if (subscriptions) return topicReason(subscriptions);
  return plainReason(
    isNamed(event, subscriberId) ? "direct" : event.audience?.kind === "audiences" ? "audience" : "everyone",
  );
}

async function explainNotReached(ctx: Ctx, question: Question): Promise<Reach> {
  const { event, subscriberId, subscriber } = question;
  const { audience } = event;
  // Whom the topics of the event would have reached was not asked.
  if (event.refusal) return plainReason(audience || isNamed(event, subscriberId) ? "workflow_off" : "not_addressed");
  if (isNamed(event, subscriberId)) {
    if (!subscriber) return explainUnfinished(question) ?? plainReason("unknown_subscriber");
    return explainUnfinished(question) ?? changedReason("the subscriber was deleted since, and created again");
  }
  if (!audience) return plainReason("not_addressed");
  if (audience.kind === "everyone")
    return explainUnfinished(question) ?? changedReason("the subscriber was created after the event");
  if (audience.kind === "audiences") {
    if (audience.exclude.includes(subscriberId)) return plainReason("excluded");
    return (
      explainUnfinished(question) ?? changedReason("the subscriber was not in the audience when the event started")
    );
  }
  const excluded = excludedFromTopics(event, audience).get(subscriberId);
  if (excluded) return plainReason(excluded);
  return subscriber ? explainNoTopicMatch(ctx, question, audience, subscriber) : plainReason("unknown_subscriber");
}

/** The event is still being expanded, or was canceled; null when it has been expanded. */
function explainUnfinished({ status }: Question): Reach | null {
  if (status === "expanded") return null;
  return plainReason(status === "canceled" ? "canceled" : "pending");
}

/** A person may have more subscriptions to the topics of an event; those beyond this number are not read. */
const maxMemberships = 100;

async function explainNoTopicMatch(
  ctx: Ctx,
  question: Question,
  audience: Extract<Audience, { kind: "topics" }>,
  subscriber: SubscriberRow,
): Promise<Reach> {
  const { event, version } = question;
  const { environment_id: environmentId, context_keys: contextKeys } = event;
  const { topicKeys } = audience;
  const all = await findMemberships(ctx.db, environmentId, {
    topicKeys,
    subscriberRowId: subscriber.id,
    limit: maxMemberships,
  });
  if (all.length === 0) return notMemberReason(topicKeys);
  const matching = all.filter((membership) => membership.contextKeys.join() === contextKeys.join());
  if (matching.length === 0) return otherContextReason(all, contextKeys);
  const member = { subscriber, subscriptions: matching };
  const verdict = matchTopicMember(member, { audience, excluded: new Map(), version, payload: event.payload });
  if (verdict.kind === "topic_rule") return ruleReason(verdict.refusals);
  const isLater = matching.every(({ createdAt }) => event.expanded_at !== null && createdAt > event.expanded_at);
  const why = isLater
    ? "its subscription was created after the event"
    : "its subscription or the rules of the subscription have changed since";
  return explainUnfinished(question) ?? changedReason(why, matching);
}

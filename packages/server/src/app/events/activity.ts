// The list of events with the outcomes of their recipients.
import {
  type ActivityEvent,
  type Input,
  isChannel,
  maxCountedRecipients,
  type NotificationOutcome,
} from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { invalid } from "../../failure.ts";
import { toSearchValue } from "../../lib/search-values.ts";
import {
  type ActivityFilters,
  type ActivityRow,
  findEventIdsOfSubscribers,
  findSubscribersOf,
  hasSearchValue,
} from "../../store/events/activity.ts";
import { findUsedTransactionIds } from "../../store/events/events.ts";
import { findSubscriberIds, maxSubscribers } from "../../store/events/notification-search.ts";
import { countOutcomes } from "../../store/events/outcomes.ts";
import { findRefusedEventIds } from "../../store/events/refused-events.ts";
import type { StartedBy } from "../../store/tables.ts";

type Query = Input<"activity.listEvents">["query"];

const eventsPerSubscriber = 500;
export const maxId = "ffffffff-ffff-ffff-ffff-ffffffffffff";
export const minId = "00000000-0000-0000-0000-000000000000";
/** A value that finds events automatically is not refused for the many people that it may also mean. */
async function findSearchedPeople(ctx: Ctx, environmentId: string, search: string): Promise<string[]> {
  const people = await findSubscriberIds(ctx.db, environmentId, search);
  if (people.length <= maxSubscribers) return people;
  return (await hasSearchValue(ctx.db, environmentId, toSearchValue(search))) ? [] : people;
}

export async function readFilters(ctx: Ctx, { environmentId }: Caller, query: Query): Promise<ActivityFilters> {
  const { workflowIds, channels, subscriberIds, emails, transactionId, search, after, before } = query;
  const window = { after: after ? new Date(after) : null, before: before ? new Date(before) : null };
  const filters: ActivityFilters = { workflowIds, channels, transactionId, ...window };
  if (subscriberIds?.length || emails?.length) {
    const people = await findSubscribersOf(ctx.db, environmentId, { subscriberIds, emails }, maxSubscribers + 1);
    const field = subscriberIds?.length ? "subscriberIds" : "emails";
    refuseTooMany(people, field, `${field} may match at most ${maxSubscribers} subscribers`);
    filters.eventIds = await findEventIdsOf(ctx, environmentId, { subscriberIds, internalIds: people });
  }
  if (search === undefined) return filters;
  // A whole transaction id is found by its key, however old its event is.
  if ((await findUsedTransactionIds(ctx.db, environmentId, [search])).size > 0) {
    return { ...filters, transactionId: search };
  }
  const people = await findSearchedPeople(ctx, environmentId, search);
  const message = `search matches more than ${maxSubscribers} subscribers: give a longer part of the id or address, or subscriberIds`;
  refuseTooMany(people, "search", message);
  const orEventIds = await findEventIdsOf(ctx, environmentId, { subscriberIds: [search], internalIds: people });
  return { ...filters, text: { part: search, orEventIds } };
}

type Named = { subscriberIds: string[] | undefined; internalIds: string[] };

/** Events that reached these people, and those for them whose workflow was off. */
async function findEventIdsOf(ctx: Ctx, environmentId: string, named: Named): Promise<string[]> {
  const reached = await findEventIdsOfSubscribers(ctx.db, environmentId, named.internalIds, eventsPerSubscriber);
  return [...reached, ...(await findRefusedEventIds(ctx.db, environmentId, named, eventsPerSubscriber))];
}

function refuseTooMany(people: string[], field: string, message: string): void {
  if (people.length > maxSubscribers) throw invalid({ [field]: { messages: [message] } });
}

type Outcomes = ActivityEvent["outcomes"];
const none: Outcomes = { delivered: 0, failed: 0, partly: 0, pending: 0, merged: 0, canceled: 0, skipped: 0 };

/** `wanted`: only events with a recipient of one of these outcomes. */
export async function withOutcomes(
  ctx: Ctx,
  environmentId: string,
  rows: ActivityRow[],
  wanted?: NotificationOutcome[],
): Promise<ActivityEvent[]> {
  const ids = rows.map((row) => row.id);
  const counts = await countOutcomes(ctx.db, environmentId, ids, maxCountedRecipients);
  const byEvent = Map.groupBy(counts, (count) => count.event_id);
  const events = rows.map((row) => {
    const own = (byEvent.get(row.id) ?? []).map(({ outcome, count }) => [outcome, count]);
    return toEvent(row, { ...none, ...Object.fromEntries(own) });
  });
  return wanted ? events.filter(({ outcomes }) => wanted.some((outcome) => outcomes[outcome] > 0)) : events;
}

const toStarter = ({ workflowId, stepId, notificationId }: StartedBy) => ({ workflowId, stepId, notificationId });

function toEvent(row: ActivityRow, outcomes: Outcomes): ActivityEvent {
  const recipients = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
  const isCapped = recipients >= maxCountedRecipients;
  const status = statusOf(row, recipients);
  return {
    id: row.id,
    transactionId: row.transaction_id,
    workflow: {
      _id: row.workflow_id,
      workflowId: row.workflow_identifier,
      name: row.workflow_name,
      channels: row.step_types.filter(isChannel),
    },
    createdAt: row.created_at.toISOString(),
    ...(row.is_test && { isTest: true }),
    ...(row.started_by && { startedBy: toStarter(row.started_by) }),
    payload: row.payload,
    ...(row.search_key !== null &&
      row.search_value !== null && { searchKey: { key: row.search_key, value: row.search_value.trim() } }),
    recipients,
    isCapped,
    outcomes,
    status,
    verdict: verdictOf(status, outcomes, { recipients, isCapped }),
    ...(row.refused_for !== null && row.named === 1 && { recipient: { subscriberId: row.refused_for } }),
  };
}

function statusOf(row: ActivityRow, recipients: number): ActivityEvent["status"] {
  if (row.refusal) return "refused";
  if (row.canceled_at) return "canceled";
  const isOpen = (row.has_audience && !row.expanded_at) || recipients < Math.min(row.named, maxCountedRecipients);
  if (!isOpen) return "expanded";
  return recipients === 0 ? "accepted" : "expanding";
}

const outcomeWords: [keyof Outcomes, string][] = [
  ["delivered", "delivered"],
  ["failed", "failed"],
  ["partly", "partly delivered"],
  ["pending", "in progress"],
  ["merged", "joined a digest"],
  ["canceled", "canceled"],
  ["skipped", "sent nothing"],
];

/** For an event without notifications. */
const emptyVerdicts: Record<ActivityEvent["status"], string> = {
  accepted: "Accepted, not started yet.",
  expanding: "It has no recipients.",
  expanded: "It has no recipients.",
  canceled: "Canceled before it reached a recipient.",
  refused: "Nothing was sent: the workflow was off.",
};

/** Such as "3 recipients: 2 delivered, 1 failed." */
function verdictOf(
  status: ActivityEvent["status"],
  outcomes: Outcomes,
  { recipients, isCapped }: { recipients: number; isCapped: boolean },
): string {
  if (recipients === 0) return emptyVerdicts[status];
  const parts = outcomeWords
    .filter(([name]) => outcomes[name] > 0)
    .map(([name, words]) => `${outcomes[name]} ${words}`);
  const who = isCapped ? `First ${recipients} recipients` : `${recipients} recipient${recipients === 1 ? "" : "s"}`;
  const more = status === "expanding" ? ", more to come" : "";
  return `${who}: ${parts.join(", ")}${more}.`;
}

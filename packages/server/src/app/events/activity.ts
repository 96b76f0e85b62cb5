// The list of events with the outcomes of their recipients.
import {
  type ActivityEvent,
  type Input,
  isChannel,
  mostCountedRecipients,
  type NotificationOutcome,
  type Output,
} from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { invalid } from "../../failure.ts";
import { firstIdAt, isUuid } from "../../lib/ids.ts";
import { peekClock } from "../../pipeline/clock/clock.ts";
import {
  type ActivityFilters,
  type ActivityRow,
  findEventIdsOfSubscribers,
  findSubscribersOf,
  scanEvents,
} from "../../store/events/activity.ts";
import { findUsedTransactionIds } from "../../store/events/events.ts";
import { findSubscriberIds, maxSubscribers } from "../../store/events/notification-search.ts";
import { countOutcomes } from "../../store/events/outcomes.ts";
import { findRefusedEventIds } from "../../store/events/refused-events.ts";
import { describeSoleRecipients } from "./activity-recipients.ts";

type Query = Input<"activity.listEvents">["query"];

/** Events that one request looks at, and that one statement does; outcomes and payloads take longer to look at. */
const limits = { cheap: { most: 20_000, chunk: 20_000 }, costly: { most: 2_000, chunk: 200 } };
/** After this time a request answers what it has found. */
const maxScanMs = 1_000;
const eventsPerSubscriber = 500;
export const maxId = "ffffffff-ffff-ffff-ffff-ffffffffffff";
export const minId = "00000000-0000-0000-0000-000000000000";
/** Ids are made a moment before or after the time of their row. */
const slackMs = 60_000;

export async function list(
  ctx: Ctx,
  caller: Caller,
  { query }: Input<"activity.listEvents">,
): Promise<Output<"activity.listEvents">> {
  const { limit = 20, outcome, search } = query;
  const filters = await readFilters(ctx, caller, query);
  const { from, ...range } = await readRange(ctx, caller, query);
  const isCostly = outcome !== undefined || search !== undefined;
  const { most, chunk } = isCostly ? limits.costly : limits.cheap;
  const isFiltered = isCostly || Object.values(filters).some((value) => value !== undefined && value !== null);
  const end = performance.now() + maxScanMs;
  const found: ActivityEvent[] = [];
  let below = range.below;
  let looked = 0;
  let isDone = false;
  // A chunk at a time, so that a page that is full early looks at no more events, and one that takes long ends.
  while (!isDone && found.length <= limit && looked < most && (looked === 0 || performance.now() < end)) {
    const scan = isFiltered ? Math.min(chunk, most - looked) : limit + 1 - found.length;
    // Whether an event has the outcome is known only after it was read.
    const options = { below, from, scan, limit: outcome ? scan : limit + 1 - found.length };
    const { rows, lastId, scanned } = await scanEvents(ctx.db, caller.environmentId, filters, options);
    found.push(...(await withOutcomes(ctx, caller.environmentId, rows, outcome)));
    isDone = scanned < scan && rows.length < options.limit;
    looked += scanned;
    // A full page ends at its last event, any other at the last one looked at.
    below = rows.length === options.limit ? rows.at(-1)!.id : (lastId ?? below);
  }
  const data = found.slice(0, limit);
  const hasMore = found.length > limit;
  const next = hasMore ? data.at(-1)!.id : isDone ? null : below;
  const isBehind = next !== null && !hasMore;
  const described = await describeSoleRecipients(ctx, caller.environmentId, data);
  return { data: described, next: next && encodeCursor(next), scannedTo: isBehind ? timeOf(next) : undefined };
}

const encodeCursor = (id: string): string => Buffer.from(id).toString("base64url");
const timeOf = (id: string): string => new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)).toISOString();

function readEventCursor(text: string): string {
  const id = Buffer.from(text, "base64url").toString("utf8");
  if (isUuid(id) && encodeCursor(id) === text) return id;
  throw invalid({ cursor: { messages: ["cursor is not a valid cursor"], value: text } });
}

/** In real time the times of events are those in their ids, so that a window in the past is found by the key. */
async function readRange(ctx: Ctx, caller: Caller, { after, before, cursor }: Query) {
  if (after && before && new Date(after) >= new Date(before)) {
    throw invalid({ after: { messages: ["after must be earlier than before"], value: after } });
  }
  const isReal = !(await peekClock(ctx, caller.environmentId)).isStopped(caller.environmentId);
  const shifted = (time: string, ms: number) => firstIdAt(new Date(Math.max(0, Date.parse(time) + ms)));
  const last = before && isReal ? shifted(before, slackMs) : maxId;
  const from = after && isReal ? shifted(after, -slackMs) : minId;
  const given = cursor === undefined ? maxId : readEventCursor(cursor);
  return { from, below: given < last ? given : last };
}

async function readFilters(ctx: Ctx, { environmentId }: Caller, query: Query): Promise<ActivityFilters> {
  const { workflowIds, channels, subscriberIds, emails, transactionId, search, after, before } = query;
  const window = { after: after ? new Date(after) : null, before: before ? new Date(before) : null };
  const filters: ActivityFilters = { workflowIds, channels, transactionId, ...window };
  if (subscriberIds?.length || emails?.length) {
    const people = await findSubscribersOf(ctx.db, environmentId, { subscriberIds, emails }, maxSubscribers + 1);
    const field = subscriberIds?.length ? "subscriberIds" : "emails";
    refuseTooMany(people, field, `${field} may match at most ${maxSubscribers} subscribers`);
    filters.eventIds = [
      ...(await findEventIdsOfSubscribers(ctx.db, environmentId, people, eventsPerSubscriber)),
      ...(await findRefusedEventIds(
        ctx.db,
        environmentId,
        { subscriberIds, internalIds: people },
        eventsPerSubscriber,
      )),
    ];
  }
  if (search === undefined) return filters;
  // A whole transaction id is found by its key, however old its event is.
  if ((await findUsedTransactionIds(ctx.db, environmentId, [search])).size > 0) {
    return { ...filters, transactionId: search };
  }
  const people = await findSubscriberIds(ctx.db, environmentId, search);
  const message = `search matches more than ${maxSubscribers} subscribers: give a longer part of the id or address, or subscriberIds`;
  refuseTooMany(people, "search", message);
  const named = { subscriberIds: [search], internalIds: people };
  const orEventIds = [
    ...(await findEventIdsOfSubscribers(ctx.db, environmentId, people, eventsPerSubscriber)),
    ...(await findRefusedEventIds(ctx.db, environmentId, named, eventsPerSubscriber)),
  ];
  return { ...filters, text: { part: search, orEventIds } };
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
  const counts = await countOutcomes(ctx.db, environmentId, ids, mostCountedRecipients);
  const byEvent = Map.groupBy(counts, (count) => count.event_id);
  const events = rows.map((row) => {
    const own = (byEvent.get(row.id) ?? []).map(({ outcome, count }) => [outcome, count]);
    return toEvent(row, { ...none, ...Object.fromEntries(own) });
  });
  return wanted ? events.filter(({ outcomes }) => wanted.some((outcome) => outcomes[outcome] > 0)) : events;
}

function toEvent(row: ActivityRow, outcomes: Outcomes): ActivityEvent {
  const recipients = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
  const isCapped = recipients >= mostCountedRecipients;
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
    payload: row.payload,
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
  const isOpen = (row.has_audience && !row.expanded_at) || recipients < Math.min(row.named, mostCountedRecipients);
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

/** Of an event that has no notifications. */
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

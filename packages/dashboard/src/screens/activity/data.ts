// Where the activity list gets its rows.
import { queryOptions } from "@tanstack/react-query";
import type { ActivityEvent } from "@tidings/contract";
import type { ApiError } from "../../api/api-error.ts";
import { callOperation } from "../../api/client.ts";
import { labelOf } from "../../outcomes/event-label.ts";
import { outcomeNames } from "../../outcomes/outcome-names.ts";
import { type ActivityFilters, type Outcome, ranges } from "./filters.ts";
import { type ActivityPage, type ActivityRow, timeOfId } from "./rows.ts";
import { words } from "./words.ts";

const pageSize = 50;

export async function fetchActivity(
  environmentId: string,
  filters: ActivityFilters,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<ActivityPage> {
  const { data, next, scannedTo, scannedFrom } = await callOperation(
    "activity.listEvents",
    {
      query: { ...queryOf(filters), limit: pageSize, cursor: cursor ?? undefined },
      signal,
    },
    environmentId,
  );
  return { rows: data.map(toRow), next, scannedTo, scannedFrom };
}

/** The filters as the service takes them. */
export const queryOf = ({ workflow, outcome, channel, subscriber, q, range }: ActivityFilters) => ({
  workflowIds: workflow === undefined ? undefined : [workflow],
  outcome: outcome === undefined ? undefined : [outcome],
  channels: channel === undefined ? undefined : [channel],
  subscriberIds: subscriber === undefined ? undefined : [subscriber],
  search: q,
  after: range && new Date(Date.now() - ranges[range]).toISOString(),
});

/** The newest page. The route begins to read it before the list is drawn. */
export const newestActivity = (environmentId: string, filters: ActivityFilters) =>
  queryOptions<ActivityPage, ApiError>({
    queryKey: [environmentId, "activity", filters],
    queryFn: ({ signal }) => fetchActivity(environmentId, filters, null, signal),
  });

const toRow = (event: ActivityEvent): ActivityRow => ({
  id: event.id,
  transactionId: event.transactionId,
  workflowName: event.workflow.name,
  // With a test clock, the time of the event may be far from now: the age is that of the request.
  time: new Date(timeOfId(event.id)).toISOString(),
  outcome: outcomeOf(event),
  verdict: event.verdict,
  channels: event.workflow.channels,
  ...labelled(event),
  ...(event.recipient && { subscriber: subscriberOf(event.recipient) }),
  recipients: event.recipients,
  isCapped: event.isCapped,
});

/** What users call the event, after the mark of a test. */
function labelled({ isTest, searchKey }: ActivityEvent): Pick<ActivityRow, "label"> {
  const parts = [isTest && words.test, searchKey && labelOf(searchKey)].filter(Boolean);
  return parts.length > 0 ? { label: parts.join(" · ") } : {};
}

const subscriberOf = ({ subscriberId, firstName, lastName }: NonNullable<ActivityEvent["recipient"]>) => ({
  subscriberId,
  name: [firstName, lastName].filter(Boolean).join(" ") || subscriberId,
});

/** The first that any of its subscribers has, in the order of what needs attention. */
function outcomeOf({ outcomes, recipients, status }: ActivityEvent): Outcome {
  if (recipients === 0)
    return status === "canceled" ? "canceled" : status === "expanded" || status === "refused" ? "skipped" : "pending";
  const order = Object.keys(outcomeNames) as Outcome[];
  return order.find((outcome) => outcomes[outcome] > 0) ?? "pending";
}

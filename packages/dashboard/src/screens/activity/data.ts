// Where the activity list gets its rows. Everything else in this folder knows only `ActivityRow`.
import type { Channel, Job, Notification, StepType } from "@tidings/contract";
import { callOperation } from "../../api/client.ts";
import { type ActivityFilters, channelNames, type Outcome, ranges } from "./filters.ts";

export type ActivityRow = {
  /** Unique in the list. */
  id: string;
  transactionId: string;
  workflowName: string;
  time: string;
  outcome: Outcome;
  /** One sentence. */
  verdict: string;
  steps: StepType[];
  /** Of an event for one person; else the number of people. */
  person?: { subscriberId: string; name: string };
  people?: number;
};

export type ActivityPage = { rows: ActivityRow[]; next: string | null };

export const pageSize = 50;

export async function fetchActivity(
  environmentId: string,
  filters: ActivityFilters,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<ActivityPage> {
  const page = Number(cursor ?? 0);
  const { data, hasMore } = await callOperation(
    "notifications.list",
    {
      query: {
        page,
        limit: pageSize,
        templates: filters.workflow === undefined ? undefined : [filters.workflow],
        channels: filters.channel === undefined ? undefined : [filters.channel],
        subscriberIds: filters.person === undefined ? undefined : [filters.person],
        search: filters.q,
        after: filters.range && new Date(Date.now() - ranges[filters.range]).toISOString(),
      },
      signal,
    },
    environmentId,
  );
  const rows = data.map(toRow).filter(({ outcome }) => filters.outcome === undefined || outcome === filters.outcome);
  return { rows, next: hasMore ? String(page + 1) : null };
}

export function toRow(notification: Notification): ActivityRow {
  const { _id = "", transactionId, template, createdAt = "", subscriber, jobs = [] } = notification;
  const steps = jobs.filter(({ type }) => type !== "trigger");
  const name = [subscriber?.firstName, subscriber?.lastName].filter(Boolean).join(" ");
  return {
    id: _id,
    transactionId,
    workflowName: template?.name ?? "",
    time: createdAt,
    outcome: outcomeOf(steps),
    verdict: verdictOf(steps),
    steps: steps.map(({ type }) => type as StepType),
    ...(subscriber && { person: { subscriberId: subscriber.subscriberId, name: name || subscriber.subscriberId } }),
  };
}

function outcomeOf(jobs: Job[]): Outcome {
  const has = (...statuses: Job["status"][]) => jobs.some(({ status }) => statuses.includes(status));
  if (has("failed")) return "failed";
  if (has("delayed")) return "waiting";
  if (has("pending", "queued", "running")) return "running";
  const isSent = ({ type, status }: Job) => type in channelNames && status === "completed";
  return jobs.some(isSent) ? "sent" : "skipped";
}

function verdictOf(jobs: Job[]): string {
  const parts = jobs.flatMap(({ type, status, executionDetails }) => {
    const name = channelNames[type as Channel] ?? type;
    const last = executionDetails.at(-1)?.detail ?? "";
    if (status === "completed") return type in channelNames ? [`${name} was sent`] : [];
    if (status === "pending") return [];
    return [`${name} ${status}: ${last.charAt(0).toLowerCase()}${last.slice(1)}`];
  });
  return parts.join("; ") || "Nothing was sent";
}

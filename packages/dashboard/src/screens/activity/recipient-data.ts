// The subscribers of an event, with a sentence about each from the states of its jobs. The whole explanation is read
// for the subscriber that is opened.
import type { Channel, Job, Notification } from "@tidings/contract";
import { channelNames } from "../../outcomes/channel-names.ts";
import type { Outcome } from "./filters.ts";

export type RecipientRow = { id: string; subscriberId: string; name: string; outcome: Outcome; verdict: string };

export function toRecipientRow(notification: Notification): RecipientRow {
  const { _id = "", subscriber, jobs = [] } = notification;
  const subscriberId = subscriber?.subscriberId ?? "";
  const steps = jobs.filter(({ type }) => type !== "trigger");
  const name = [subscriber?.firstName, subscriber?.lastName].filter(Boolean).join(" ");
  return { id: _id, subscriberId, name: name || subscriberId, outcome: outcomeOf(steps), verdict: verdictOf(steps) };
}

const isChannel = ({ type }: Job): boolean => Object.hasOwn(channelNames, type);

/** As the service decides it (store/events/outcomes.ts). */
function outcomeOf(jobs: Job[]): Outcome {
  const has = (...statuses: Job["status"][]) => jobs.some(({ status }) => statuses.includes(status));
  const isSent = jobs.some((job) => isChannel(job) && job.status === "completed");
  if (has("failed")) return isSent ? "partly" : "failed";
  if (has("delayed", "pending", "queued", "running")) return "pending";
  if (isSent) return "delivered";
  if (has("merged")) return "merged";
  return has("canceled") ? "canceled" : "skipped";
}

function verdictOf(jobs: Job[]): string {
  const parts = jobs.flatMap((job) => {
    const name = channelNames[job.type as Channel] ?? job.type;
    const last = job.executionDetails.at(-1)?.detail ?? "";
    if (job.status === "pending") return [];
    if (job.status === "completed") return isChannel(job) ? [`${name} sent`] : [];
    return [`${name} ${job.status}: ${last.charAt(0).toLowerCase()}${last.slice(1)}`];
  });
  return parts.join("; ");
}

// The result of a channel step: `steps.<stepId>` in the rules and templates of later steps, and `result` in explain. It is
// what is known at the moment the later step begins. Delivery is read from the details of the job, because every report of
// a provider leaves one there; the marks of an in-app message are read from the message itself, because they can be taken back.
import type { JobStatus, ResultStatus, StepType } from "@tidings/contract";
import type { MessageRow } from "../../store/messages/messages.ts";
import type { StoredDetail } from "../../store/tables.ts";
import type { DetailName } from "./details.ts";

/** When the message was last seen and read, and whether it still counts as such. */
export type Marks = { seen: boolean; read: boolean; lastSeenAt: Date | null; lastReadAt: Date | null };

export const toMarks = (row: Pick<MessageRow, "seen_at" | "read_at" | "last_seen_at" | "last_read_at">): Marks => ({
  seen: row.seen_at !== null,
  read: row.read_at !== null,
  lastSeenAt: row.seen_at ?? row.last_seen_at,
  lastReadAt: row.read_at ?? row.last_read_at,
});

export type ChannelResult = {
  status: ResultStatus;
  sentAt: string | null;
  seen?: boolean;
  read?: boolean;
  lastSeenDate?: string | null;
  lastReadDate?: string | null;
};

/** `details`: all of the job's, oldest first. */
export type ResultSource = { step: { type: StepType }; status: JobStatus; details: readonly StoredDetail[] };

/** Null as long as the step has not ended. `marks` is absent when the in-app message was made in this batch, or was deleted. */
export function channelResult({ step, status, details }: ResultSource, marks?: Marks): ChannelResult | null {
  const known = statusOf(status, details);
  if (known === null) return null;
  const result = { status: known, sentAt: isoTime(details.find(({ d }) => d === "message_sent")?.t) };
  return step.type === "in_app" ? { ...result, ...shownMarks(marks ?? marksIn(details)) } : result;
}

const isoTime = (time: number | Date | null | undefined): string | null =>
  time === null || time === undefined ? null : new Date(time).toISOString();

const shownMarks = ({ seen, read, lastSeenAt, lastReadAt }: Marks) => ({
  seen,
  read,
  lastSeenDate: isoTime(lastSeenAt),
  lastReadDate: isoTime(lastReadAt),
});

/** A deleted message leaves the details of its job: the first time it was seen and read. */
function marksIn(details: readonly StoredDetail[]): Marks {
  const timeOf = (name: DetailName) => details.find(({ d }) => d === name)?.t;
  const [seenAt, readAt] = [timeOf("seen") ?? timeOf("read"), timeOf("read")];
  const toDate = (time: number | undefined) => (time === undefined ? null : new Date(time));
  return {
    seen: seenAt !== undefined,
    read: readAt !== undefined,
    lastSeenAt: toDate(seenAt),
    lastReadAt: toDate(readAt),
  };
}

function statusOf(status: JobStatus, details: readonly StoredDetail[]): ResultStatus | null {
  if (status === "skipped") return "skipped";
  if (status === "failed" || status === "canceled") return "failed";
  return status === "completed" ? furthest(details) : null;
}

/** What a report says about its message, from the least to the most. A failure outweighs them all. */
const progress: Partial<Record<DetailName, ResultStatus>> = {
  delivered: "delivered",
  reported_as_spam: "delivered",
  dismissed: "delivered",
  unsubscribed: "delivered",
  opened: "opened",
  clicked: "clicked",
};
const failures: Partial<Record<DetailName, ResultStatus>> = {
  bounced: "bounced",
  dropped: "failed",
  rejected: "failed",
  blocked: "failed",
};
const order: readonly ResultStatus[] = ["failed", "bounced", "sent", "delivered", "opened", "clicked"];

const best = (statuses: readonly ResultStatus[]): ResultStatus =>
  statuses.reduce((most, one) => (order.indexOf(one) > order.indexOf(most) ? one : most));

/** A step to several devices or chats has the status of the message that came furthest. */
function furthest(details: readonly StoredDetail[]): ResultStatus {
  const byMessage = Map.groupBy(details.filter(isAboutRecipient), ({ r }) => r?.messageId);
  const reached = [...byMessage.values()].map(reachedBy);
  const messages = details.findLast(({ d }) => d === "message_created")?.r?.messages;
  // Messages without a report were taken by their provider.
  if (reached.length < (typeof messages === "number" ? messages : 1)) reached.push("sent");
  return best(reached);
}

/** A report that names a recipient is about a copy of the mail. */
const isAboutRecipient = ({ d, r }: StoredDetail): boolean =>
  (d in progress || d in failures) && r?.messageId !== undefined && r.recipient === undefined;

function reachedBy(reports: readonly StoredDetail[]): ResultStatus {
  const failed = reports.flatMap(({ d }) => failures[d as DetailName] ?? []);
  return best(failed.length > 0 ? failed : reports.flatMap(({ d }) => progress[d as DetailName] ?? []));
}

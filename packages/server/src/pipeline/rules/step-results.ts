// The result of a channel step: `steps.<stepId>` in the rules and templates of later steps, and `result` in explain, as
// of the moment the later step starts. The delivery status comes from the details of the job, because every receipt of
// a provider adds one; the seen and read marks of an in-app message come from the message, because they can be undone.
import { type JobStatus, type MessageEvent, messageEvents, type ResultStatus, type StepType } from "@tidings/contract";
import type { MessageRow } from "../../store/messages/messages.ts";
import type { StoredDetail } from "../../store/tables.ts";
import type { DetailName } from "./details.ts";

/** Whether the message is seen and read now, and when it last was. */
export type Marks = { seen: boolean; read: boolean; lastSeenAt: Date | null; lastReadAt: Date | null };

export function toMarks(row: Pick<MessageRow, "seen_at" | "read_at" | "last_seen_at" | "last_read_at">): Marks {
  return {
    seen: row.seen_at !== null,
    read: row.read_at !== null,
    lastSeenAt: row.seen_at ?? row.last_seen_at,
    lastReadAt: row.read_at ?? row.last_read_at,
  };
}

export type ChannelResult = {
  status: ResultStatus;
  sentAt: string | null;
  seen?: boolean;
  read?: boolean;
  lastSeenDate?: string | null;
  lastReadDate?: string | null;
};

/** `details`: all details of the job, oldest first. */
export type ResultSource = { step: { type: StepType }; status: JobStatus; details: readonly StoredDetail[] };

/**
 * Null until the step has ended. `marks` is missing when the in-app message was created in this batch or was deleted.
 */
export function channelResult({ step, status, details }: ResultSource, marks?: Marks): ChannelResult | null {
  const outcome = statusOf(status, details);
  if (outcome === null) return null;
  const result = { status: outcome, sentAt: isoTime(details.find(({ d }) => d === "message_sent")?.t) };
  return step.type === "in_app" ? { ...result, ...shownMarks(marks ?? marksFromDetails(details)) } : result;
}

const isoTime = (time: number | Date | null | undefined): string | null =>
  time === null || time === undefined ? null : new Date(time).toISOString();

const shownMarks = ({ seen, read, lastSeenAt, lastReadAt }: Marks) => ({
  seen,
  read,
  lastSeenDate: isoTime(lastSeenAt),
  lastReadDate: isoTime(lastReadAt),
});

/** For a deleted message: the first time it was seen and read, from the details of its job. */
function marksFromDetails(details: readonly StoredDetail[]): Marks {
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
  return status === "completed" ? bestOfMessages(details) : null;
}

type StatusByDetail = Readonly<Record<string, ResultStatus | undefined>>;

/** The status that a receipt proves. A failure outweighs every other. */
const successes: StatusByDetail = {
  delivered: "delivered",
  reported_as_spam: "delivered",
  dismissed: "delivered",
  unsubscribed: "delivered",
  opened: "opened",
  clicked: "clicked",
} satisfies Partial<Record<DetailName, ResultStatus>>;
const failures: StatusByDetail = {
  bounced: "bounced",
  dropped: "failed",
  rejected: "failed",
  blocked: "failed",
} satisfies Partial<Record<DetailName, ResultStatus>>;
const order: readonly ResultStatus[] = ["failed", "bounced", "sent", "delivered", "opened", "clicked"];

const bestStatus = (statuses: readonly ResultStatus[]): ResultStatus =>
  statuses.reduce((most, one) => (order.indexOf(one) > order.indexOf(most) ? one : most));

/** A step with several messages (devices, chats) has the best status among them. */
function bestOfMessages(details: readonly StoredDetail[]): ResultStatus {
  const byMessage = Map.groupBy(details.filter(isAboutRecipient), ({ r }) => r?.messageId);
  const statuses = [...byMessage.values()].map(statusFromReceipts);
  const messages = details.findLast(({ d }) => d === "message_created")?.r?.messages;
  // A message without a receipt was accepted by its provider.
  if (statuses.length < (typeof messages === "number" ? messages : 1)) statuses.push("sent");
  return bestStatus(statuses);
}

/** A receipt with a recipient is about a cc or bcc copy of the email. */
const isAboutRecipient = ({ d, r }: StoredDetail): boolean =>
  (d in successes || d in failures) && r?.messageId !== undefined && r.recipient === undefined;

function statusFromReceipts(receipts: readonly StoredDetail[]): ResultStatus {
  const failed = receipts.flatMap(({ d }) => failures[d] ?? []);
  return bestStatus(failed.length > 0 ? failed : receipts.flatMap(({ d }) => successes[d] ?? []));
}

/** The details that prove an event of a message; in-app messages are also marked. */
const proofs: Record<MessageEvent, readonly DetailName[]> = {
  seen: ["seen", "read", "opened", "clicked"],
  read: ["read", "opened", "clicked"],
  clicked: ["clicked"],
  delivered: ["delivered", "opened", "clicked"],
  bounced: ["bounced"],
};

/** When it happened to a message of a step; null while it has not. */
export function happenedAt(event: MessageEvent, details: readonly StoredDetail[], marks?: Marks): Date | null {
  const marked = event === "seen" ? marks?.lastSeenAt : event === "read" ? marks?.lastReadAt : null;
  if (marked) return marked;
  const proof = details.find(
    ({ d, r }) => (proofs[event] as readonly string[]).includes(d) && r?.recipient === undefined,
  );
  return proof ? new Date(proof.t) : null;
}

/** The events of a message that a detail of its job proves. */
export const eventsProvenBy = (name: string): MessageEvent[] =>
  messageEvents.filter((event) => (proofs[event] as readonly string[]).includes(name));

// The words of the engine. A *run* is one notification on its way through its workflow: the event, the recipient, the
// pinned workflow version and one job per active step. `advance()` takes it as far as it goes without waiting and answers
// what has to be written; it reads nothing and writes nothing itself.
import type { JobStatus } from "@tidings/contract";
import type { EventRow } from "../store/events.ts";
import type { IntegrationRow } from "../store/integrations.ts";
import type { PreferenceRow } from "../store/preferences.ts";
import type { SubscriberRow } from "../store/subscribers.ts";
import type { PassedSubscription, StoredDetail } from "../store/tables.ts";
import type { StoredStep, WorkflowVersion } from "../store/workflows.ts";

type JsonObject = Record<string, unknown>;

export type RunEvent = {
  id: string;
  transactionId: string;
  payload: JsonObject;
  overrides: JsonObject | null;
  createdAt: Date;
};

export const toRunEvent = (row: EventRow): RunEvent => ({
  id: row.id,
  transactionId: row.transaction_id,
  payload: row.payload,
  overrides: row.overrides,
  createdAt: row.created_at,
});

export type JobState = {
  id: string;
  stepIndex: number;
  step: StoredStep;
  status: JobStatus;
  providerId: string | null;
  /** Details that this advance adds to those already stored. */
  newDetails: StoredDetail[];
  output: JsonObject | null;
  digest: JsonObject | null;
  mergedInto: string | null;
  wakeAt: Date | null;
};

export type Run = {
  notificationId: string;
  environmentId: string;
  isNew: boolean;
  event: RunEvent;
  version: WorkflowVersion;
  /** Null when the subscriber was deleted meanwhile. */
  subscriber: SubscriberRow | null;
  actor: SubscriberRow | null;
  isWorkflowDeleted: boolean;
  contextKeys: string[];
  /** Of a new run: the topic subscriptions that led here; null when the recipient was named or everyone is. */
  subscriptions: PassedSubscription[] | null;
  jobs: JobState[];
};

/** An event as a digest hands it on: `steps.<stepId>.events`. */
export type DigestedEvent = { id: string; time: string; payload: JsonObject };
export type DigestResult = { events: DigestedEvent[]; eventCount: number };

/** A digest step asks to join the open window of its group, or to open one. */
export type DigestClaim = { jobId: string; groupKey: string; dueAt: Date };
export type DigestVerdict =
  | { kind: "leader"; dueAt: Date }
  | { kind: "merged"; leaderJobId: string; leaderNotificationId: string };

/** By environment id, then by context key; a context that was deleted is missing. */
export type ContextData = ReadonlyMap<string, ReadonlyMap<string, JsonObject>>;

/** What `advance()` may know beside the run, loaded once for a whole batch. */
export type Facts = {
  integrations: IntegrationRow[];
  /** What the subscribers of the batch chose, by internal id; most chose nothing and are not in it. */
  preferences: ReadonlyMap<string, PreferenceRow[]>;
  /** What the contexts of the batch hold, by environment and key. */
  contexts: ContextData;
  /** Answers to the claims of an earlier round, by job id. */
  verdicts: ReadonlyMap<string, DigestVerdict>;
  /** What a digest collected: of windows that close now and of digests that closed before, by job id. */
  digests: ReadonlyMap<string, DigestResult>;
  maxWaitDays: number;
  newId: () => string;
};

export type MessageDraft = {
  id: string;
  jobId: string;
  channel: "in_app" | "email";
  providerId: string | null;
  integrationId: string | null;
  status: "pending" | "sent" | "error" | "warning";
  errorId: string | null;
  errorText: string | null;
  subject: string | null;
  content: string | null;
  cta: JsonObject | null;
  data: JsonObject | null;
  actor: JsonObject | null;
  email: string | null;
  /** What the provider call needs beyond subject and content, fixed before the first attempt. */
  outgoing: JsonObject | null;
};

/** A message of this job with nothing filled in yet. */
export const newDraft = (id: string, jobId: string, channel: MessageDraft["channel"]): MessageDraft => ({
  id,
  jobId,
  channel,
  providerId: null,
  integrationId: null,
  status: "pending",
  errorId: null,
  errorText: null,
  subject: null,
  content: null,
  cta: null,
  data: null,
  actor: null,
  email: null,
  outgoing: null,
});

/** What one step decided. */
export type StepResult =
  | { kind: "done"; details: StoredDetail[]; output?: JsonObject; message?: MessageDraft; digest?: JsonObject }
  | { kind: "skipped"; details: StoredDetail[] }
  | { kind: "failed"; details: StoredDetail[]; message?: MessageDraft; stopsChain?: boolean }
  | { kind: "waiting"; until: Date; details: StoredDetail[]; digest?: JsonObject }
  | { kind: "sending"; details: StoredDetail[]; message: MessageDraft; providerId: string }
  | { kind: "claim"; claim: DigestClaim }
  | { kind: "merged"; into: string; notificationId: string; details: StoredDetail[]; digest?: JsonObject };

export type StepInput = { run: Run; job: JobState; facts: Facts; now: Date };

/** What a run needs written after an advance. */
export type Progress = {
  run: Run;
  messages: MessageDraft[];
  /** Messages to hand to the deliver stage. */
  sending: string[];
  wakeAt: Date | null;
  digestedInto: string | null;
  claim: DigestClaim | null;
};

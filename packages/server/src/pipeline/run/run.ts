// The words of the engine. A *run* is one notification on its way through its workflow: the event, the recipient, the
// pinned workflow version and one job per active step. `advance()` takes it as far as it goes without waiting and answers
// what has to be written; it reads nothing and writes nothing itself.
import type { Channel, JobStatus } from "@tidings/contract";
import type { Secrets } from "../../lib/secrets.ts";
import type { EventRow } from "../../store/events/events.ts";
import type { IntegrationRow } from "../../store/integrations/integrations.ts";
import type { PreferenceRow } from "../../store/subscribers/preferences.ts";
import type { SubscriberRow } from "../../store/subscribers/subscribers.ts";
import type { TenantRow } from "../../store/subscribers/tenants.ts";
import type { PassedSubscription, StoredDetail } from "../../store/tables.ts";
import type { LayoutRow } from "../../store/workflows/layouts.ts";
import type { TranslationRow } from "../../store/workflows/translations.ts";
import type { StoredStep, WorkflowVersion } from "../../store/workflows/workflows.ts";
import { openOverrides } from "../encrypted-parts.ts";
import type { OpenEndpoint } from "../rules/contact.ts";
import type { Marks } from "../rules/step-results.ts";

type JsonObject = Record<string, unknown>;

export type RunEvent = {
  id: string;
  transactionId: string;
  payload: JsonObject;
  overrides: JsonObject | null;
  /** Identifier of the tenant it is about. */
  tenant: string | null;
  createdAt: Date;
};

/** Once for all runs of an event: overrides are encrypted. */
export const toRunEvent = (secrets: Secrets, row: EventRow): RunEvent => ({
  id: row.id,
  transactionId: row.transaction_id,
  payload: row.payload,
  overrides: openOverrides(secrets, row.overrides),
  tenant: row.tenant,
  createdAt: row.created_at,
});

export type JobState = {
  id: string;
  stepIndex: number;
  step: StoredStep;
  status: JobStatus;
  providerId: string | null;
  /** Details stored before this advance, oldest first. */
  details: readonly StoredDetail[];
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

/**
 * What a step asks of the database, because others ask for the same at the same moment. It answers a claim instead of a
 * result and runs again with the verdict. Groups are per environment, step, subscriber and key.
 */
export type Claim =
  /** A digest: join the open window of the group, or open one. With `quietSince`, an event that finds no other since then goes on alone. */
  | { kind: "digest"; jobId: string; groupKey: string; dueAt: Date; quietSince: Date | null }
  /** A throttle: one of the `threshold` runs that the group is granted until `until`, counted from its first. */
  | { kind: "throttle"; jobId: string; groupKey: string; threshold: number; until: Date };

export type Verdict =
  | { kind: "leader"; dueAt: Date }
  | { kind: "merged"; leaderJobId: string; leaderNotificationId: string }
  | { kind: "alone" }
  | { kind: "granted" | "denied"; executionCount: number; until: Date };

/** By environment id, then by context key; a context that was deleted is missing. */
export type ContextData = ReadonlyMap<string, ReadonlyMap<string, JsonObject>>;

/** What `advance()` may know beside the run, loaded once for a whole batch. */
export type Facts = {
  integrations: IntegrationRow[];
  /** What the subscribers of the batch chose, by internal id; most chose nothing and are not in it. */
  preferences: ReadonlyMap<string, PreferenceRow[]>;
  /** What the contexts of the batch hold, by environment and key. */
  contexts: ContextData;
  /** Layouts of the environments that have emails to make, by environment. */
  layouts: ReadonlyMap<string, LayoutRow[]>;
  /** Texts in the locales of the batch's subscribers, by the id of their workflow or layout. */
  translations: ReadonlyMap<string, TranslationRow[]>;
  /** The tenants that events of the batch name, by environment and identifier. */
  tenants: ReadonlyMap<string, ReadonlyMap<string, TenantRow>>;
  /** Where a run with a chat step reaches its subscriber, by notification id; with the connection each will use. */
  chatEndpoints: ReadonlyMap<string, OpenEndpoint[]>;
  /** Marks on in-app messages that were made before this batch, by job id. */
  marks: ReadonlyMap<string, Marks>;
  /** Answers to the claims of an earlier round, by job id. */
  verdicts: ReadonlyMap<string, Verdict>;
  /** What a digest collected: of windows that close now and of digests that closed before, by job id. */
  digests: ReadonlyMap<string, DigestResult>;
  maxWaitDays: number;
  /** For subscribers without one of their own. */
  defaultTimezone: string;
  /** Opens what a subscriber's channels hold, for the steps that need it. */
  secrets: Secrets;
  newId: () => string;
};

/** Members that go to the provider under its own names, and what goes into its request untouched. */
export type ProviderExtras = {
  extra?: JsonObject;
  passthrough?: { body?: JsonObject; headers?: Record<string, string>; query?: Record<string, string> };
};

export type EmailFields = ProviderExtras & {
  to: string[];
  cc?: string[];
  bcc?: string[];
  from?: string;
  senderName?: string;
  replyTo?: string;
  headers?: Record<string, string>;
  customData?: JsonObject;
  text: string;
};

/** `text` only where an override changes it for this provider: otherwise it is the message's content. */
export type SmsFields = ProviderExtras & { to: string; from?: string; text?: string };

/** The title is the message's subject, the body its content. */
export type PushFields = ProviderExtras & { token: string; data?: JsonObject };

/** Where a chat message goes. The access token of a connection is read when it is sent, never stored in a message. */
export type StoredTarget =
  | { kind: "webhook"; webhookUrl: string; channel?: string }
  | { kind: "channel"; channel: string; team?: string; connectionId?: string }
  | { kind: "user"; user: string; connectionId?: string }
  | { kind: "phone"; phone: string };

export type ChatFields = ProviderExtras & { target: StoredTarget };

/**
 * `route`: ids of the integrations to try, in order, decided before the first attempt. The fields are those of a provider
 * without overrides of its own; one that has some sends `perProvider[providerId]` instead, which is complete in itself.
 */
export type Routed<Fields> = Fields & { route: string[]; perProvider?: Record<string, Fields> };

/**
 * What the provider call needs beyond subject and content: overrides merged, addresses checked. `attachments` says that
 * the event has some for email; their content is stored beside the event.
 */
export type Outgoing = (Routed<EmailFields> & { attachments?: true }) | Routed<SmsFields> | PushFields | ChatFields;

export type MessageDraft = {
  id: string;
  jobId: string;
  channel: Channel;
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
  /** Email address, phone number, device token or webhook. */
  address: string | null;
  /** Fixed before the first attempt. */
  outgoing: Outgoing | null;
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
  address: null,
  outgoing: null,
});

/** What one step decided. */
export type StepResult =
  | { kind: "done"; details: StoredDetail[]; output?: JsonObject; message?: MessageDraft; digest?: JsonObject }
  /** With `stopsChain`, everything behind it is skipped with it. */
  | { kind: "skipped"; details: StoredDetail[]; output?: JsonObject; digest?: JsonObject; stopsChain?: boolean }
  | { kind: "failed"; details: StoredDetail[]; message?: MessageDraft; stopsChain?: boolean }
  | { kind: "waiting"; until: Date; details: StoredDetail[]; digest?: JsonObject }
  /** One message per address: chat and push go to every endpoint and device of the subscriber. */
  | { kind: "sending"; details: StoredDetail[]; messages: MessageDraft[]; providerId: string }
  | { kind: "claim"; claim: Claim }
  | { kind: "merged"; into: string; notificationId: string; details: StoredDetail[]; digest?: JsonObject };

export type StepInput = { run: Run; job: JobState; facts: Facts; now: Date };

/** What a run needs written after an advance. */
export type Progress = {
  run: Run;
  now: Date;
  messages: MessageDraft[];
  /** Messages to hand to the deliver stage. */
  sending: string[];
  wakeAt: Date | null;
  digestedInto: string | null;
  claim: Claim | null;
  /** The next step could begin, but other work has to have its turn first. */
  isPaused: boolean;
};

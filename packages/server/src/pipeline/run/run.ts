// The types of the engine. A *run* is one notification on its way through its workflow: the event, the recipient, the
// pinned workflow version and one job per active step. `advance()` takes a run as far as it goes without waiting and
// returns the changes to write; it neither reads nor writes the database.
import type {
  AttentionBudget,
  BudgetedClass,
  Channel,
  ChannelEndpointAddress,
  JobStatus,
  MessageEvent,
  Overflow,
  Priority,
} from "@tidings/contract";
import type { JsonObject } from "../../lib/json.ts";
import type { Secrets } from "../../lib/secrets.ts";
import type { Variables } from "../../store/environments/variables.ts";
import type { NewEvent } from "../../store/events/events.ts";
import type { TargetEndpoint } from "../../store/integrations/channel-targets.ts";
import type { IntegrationRow } from "../../store/integrations/integrations.ts";
import type { CategoryRule } from "../../store/subscribers/categories.ts";
import type { PreferenceRow } from "../../store/subscribers/preferences.ts";
import type { RecipientRow } from "../../store/subscribers/subscribers.ts";
import type { TenantRow } from "../../store/subscribers/tenants.ts";
import type {
  JobBridge,
  PassedSubscription,
  StartedBy,
  StoredDetail,
  StoredMessageStatus,
  TenantFields,
} from "../../store/tables.ts";
import type { LayoutRow } from "../../store/workflows/layouts.ts";
import type { TranslationRow } from "../../store/workflows/translations.ts";
import type { StoredStep, WorkflowRules, WorkflowVersion } from "../../store/workflows/workflows.ts";
import type { Budget } from "../attention/ledger.ts";
import type { ProfileChange } from "../effects/profile-changes.ts";
import { openOverrides } from "../encrypted-parts.ts";
import type { Marks } from "../rules/step-results.ts";
import type { Zone } from "../rules/zones.ts";
import type { BrandFacts } from "./brands.ts";

export type RunEvent = {
  id: string;
  transactionId: string;
  payload: JsonObject;
  overrides: JsonObject | null;
  /** Identifier of the tenant it is about. */
  tenant: string | null;
  /** What the event itself says about the tenant. */
  tenantFields: TenantFields | null;
  /** The bridge that it asks, instead of that of its workflow. */
  bridgeUrl: string | null;
  /** The trace that it belongs to (lib/trace-context.ts). */
  trace: string | null;
  /** The step that started it; null for an event of a request. */
  startedBy: StartedBy | null;
  /** It replaces earlier events with the same key, for the same subscriber. */
  supersedeKey: string | null;
  /** Instead of that of its workflow. */
  priority: Priority | null;
  createdAt: Date;
};

/** Called once for all runs of an event, because the overrides are decrypted. */
export function toRunEvent(secrets: Secrets, row: NewEvent): RunEvent {
  return {
    id: row.id,
    transactionId: row.transaction_id,
    payload: row.payload,
    overrides: openOverrides(secrets, row.overrides),
    tenant: row.tenant,
    tenantFields: row.tenant_fields,
    bridgeUrl: row.bridge_url,
    trace: row.trace_context,
    startedBy: row.started_by,
    supersedeKey: row.supersede_key,
    priority: row.priority,
    createdAt: row.created_at,
  };
}

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
  /** What the step asked of the bridge of its workflow, or by an HTTP request; null for one that asks nothing. */
  bridge: JobBridge | null;
  mergedInto: string | null;
  wakeAt: Date | null;
};

export type Run = {
  notificationId: string;
  environmentId: string;
  isNew: boolean;
  event: RunEvent;
  version: WorkflowVersion;
  /** Null when the subscriber was deleted since the event. */
  subscriber: RecipientRow | null;
  actor: RecipientRow | null;
  isWorkflowDeleted: boolean;
  /** The current workflow, whichever version the run is pinned to. */
  rules: WorkflowRules;
  contextKeys: string[];
  /** The topic subscriptions that let the event through; null for a named recipient and for a broadcast. */
  subscriptions: PassedSubscription[] | null;
  jobs: JobState[];
  /** The steps of this advance, for a run that gets spans (trace/runs.ts). */
  trace?: { startedAt: number; steps: { job: JobState; endedAt: number }[] };
};

/** An event as a digest hands it on: `steps.<stepId>.events`. */
export type DigestedEvent = { id: string; time: string; payload: JsonObject };
export type DigestResult = { events: DigestedEvent[]; eventCount: number };

/**
 * A decision that only the database can make, because other workers may need the same one at the same moment. The step
 * returns a claim instead of a result, and runs again with the claim's result. Groups are per environment, step,
 * subscriber and key.
 */
export type Claim =
  /**
   * A digest: join the open window of the group, or open one. With `quietSince`, the first event since then passes
   * alone.
   */
  | { kind: "digest"; jobId: string; groupKey: string; dueAt: Date; quietSince: Date | null }
  /** A throttle: take one of the `threshold` runs that the group has until `until`. */
  | { kind: "throttle"; jobId: string; groupKey: string; threshold: number; until: Date }
  /** A wait: begin it, unless what it waits for has happened already. */
  | { kind: "wait"; jobId: string; signal: AwaitedSignal | null; message: AwaitedMessage | null }
  /** A change of the subscriber, rendered with what is stored: nobody else changes it meanwhile. */
  | { kind: "update"; jobId: string; changeOf: (stored: RecipientRow) => ProfileChange | { fault: string } }
  /** An event of another workflow, accepted or refused as one of a request. */
  | { kind: "start"; jobId: string; start: WorkflowStart }
  /** A place in the attention budgets of the subscriber. `rollUp`: for the roll-up that the run sends. */
  | ({ kind: "place"; jobId: string; channel: Channel; rollUp: string | null } & PlaceClaim);

/** Who is to get another workflow, and with which payload. */
export type WorkflowStart = {
  workflowId: string;
  to: ({ subscriberId: string } | { type: "Topic"; topicKey: string })[];
  payload: JsonObject;
};

/** `budgets`: those of the environment; the ledger has the limits that the person chose. `zone`: the person's. */
type PlaceClaim = { messageClass: BudgetedClass; budgets: readonly AttentionBudget[]; zone: Zone };

/** `since`: a signal from then on counts too; null for one that does not look back. */
export type AwaitedSignal = { name: string; key: string | null; since: Date | null };
export type AwaitedMessage = { jobId: string; event: MessageEvent };

/** What ended a wait before its timeout. */
export type Arrival = { reason: "signal" | "message"; data: JsonObject | null; at: Date };

export type ClaimResult =
  | { kind: "leader"; dueAt: Date }
  | { kind: "merged"; leaderJobId: string; leaderNotificationId: string }
  | { kind: "alone" }
  | { kind: "granted" | "denied"; executionCount: number; until: Date }
  | { kind: "begun" }
  | { kind: "arrived"; arrival: Arrival }
  /** `fields`: the names of those that are different now. */
  | { kind: "updated"; fields: string[] }
  /** `rejected`: recipients that were left out, with the reason. */
  | { kind: "started"; transactionId: string; rejected: string[] }
  | { kind: "refused"; reason: string }
  | PlaceResult;

/** A run that asks for a place. */
export type PlaceAsk = { run: Run; claim: Extract<Claim, { kind: "place" }>; now: Date };

/** `askedAt`: the time of the claim (ms); a step that waited asks again. */
export type PlaceResult = { askedAt: number } & (
  | { kind: "placed"; items?: RollUpItem[] }
  /** `rollUp`: the one that takes the message as an item, if it is rolled up. */
  | { kind: "over"; overflow: Overflow; budget: Budget; until: Date; rollUp: string | null }
  /** A roll-up without items. */
  | { kind: "empty" }
);

/** A message that was held, as the template of roll-ups shows it. */
export type RollUpItem = { title: string; text: string; url: string; workflow: string; time: string };

/** By environment id, then by context key; a context that was deleted is missing. */
export type ContextData = ReadonlyMap<string, ReadonlyMap<string, JsonObject>>;

/** An endpoint with its decrypted address. */
export type OpenEndpoint = Omit<TargetEndpoint, "endpoint"> & { endpoint: ChannelEndpointAddress };

/** What `advance()` reads in addition to the run, loaded once for a whole batch. */
export type Facts = {
  integrations: IntegrationRow[];
  /** Preferences of the subscribers of the batch, by internal id; subscribers without any are not in it. */
  preferences: ReadonlyMap<string, PreferenceRow[]>;
  /** The categories that workflows of the batch name, by environment and identifier. */
  categories: ReadonlyMap<string, ReadonlyMap<string, CategoryRule>>;
  /** The ids of the audiences that conditions of the batch name and that subscribers are in, by internal id. */
  audiences: ReadonlyMap<string, string[]>;
  /** Data of the contexts of the batch. */
  contexts: ContextData;
  /** Schemes of apps whose links stay in messages, by environment; environments without any are not in it. */
  linkSchemes: ReadonlyMap<string, readonly string[]>;
  /** The own domains of hosted pages; environments without one are not in it. */
  pagesUrls: ReadonlyMap<string, string>;
  /** Variables by environment; environments without any are not in it. */
  variables: ReadonlyMap<string, Variables>;
  /** The brands of the environments and contexts of the batch. */
  brands: BrandFacts;
  /** Layouts of the environments that have emails to render, by environment. */
  layouts: ReadonlyMap<string, LayoutRow[]>;
  /** Translations in the locales of the batch's subscribers, by the id of their workflow or layout. */
  translations: ReadonlyMap<string, TranslationRow[]>;
  /** The tenants that events of the batch name, by environment and identifier. */
  tenants: ReadonlyMap<string, ReadonlyMap<string, TenantRow>>;
  /** Chat endpoints of the subscriber, each with the connection it uses, by notification id. */
  chatEndpoints: ReadonlyMap<string, OpenEndpoint[]>;
  /** Seen and read marks of in-app messages created before this batch, by job id. */
  marks: ReadonlyMap<string, Marks>;
  /** Attention budgets by environment; environments without any are not in it. */
  budgets: ReadonlyMap<string, readonly AttentionBudget[]>;
  /** What steps are about to send, while they ask for a place; by job id. */
  drafted: Map<string, StepResult>;
  /** Results of the claims of an earlier round, by job id. */
  claimResults: ReadonlyMap<string, ClaimResult>;
  /** Events of digests that close now or closed before, by job id. */
  digests: ReadonlyMap<string, DigestResult>;
  /** What the waits of the batch waited for, where it has happened, by job id. */
  arrivals: ReadonlyMap<string, Arrival>;
  maxWaitDays: number;
  /** For subscribers without a time zone. */
  defaultTimezone: string;
  /** The address of this service, for links in emails; empty when it is not set. */
  publicUrl: string;
  /** Decrypts the channels of a subscriber, for the steps that need them. */
  secrets: Secrets;
  newId: () => string;
};

/** Fields for the provider under its own names, and parts of its request that are passed through unchanged. */
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

/**
 * The title is the message's subject, the body its content. `replaces`: an earlier message that is changed to this one,
 * where the provider can do that.
 */
export type PushFields = ProviderExtras & { token: string; data?: JsonObject; replaces?: string };

/** Where a chat message goes. The access token of a connection is read when it is sent, never stored in a message. */
export type StoredTarget =
  | { kind: "webhook"; webhookUrl: string; channel?: string }
  | { kind: "channel"; channel: string; team?: string; connectionId?: string }
  | { kind: "user"; user: string; connectionId?: string }
  | { kind: "phone"; phone: string };

export type ChatFields = ProviderExtras & { target: StoredTarget; replaces?: string };

/**
 * `route`: ids of the integrations to try, in order, decided before the first attempt. The fields are those of a
 * provider without its own overrides; one that has some sends `perProvider[providerId]` instead, which is complete
 * in itself.
 */
export type Routed<Fields> = Fields & { route: string[]; perProvider?: Record<string, Fields> };

/**
 * What the provider call needs beyond subject and content: overrides merged, addresses checked. `attachments` says that
 * the event has some for email; their content is stored separately. `isRequired`: the subscriber cannot switch the
 * category of the workflow off. `contextKey`: the context whose brand the mail shows. `pagesUrl`: the own domain of
 * its links.
 */
type Outgoing =
  | (Routed<EmailFields> & { attachments?: true; isRequired?: true; contextKey?: string; pagesUrl?: string })
  | Routed<SmsFields>
  | PushFields
  | ChatFields;

export type MessageDraft = {
  id: string;
  jobId: string;
  channel: Channel;
  providerId: string | null;
  integrationId: string | null;
  status: StoredMessageStatus;
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
  /** When an in-app message disappears; null for one that does not. */
  expiresAt: Date | null;
};

/** A message of this job with nothing filled in yet. */
export function newDraft(id: string, jobId: string, channel: MessageDraft["channel"]): MessageDraft {
  return {
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
    expiresAt: null,
  };
}

/** The outcome of one step. */
export type StepResult =
  /** `ends`: the run ends here, and the later steps are skipped with this detail. */
  | {
      kind: "done";
      details: StoredDetail[];
      output?: JsonObject;
      message?: MessageDraft;
      digest?: JsonObject;
      ends?: StoredDetail;
    }
  /**
   * With `stopsChain`, all later steps are skipped too. `message`: the one that could not be addressed. `rollUp`: the
   * one that has the output as an item.
   */
  | {
      kind: "skipped";
      rollUp?: string;
      details: StoredDetail[];
      output?: JsonObject;
      message?: MessageDraft;
      digest?: JsonObject;
      stopsChain?: boolean;
    }
  | { kind: "failed"; details: StoredDetail[]; message?: MessageDraft; stopsChain?: boolean }
  | { kind: "waiting"; until: Date; details: StoredDetail[]; digest?: JsonObject }
  /** One message per address: chat and push go to every endpoint and device of the subscriber. */
  | { kind: "sending"; details: StoredDetail[]; messages: MessageDraft[]; providerId: string }
  | { kind: "claim"; claim: Claim }
  /** The step needs a response: of its bridge, and it runs again with it; or to an HTTP request, which ends it. */
  | { kind: "asking"; details: StoredDetail[] }
  | { kind: "merged"; into: string; notificationId: string; details: StoredDetail[]; digest?: JsonObject };

export type StepInput = { run: Run; job: JobState; facts: Facts; now: Date };

/** The changes of one run to write after an advance. */
export type Progress = {
  run: Run;
  now: Date;
  messages: MessageDraft[];
  /** Messages to hand to the deliver stage. */
  sending: string[];
  wakeAt: Date | null;
  digestedInto: string | null;
  claim: Claim | null;
  /** The job that asks a bridge, or makes an HTTP request. */
  asking: string | null;
  /** The next step could start, but the batch has to yield to other work first. */
  isPaused: boolean;
};

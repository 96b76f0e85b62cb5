// The row types of all tables; schema.sql has the same tables in SQL.
import type {
  AlertEnding,
  AlertKindName,
  AlertMessageStatus,
  AlertNotice,
  AlertQuietTimes,
  AlertStatus,
  AlertSubjectType,
  AssetContentType,
  AttentionBudget,
  BacktestEffect,
  BacktestReport,
  BacktestStatus,
  BrandIn,
  Broadcast,
  BroadcastAudience,
  BroadcastContent,
  BroadcastPace,
  BroadcastStatus,
  BroadcastTime,
  BudgetedClass,
  Channel,
  ChannelEndpointAddress,
  ChannelEndpointType,
  Correction,
  DigestFrequency,
  EnvironmentRetentionClass,
  ImportError,
  ImportKind,
  ImportStatus,
  InboundChange,
  InboundReason,
  InboundResult,
  JobStatus,
  KeyScope,
  LayoutControlValues,
  LinkKind,
  MessageClass,
  MessageEvent,
  MessageStatus,
  Objectives,
  PreferenceChannels,
  Priority,
  PublishedResource,
  RecipientSubscriber,
  ReplayStatus,
  RetentionClassName,
  RetractedState,
  Retraction,
  RetractionResults,
  Role,
  Schedule,
  SentEventType,
  Severity,
  SourceKind,
  StepFilter,
  StepType,
  SuppressedChannel,
  SuppressionReason,
  TranslatedResource,
  WebhookDeliveryStatus,
  WebhookEventType,
  WindowUnit,
  Workflow,
  WorkflowPreference,
} from "@tidings/contract";
import type { ColumnType } from "kysely";
import type { JsonObject } from "../lib/json.ts";
import type { Sealed } from "../lib/sealed.ts";
import type { CsvSeparator } from "../lib/text/csv.ts";
import type { TextSources } from "../lib/text/translated-texts.ts";

/** A jsonb column: parsed on the way out, given as text on the way in. */
type Json<T> = ColumnType<T, string, string>;
type NullableJson<T> = ColumnType<T | null, string | null, string | null>;
type Defaulted<T> = ColumnType<T, T | undefined, T>;
type Origin = Workflow["origin"];

/** A line of an imported file. `problem`: why it is left out, known since the file was read. */
export type ImportRowCells = { line: number; cells: string[]; problem?: string };

/** How many days an environment keeps each class of data, where it differs from the settings. */
export type RetentionOverrides = Partial<Record<EnvironmentRetentionClass, number>>;

type EnvironmentsTable = {
  id: string;
  organization_id: string;
  parent_id: string | null;
  name: string;
  identifier: string;
  type: "dev" | "prod";
  color: string | null;
  /** When a feed was first served. */
  inbox_connected_at: Date | null;
  /** The time of the test clock; null in an environment that runs in real time. */
  test_clock: Defaulted<Date | null>;
  /** The time that the test clock is advancing to. */
  test_clock_target: Defaulted<Date | null>;
  /** Schemes of apps: links with them stay in mails and in-app bodies. */
  link_schemes: Defaulted<string[]>;
  /** Origin of the hosted pages in links of mails; null: the public URL of the service. */
  pages_url: Defaulted<string | null>;
  /** A broadcast starts when an owner other than its sender has approved it. */
  broadcast_approval: Defaulted<boolean>;
  /** Grows with every change of a variable; 0: the environment never had one. */
  variables_version: Defaulted<number>;
  /** Days by class, where they differ from the settings. */
  retention: ColumnType<RetentionOverrides, string | undefined, string>;
  /** Its attention budgets; null: none. */
  attention: ColumnType<AttentionBudget[] | null, string | null | undefined, string | null>;
  /** What the environment sets of its brand; null: nothing. */
  brand: ColumnType<BrandIn | null, string | null | undefined, string | null>;
  created_at: Date;
  updated_at: Date;
  deleted_at: Date | null;
};

type ApiKeysTable = {
  id: string;
  environment_id: string;
  user_id: string;
  hash: Buffer;
  secret: string;
  created_at: Date;
  revoked_at: Date | null;
  last_used_at: Date | null;
  may_raise_priority: Defaulted<boolean>;
  name: string | null;
  owner: string | null;
  scope: Defaulted<KeyScope>;
  operations: string[] | null;
  expires_at: Date | null;
  allowed_networks: string[] | null;
};

/** How a subscriber is reached through one integration; who has the credentials may write to them. */
export type StoredChannel = {
  providerId: string;
  integrationIdentifier?: string;
  credentials: Sealed<JsonObject>;
  _integrationId: string;
};

/** How many messages a person wants at most, by channel. */
export type OwnLimits = Partial<Record<Channel, { limit: number; unit: WindowUnit }>>;

type SubscribersTable = {
  id: string;
  environment_id: string;
  subscriber_id: string;
  first_name: string | null;
  last_name: string | null;
  email: string | null;
  phone: string | null;
  avatar: string | null;
  locale: string | null;
  timezone: string | null;
  data: NullableJson<JsonObject>;
  channels: Defaulted<StoredChannel[]>;
  is_online: boolean | null;
  last_online_at: Date | null;
  created_at: Date;
  updated_at: Date;
};

/** What a person was sent of late in one channel, and what waits. Times in ms. */
export type ChannelLedger = {
  /** When a message took a place, and its class; oldest first. */
  sends: [at: number, messageClass: BudgetedClass][];
  /** What waits for a place: a job, or a roll-up. `until`: when it tries again. */
  waiting: [id: string, messageClass: BudgetedClass, since: number, until: number][];
  /** The roll-up that takes more items. */
  rollUp?: { id: string; messageClass: BudgetedClass };
};
export type Ledger = Partial<Record<Channel, ChannelLedger>>;

/** A step as the workflow stores it. */
export type StoredStep = {
  id: string;
  stepId: string;
  name: string;
  type: StepType;
  controlValues: JsonObject;
  /** The arm of an earlier branch that it belongs to, as `<stepId>/<arm>`. */
  arm?: string;
  /** Classic conditions, all of which have to pass. */
  filters?: StepFilter[];
  active: boolean;
  shouldStopOnFail: boolean;
  /** How long after its creation the message may still be sent. */
  deadlineSeconds?: number;
  /** JSON Schema of the control values, where the code of the customer defines them. */
  controlSchema?: JsonObject;
};

/** A step that was saved as a template. */
export type SavedStep = Omit<StoredStep, "id" | "controlSchema">;

/** What follows a provider call with an unknown outcome: retry at once, or wait for a receipt first. */
export type OnUnknownOutcome = "may_duplicate" | "may_delay";

type WorkflowsTable = {
  id: string;
  environment_id: string;
  workflow_id: string;
  version_id: string;
  name: string;
  description: string | null;
  tags: string[];
  active: boolean;
  validate_payload: boolean;
  payload_schema: NullableJson<JsonObject>;
  is_translation_enabled: boolean;
  severity: Severity;
  origin: Origin;
  preferences_user: NullableJson<WorkflowPreference>;
  preferences_default: Json<WorkflowPreference>;
  steps: Json<StoredStep[]>;
  outside_schedule: "hold" | "skip";
  on_unknown_outcome: Defaulted<OnUnknownOutcome>;
  /** Paths of the payload whose values are searchable. */
  search_keys: Defaulted<string[]>;
  objectives: NullableJson<Objectives>;
  /** Identifier of its category; one that does not exist counts as none. */
  category_id: string | null;
  is_commercial: Defaulted<boolean>;
  message_class: Defaulted<MessageClass>;
  priority: Defaulted<Priority>;
  /** The address that is asked for the steps; null for a workflow whose content is stored here. */
  bridge_url: string | null;
  last_published_at: Date | null;
  last_published_by: string | null;
  created_at: Date;
  updated_at: Date;
  updated_by: string | null;
  deleted_at: Date | null;
};

type LayoutsTable = {
  id: string;
  environment_id: string;
  layout_id: string;
  name: string;
  is_default: boolean;
  is_translation_enabled: boolean;
  origin: Origin;
  control_values: Json<LayoutControlValues>;
  created_at: Date;
  updated_at: Date;
  updated_by: string | null;
};

type TranslationsTable = {
  environment_id: string;
  resource_type: TranslatedResource;
  resource_id: string;
  locale: string;
  content: Json<JsonObject>;
  sources: ColumnType<TextSources | null, string | null | undefined, string | null>;
  created_at: Date;
  updated_at: Date;
};

/** What a run needs of its workflow, frozen when the workflow was saved. */
export type WorkflowDefinition = {
  workflowId: string;
  name: string;
  description: string | null;
  tags: string[];
  severity: Severity;
  origin: Origin;
  preferences: { user: WorkflowPreference | null; default: WorkflowPreference };
  steps: StoredStep[];
  /** Absent in versions that were saved before it existed: `hold`. */
  outsideSchedule?: "hold" | "skip";
  /** Absent in versions that were saved before it existed: `may_duplicate`. */
  onUnknownOutcome?: OnUnknownOutcome;
  isTranslationEnabled?: boolean;
  /** Absent where it is empty, and in versions that were saved before it existed. */
  searchKeys?: string[];
  /** Absent where there are none. */
  objectives?: Objectives;
  /** Absent without a category. */
  categoryId?: string;
  isCommercial?: true;
  /** Absent: transactional. */
  messageClass?: MessageClass;
  /** Absent: normal. */
  priority?: Priority;
  /** The content of the steps comes from the bridge of the workflow. */
  isBridged?: true;
  /** The content of a broadcast, which is promotional. */
  isBroadcast?: true;
  /** A draft that was sent as a test: its waits end at once, and it shares no digest or throttle with real events. */
  isTest?: true;
};

type WorkflowVersionsTable = {
  id: string;
  environment_id: string;
  workflow_id: string;
  definition: Json<WorkflowDefinition>;
  step_types: StepType[];
  created_at: Date;
  /** Counted from 1 for each workflow. */
  number: number;
  created_by: string | null;
  /** What the save changed, in words. */
  summary: string;
  /** Null in versions that were saved before it existed. */
  settings: Json<VersionSettings> | null;
};

/** What a save also changes and runs do not need. */
export type VersionSettings = { active: boolean; validatePayload: boolean; payloadSchema: JsonObject | null };

type IntegrationsTable = {
  id: string;
  environment_id: string;
  identifier: string;
  name: string;
  provider_id: string;
  channel: Channel;
  credentials: string | null;
  configurations: string | null;
  conditions: Json<StepFilter[]>;
  active: boolean;
  is_primary: boolean;
  priority: number;
  /** A built-in integration of a provider that older clients do not know; shown once the environment uses it. */
  is_hidden: boolean;
  created_at: Date;
  updated_at: Date;
  deleted_at: Date | null;
  deleted_by: string | null;
};

type ContextsTable = {
  environment_id: string;
  type: string;
  id: string;
  row_id: Defaulted<string>;
  data: Json<JsonObject>;
  /** What the context overrides of the environment's brand; null: nothing. */
  brand: ColumnType<BrandIn | null, string | null | undefined, string | null>;
  created_at: Date;
  updated_at: Date;
};

type ChannelConnectionsTable = {
  id: string;
  environment_id: string;
  identifier: string;
  integration_id: string;
  subscriber_id: string | null;
  context_keys: string[];
  workspace: Json<{ id: string; name?: string }>;
  auth: string;
  created_at: Date;
  updated_at: Date;
};

type ChannelEndpointsTable = {
  id: string;
  environment_id: string;
  identifier: string;
  integration_id: string;
  connection_id: string | null;
  subscriber_id: string;
  context_keys: string[];
  type: ChannelEndpointType;
  endpoint: Json<Sealed<ChannelEndpointAddress>>;
  created_at: Date;
  updated_at: Date;
};

type TopicsTable = {
  id: string;
  environment_id: string;
  key: string;
  name: string | null;
  created_at: Date;
  updated_at: Date;
};

/** A subscription's rule as stored: one workflow, or a group of them. */
export type StoredRule = { enabled?: boolean; condition?: JsonObject } & (
  | { workflowId: string }
  | { filter: { workflowIds?: string[]; tags?: string[] } }
);

type TopicSubscriptionsTable = {
  id: string;
  environment_id: string;
  topic_id: string;
  subscriber_id: string;
  identifier: string;
  name: string | null;
  context_keys: string[];
  rules: Json<StoredRule[]>;
  created_at: Date;
  updated_at: Date;
};

type PreferenceCategoriesTable = {
  id: string;
  environment_id: string;
  category_id: string;
  name: string;
  description: string;
  is_required: boolean;
  channels: Json<PreferenceChannels>;
  position: number;
  created_at: Date;
  updated_at: Date;
};

type SubscriberPreferencesTable = {
  environment_id: string;
  subscriber_id: string;
  /** Internal id of a workflow or of a category; null for the global level. */
  workflow_id: string | null;
  context_keys: string[];
  channels: Json<PreferenceChannels>;
  schedule: NullableJson<Schedule>;
  /** Only in the choice for a workflow. */
  digest_frequency: DigestFrequency | null;
  created_at: Date;
  updated_at: Date;
};

/** Recipients that are read from the database page by page, in order of the subscriber's id. */
export type Audience =
  | { kind: "everyone" }
  | { kind: "topics"; topicKeys: string[]; exclude: string[] }
  | AudiencesOfEvent;

/**
 * People in at least one of the audiences (all subscribers where there is none), minus those of `minus` and the
 * subscriber ids of `exclude`. They are fixed as rows of `event_pages` when the event starts.
 */
export type AudiencesOfEvent = {
  kind: "audiences";
  audienceIds: string[];
  minus: string[];
  exclude: string[];
  /** The broadcast that the event belongs to; its row has the time, the pace and the state. */
  broadcastId?: string;
};

/** A recipient as the event named it. */
export type StoredRecipient = Omit<RecipientSubscriber, "channels"> & {
  channels?: Sealed<NonNullable<RecipientSubscriber["channels"]>>;
  /** The subscriber was erased since: `subscriberId` is the pseudonym, and nothing is sent. */
  isErased?: true;
};

export type TenantFields = { name?: string; data?: JsonObject };

/** `path`: the workflows that started each other until this event, that of the request first. */
export type StartedBy = {
  eventId: string;
  notificationId: string;
  workflowId: string;
  stepId: string;
  path: string[];
  /** The event sends a roll-up, and its step held the first item. `at`: the time of day that it waits for. */
  rollUp?: { id: string; channel: Channel; at: string | null };
};

type EventsTable = {
  id: string;
  environment_id: string;
  transaction_id: string;
  workflow_id: string;
  workflow_version_id: string;
  payload: Json<JsonObject>;
  overrides: NullableJson<Sealed<JsonObject>>;
  recipients: Json<StoredRecipient[]>;
  actor: NullableJson<StoredRecipient>;
  audience: NullableJson<Audience>;
  context_keys: string[];
  /** Identifier of the event's tenant. */
  tenant: string | null;
  /** What the event itself says about its tenant. */
  tenant_fields: NullableJson<TenantFields>;
  /** The bridge that this event asks, instead of that of its workflow. */
  bridge_url: string | null;
  /** The trace that it belongs to (lib/trace-context.ts). */
  trace_context: string | null;
  /** The step that started it; null for an event of a request. */
  started_by: NullableJson<StartedBy>;
  /** A later event with the same key replaces this one for the same subscriber. */
  supersede_key: string | null;
  /** Instead of that of its workflow. */
  priority: Priority | null;
  created_at: Date;
  expanded_at: Date | null;
  /** Walks through the audience that have not ended. */
  open_walks: Defaulted<number>;
  /** Later events of its request, which start when its whole audience has been walked. */
  held_events: string[] | null;
  canceled_at: Date | null;
  /** Why nothing is sent; null for an accepted event. */
  refusal: "workflow_inactive" | null;
};

/** `versionId`: of the saved workflow, as it was when the approval was asked for. Null for steps written in place. */
type BroadcastApproval = NonNullable<Broadcast["approval"]> & { versionId?: string | null };

type BroadcastsTable = {
  environment_id: string;
  id: string;
  name: string;
  status: BroadcastStatus;
  content: Json<BroadcastContent>;
  audience: Json<BroadcastAudience>;
  time: Json<BroadcastTime>;
  pace: Json<BroadcastPace>;
  expires_at: Date | null;
  approval: NullableJson<BroadcastApproval>;
  event_id: string | null;
  transaction_id: string | null;
  /** Those with an active integration when it was sent. */
  channels: Defaulted<string[]>;
  /** Counts the times it was resumed; tasks of earlier turns do nothing. */
  turn: Defaulted<number>;
  people: number | null;
  failure: string | null;
  resend_of: string | null;
  /** Counts the changes of the draft, and the requests for approval. */
  revision: Defaulted<number>;
  /** The last check, and the revision that it is of. */
  checked: NullableJson<JsonObject>;
  checked_revision: number | null;
  created_by: string;
  created_at: Date;
  updated_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
};

type BacktestsTable = {
  environment_id: string;
  id: string;
  name: string | null;
  status: BacktestStatus;
  failure: string | null;
  period_from: Date;
  period_to: Date;
  /** The share of the people that is replayed; null: everyone. */
  permyriad: number | null;
  /** In the period, before a sample is taken. */
  notifications: number;
  change: Json<StoredChange>;
  page: Defaulted<number>;
  after_id: string | null;
  tally: NullableJson<JsonObject>;
  report: NullableJson<BacktestReport>;
  /** Rows of `backtest_differences`. */
  differences: Defaulted<number>;
  created_by: string;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
};

type BacktestDifferencesTable = {
  environment_id: string;
  backtest_id: string;
  subscriber_id: string;
  notification_id: string;
  step_id: string;
  workflow_id: string;
  effect: BacktestEffect;
  was_sent: boolean;
  is_sent: boolean;
};

/** What a backtest changes, read when it was created. */
export type StoredChange = {
  workflows: ChangedWorkflow[];
  /** Null: those of the environment. */
  budgets: AttentionBudget[] | null;
  /** By internal id of the workflow; they replace the preferences of the workflow in the dashboard. */
  preferences: Record<string, WorkflowPreference | null>;
  /** Identifiers of integrations by channel. */
  order: Record<string, string[]>;
  /** By id of the stored layout. */
  layouts: Record<string, LayoutControlValues>;
  /** Members of the change that a replay does not take into account, in sentences. */
  ignored: string[];
};

/** `id`: the internal one of the stored workflow. */
export type ChangedWorkflow = { id: string; workflowId: string; active: boolean; definition: WorkflowDefinition };

/** A topic subscription that let an event through. */
export type PassedSubscription = { id: string; identifier: string; topicId: string; topicKey: string };

type NotificationsTable = {
  id: string;
  environment_id: string;
  event_id: string;
  workflow_id: string;
  workflow_version_id: string;
  subscriber_id: string;
  severity: Severity;
  critical: boolean;
  context_keys: string[];
  subscriptions: NullableJson<PassedSubscription[]>;
  digested_into: string | null;
  /** Null: the jobs are rows of `jobs`. */
  finished_jobs: NullableJson<FinishedJob[]>;
  later_details: NullableJson<(StoredDetail & { j: string })[]>;
  created_at: Date;
  updated_at: Date;
};

/**
 * A job of a run that ended at once: type, status, and details without their time; a detail that is only a name is a
 * text. `in_app` alone: the message was created and sent, and there is no more to say.
 */
export type FinishedJob = "in_app" | [StepType, JobStatus, ...(string | Omit<StoredDetail, "t">)[]];

/**
 * One execution detail as stored: `d` names it in the catalogue of pipeline/rules/details.ts, `t` is the time in ms.
 */
export type StoredDetail = { d: string; t: number; p?: string; y?: true; r?: JsonObject };

/** The content of a step as a bridge returned it. `providers`: overrides by provider id, which may hold credentials. */
export type BridgeAnswer = { outputs: JsonObject; providers?: Sealed<JsonObject>; skip: boolean };

/**
 * What a step asked: of the bridge of its workflow, or by an HTTP request, which has no `answer`. `askedAt` (ms) counts
 * from the first call; `error`: why the last one failed.
 */
export type JobBridge = { askedAt: number; tries: number; error?: string; answer?: BridgeAnswer };

type JobsTable = {
  id: string;
  environment_id: string;
  notification_id: string;
  step_index: number;
  type: StepType;
  status: JobStatus;
  provider_id: string | null;
  details: Json<StoredDetail[]>;
  output: NullableJson<JsonObject>;
  digest: NullableJson<JsonObject>;
  bridge: NullableJson<JobBridge>;
  merged_into: string | null;
  wake_at: Date | null;
  updated_at: Date;
};

/** A run that waits for a signal or for an event of a message. `arrived_at`: it has happened. */
export type WaitRow = {
  environment_id: string;
  job_id: string;
  notification_id: string;
  subscriber_id: string;
  signal: string | null;
  signal_key: string | null;
  watched_job_id: string | null;
  watched_event: MessageEvent | null;
  arrived_at: Date | null;
  arrived_by: "signal" | "message" | null;
  data: JsonObject | null;
};

/** `pending`: not handed to its provider yet, or waiting for the retry of a failed attempt. */
export type StoredMessageStatus = MessageStatus | "pending";

type MessagesTable = {
  id: string;
  environment_id: string;
  notification_id: string;
  event_id: string;
  job_id: string;
  subscriber_id: string;
  workflow_id: string;
  channel: Channel;
  provider_id: string | null;
  integration_id: string | null;
  status: StoredMessageStatus;
  error_id: string | null;
  error_text: string | null;
  subject: string | null;
  content: string | null;
  cta: NullableJson<JsonObject>;
  data: NullableJson<JsonObject>;
  actor: NullableJson<JsonObject>;
  /** The recipient's email address, phone number, device token or webhook; encrypted for push and chat. */
  address: string | null;
  /** All addresses of an email with more than one recipient. */
  recipients: Defaulted<string[] | null>;
  outgoing: NullableJson<Sealed<JsonObject>>;
  provider_message_id: string | null;
  /** Number of replays; attempts of earlier rounds do not count against the retry limit. */
  round: Defaulted<number>;
  replayed_at: Defaulted<Date | null>;
  context_keys: string[];
  seen_at: Date | null;
  read_at: Date | null;
  /** The former seen_at and read_at of a message that was marked unseen or unread. */
  last_seen_at: Defaulted<Date | null>;
  last_read_at: Defaulted<Date | null>;
  archived_at: Date | null;
  snoozed_until: Date | null;
  /** From then on, an in-app message is in no inbox, and housekeeping deletes it. */
  expires_at: Date | null;
  /** Null for messages of other channels, and for those that were written without it. */
  severity: Severity | null;
  /** Also null for an in-app message, which is delivered once, when it is created. */
  delivered_at: Date[] | null;
  created_at: Date;
  updated_at: Date;
};

/** The circuit breaker of an address that steps call. */
export type CallBreaker = {
  environment_id: string;
  url: string;
  state: "closed" | "open" | "half_open";
  failures: number;
  probes: number;
  opened_at: Date | null;
  next_probe_at: Date | null;
  updated_at: Date;
};

/** `api_key_id`: the key of the last sync, which signs calls; null or revoked: the oldest key of the environment. */
type BridgesTable = CallBreaker & { api_key_id: string | null; synced_at: Date };

/** Errors of the provider or of the integration; a message that is refused for its recipient or content is none. */
export type IntegrationErrorClass = "transient" | "unknown" | "auth" | "quota" | "config";

type IntegrationHealthTable = {
  integration_id: string;
  environment_id: string;
  state: "closed" | "open" | "half_open";
  /** Consecutive failed calls whose cause was not the message. */
  failures: number;
  /** Consecutive failed probes since the circuit opened. */
  probes: number;
  opened_at: Date | null;
  /** During a probe: the timeout after which another probe may be sent. */
  next_probe_at: Date | null;
  updated_at: Date;
  /** Since the first error after its last success. */
  failing_since: Date | null;
  last_error: string | null;
  last_error_class: IntegrationErrorClass | null;
  last_error_at: Date | null;
  /** When it last responded successfully, to the minute. */
  last_success_at: Date | null;
};

type DeadLettersTable = {
  id: string;
  environment_id: string;
  message_id: string;
  notification_id: string;
  job_id: string;
  transaction_id: string;
  /** The external id, because the subscriber may be deleted before the letter is read. */
  subscriber_id: string;
  workflow_id: string;
  step_id: string;
  channel: Channel;
  provider_id: string;
  integration_id: string;
  error_class: "transient" | "unknown" | "auth" | "quota" | "config";
  error_id: string;
  error_text: string;
  attempts: number;
  status: "open" | "replayed" | "resolved";
  created_at: Date;
  replayed_at: Date | null;
  replay_id: string | null;
};

type DeadLetterReplaysTable = {
  id: string;
  environment_id: string;
  status: ReplayStatus;
  /** Members of a filter as the API takes them, or `ids`. */
  filter: Json<JsonObject>;
  integration_id: string | null;
  per_second: number;
  total: number;
  done: number;
  after_id: string | null;
  until_id: string | null;
  turn: number;
  created_at: Date;
  updated_at: Date;
  finished_at: Date | null;
};

/** The id says when it came. */
type InboundReceiptsTable = {
  id: string;
  environment_id: string;
  integration_id: string | null;
  result: InboundResult;
  reason: InboundReason | null;
  status: string | null;
  changes: InboundChange[];
  message_id: string | null;
  external_id: string | null;
  recipient: string | null;
  excerpt: string | null;
};

/** A group of events at one digest or throttle step for one subscriber. */
export type GroupKey = { environment_id: string; step_id: string; subscriber_id: string; group_key: string };

type TenantsTable = {
  environment_id: string;
  identifier: string;
  name: string | null;
  data: Json<JsonObject>;
  created_at: Date;
  updated_at: Date;
};

type WebhooksTable = {
  id: string;
  environment_id: string;
  url: string;
  event_types: WebhookEventType[];
  active: boolean;
  /** Encrypted, as previous_secret is. */
  secret: string;
  previous_secret: string | null;
  previous_secret_until: Date | null;
  failing_since: Date | null;
  /** Calls that failed since the last success. */
  failures: number;
  last_failure_at: Date | null;
  last_error: string | null;
  disabled_at: Date | null;
  disabled_reason: string | null;
  created_at: Date;
  updated_at: Date;
  deleted_at: Date | null;
};

/** A call by SQL that was committed: `key` orders it among others, `body` is what it was called with. */
export type OutboxRow = {
  id: number;
  transaction_id: string;
  kind: string;
  key: string | null;
  body: Json<JsonObject>;
  created_at: Date;
};

type SourcesTable = {
  environment_id: string;
  id: string;
  kind: SourceKind;
  name: string;
  /** Encrypted; null for the local source. */
  connection: string | null;
  outbox_schema: string;
  paused: boolean;
  accepted: number;
  refused: number;
  last_accepted_at: Date | null;
  waiting: number;
  oldest_at: Date | null;
  measured_at: Date | null;
  failing_since: Date | null;
  last_error: string | null;
  last_error_at: Date | null;
  created_at: Date;
  updated_at: Date;
};

type WebhookDeliveriesTable = {
  id: string;
  environment_id: string;
  webhook_id: string;
  event_id: string;
  status: WebhookDeliveryStatus;
  attempts: number;
  failures: number;
  next_at: Date | null;
  last_at: Date | null;
  response_status: number | null;
  response: string | null;
};

type AlertRulesTable = {
  environment_id: string;
  id: string;
  name: string;
  kind: AlertKindName;
  parameters: Json<JsonObject>;
  /** Encrypted list of targets. */
  targets: string;
  quiet: NullableJson<AlertQuietTimes>;
  repeat_after_minutes: number | null;
  active: boolean;
  created_at: Date;
  updated_at: Date;
};

/** The figures of an alert. */
export type AlertFacts = Record<string, string | number>;

type AlertsTable = {
  environment_id: string;
  id: string;
  rule_id: string;
  rule_name: string;
  kind: AlertKindName;
  code: string;
  subject_type: AlertSubjectType;
  subject_id: string;
  subject_name: string;
  facts: Json<AlertFacts>;
  status: AlertStatus;
  opened_at: Date;
  last_seen_at: Date;
  resolved_at: Date | null;
  ending: AlertEnding | null;
  acknowledged_at: Date | null;
  acknowledged_by: string | null;
  /** The last message while it was open. */
  told_at: Date | null;
  /** Nothing is left to say about its end. */
  closed_at: Date | null;
};

/** An alert as a message shows it: written once, so that every attempt says the same. */
export type StoredNotice = {
  notice: AlertNotice;
  alertId: string;
  ruleId: string;
  ruleName: string;
  kind: AlertKindName;
  code: string;
  subject: { type: AlertSubjectType; id: string; name: string };
  facts: AlertFacts;
  openedAt: string;
  resolvedAt?: string;
};

/** `at`: the pass that wrote it. `failed`: the target that failed, for a message to the owners instead. */
export type AlertContent = { at: string; notices: StoredNotice[]; failed?: { target: string; reason: string } };

type AlertMessagesTable = {
  environment_id: string;
  id: string;
  key: string;
  /** Encrypted. */
  target: string;
  alert_ids: string[];
  content: Json<AlertContent>;
  is_fallback: boolean;
  status: AlertMessageStatus;
  attempts: number;
  next_at: Date | null;
  last_at: Date | null;
  detail: string | null;
  created_at: Date;
};

type SuppressionsTable = {
  id: string;
  environment_id: string;
  channel: SuppressedChannel;
  address: string;
  reason: SuppressionReason;
  message_id: string | null;
  created_at: Date;
};

/** People have an email address and a role; without them, a user is the author of API keys only. */
type UsersTable = {
  id: string;
  organization_id: string;
  name: string;
  created_at: Date;
  email: Defaulted<string | null>;
  /** `email` as lib/addresses.ts folds it. */
  email_key: Defaulted<string | null>;
  role: Defaulted<Role | null>;
  password_hash: Defaulted<string | null>;
  oidc_subject: Defaulted<string | null>;
  last_sign_in_at: Defaulted<Date | null>;
  removed_at: Defaulted<Date | null>;
};

type MemberSessionsTable = {
  id: string;
  organization_id: string;
  user_id: string;
  secret_hash: Buffer;
  created_at: Date;
  renewed_at: Date;
  expires_at: Date;
  address: string | null;
  user_agent: string | null;
  wrong_passwords: Defaulted<number>;
};

type UsedOidcStatesTable = {
  organization_id: string;
  state_hash: Buffer;
  expires_at: Date;
};

type MemberLinksTable = {
  id: string;
  organization_id: string;
  kind: LinkKind;
  secret_hash: Buffer;
  user_id: string | null;
  email: string | null;
  email_key: string | null;
  role: Role;
  created_by: string | null;
  created_at: Date;
  expires_at: Date;
};

/** A resource in a publish. Workflows have versions; of everything else, and of texts, the content before is kept. */
export type PublishedChange = {
  type: PublishedResource;
  identifier: string;
  name: string;
  action: "created" | "updated" | "deleted";
  /** Internal id in the target; that of the environment for its brand and attention budget. */
  id: string;
  versionBefore: string | null;
  versionAfter: string | null;
  layoutBefore: StoredLayout | null;
  layoutAfter: StoredLayout | null;
  /** The members of a category, an audience, a brand or an attention budget, as they are compared. */
  settingsBefore?: JsonObject | null;
  settingsAfter?: JsonObject | null;
  /** By locale. */
  textsBefore: Record<string, JsonObject>;
  textsAfter: Record<string, JsonObject>;
};

export type StoredLayout = {
  name: string;
  is_default: boolean;
  is_translation_enabled: boolean;
  origin: Origin;
  control_values: LayoutControlValues;
};

type PublishesTable = {
  id: string;
  environment_id: string;
  kind: "publish" | "restore";
  source_id: string | null;
  source_name: string;
  created_at: Date;
  created_by: string;
  created_by_name: string;
  resources: Json<PublishedChange[]>;
  restores: string | null;
  restored_at: Date | null;
};

/**
 * Where an erasure is. `pass`: the second one goes over what was written during the first. `after`: the last key that
 * was read of the table of this step.
 */
export type ErasureProgress = { pass: 1 | 2; step: number; after: Record<string, string> | null; turn: number };

type ErasuresTable = {
  environment_id: string;
  id: string;
  pseudonym: string;
  /** A keyed hash, by which the receipt can be matched with a subscriber id. */
  subscriber_hash: string;
  /** Null when the erasure has ended, as `person` is. */
  subscriber_id: string | null;
  /** What identifies the person, encrypted. */
  person: string | null;
  status: "running" | "completed";
  progress: Json<ErasureProgress>;
  /** Changed or deleted rows by table. */
  counts: Json<Record<string, number>>;
  requested_by: string;
  created_at: Date;
  updated_at: Date;
  finished_at: Date | null;
  /** Signed; null until the erasure has ended. */
  receipt: string | null;
};

type AuditLogTable = {
  id: string;
  organization_id: string;
  environment_id: string | null;
  created_at: Date;
  user_id: string | null;
  api_key_id: string | null;
  actor: string;
  operation: string;
  target: string | null;
  target_name: string | null;
  subscriber_id: string | null;
  before: NullableJson<JsonObject>;
  after: NullableJson<JsonObject>;
  address: string | null;
  user_agent: string | null;
};

export type Tables = {
  installation: { name: string; value: string };
  background_migrations: {
    name: string;
    next_key: unknown;
    done_rows: number;
    total_rows: number | null;
    created_at: Date;
    updated_at: Date;
    finished_at: Date | null;
  };
  organizations: { id: string; name: string; created_at: Date };
  users: UsersTable;
  person_sessions: MemberSessionsTable;
  person_links: MemberLinksTable;
  used_oidc_states: UsedOidcStatesTable;
  audit_log: AuditLogTable;
  publishes: PublishesTable;
  file_applies: { environment_id: string; fingerprints: Json<Record<string, string>>; applied_at: Date };
  environments: EnvironmentsTable;
  api_keys: ApiKeysTable;
  idempotency_keys: {
    environment_id: string;
    key: string;
    fingerprint: Buffer;
    status: number;
    body: string | null;
    created_at: Defaulted<Date>;
  };
  subscribers: SubscribersTable;
  erasures: ErasuresTable;
  imports: {
    id: string;
    environment_id: string;
    kind: ImportKind;
    is_dry_run: boolean;
    status: ImportStatus;
    file_name: string | null;
    separator: CsvSeparator;
    columns: Json<string[]>;
    lines: number;
    done: number;
    created: number;
    updated: number;
    unchanged: number;
    faulty: number;
    created_at: Date;
    finished_at: Date | null;
  };
  import_pages: {
    environment_id: string;
    import_id: string;
    number: number;
    /** Null when the page is done. */
    rows: NullableJson<ImportRowCells[]>;
    errors: Json<ImportError[]>;
  };
  workflows: WorkflowsTable;
  workflow_versions: WorkflowVersionsTable;
  layouts: LayoutsTable;
  assets: {
    id: string;
    environment_id: string;
    /** SHA-256 of the bytes, in hexadecimal. */
    hash: string;
    content_type: AssetContentType;
    file_name: string | null;
    width: number;
    height: number;
    size: number;
    bytes: Buffer;
    created_at: Date;
    needed_at: Date | null;
  };
  translations: TranslationsTable;
  step_comments: {
    environment_id: string;
    id: string;
    workflow_id: string;
    step_id: string;
    author_id: string | null;
    author_name: string;
    text: string;
    created_at: Date;
    resolved_at: Date | null;
    resolved_by_name: string | null;
  };
  environment_variables: {
    environment_id: string;
    key: string;
    id: string;
    is_secret: boolean;
    /** Encrypted if it is a secret. */
    value: string;
    created_at: Date;
    updated_at: Date;
  };
  step_templates: {
    environment_id: string;
    id: string;
    name: string;
    step: Json<SavedStep>;
    created_by_name: string;
    created_at: Date;
    updated_at: Date;
  };
  workflow_viewers: {
    environment_id: string;
    workflow_id: string;
    tab_id: string;
    member_id: string;
    is_editing: boolean;
    seen_at: Date;
  };
  integrations: IntegrationsTable;
  contexts: ContextsTable;
  channel_connections: ChannelConnectionsTable;
  channel_endpoints: ChannelEndpointsTable;
  topics: TopicsTable;
  topic_subscriptions: TopicSubscriptionsTable;
  message_expiries: { environment_id: string; expires_at: Date; message_id: string };
  list_counts: { environment_id: string; list_id: string; id: Defaulted<number>; count: number };
  preference_categories: PreferenceCategoriesTable;
  subscriber_preferences: SubscriberPreferencesTable;
  events: EventsTable;
  retention_runs: {
    id: string;
    started_at: Date;
    finished_at: Date | null;
    is_complete: Defaulted<boolean>;
    /** Rows by class. */
    deleted: ColumnType<Partial<Record<RetentionClassName, number>>, string | undefined, string>;
    /** Names of dropped partitions. */
    partitions: Defaulted<string[]>;
    error: string | null;
  };
  transaction_ids: { environment_id: string; transaction_id: string; event_id: string };
  refused_event_names: {
    environment_id: string;
    kind: "transaction" | "subscriber";
    name: string;
    event_id: string;
  };
  notifications: NotificationsTable;
  jobs: JobsTable;
  exposures: {
    environment_id: string;
    notification_id: string;
    /** The internal id of the experiment step. */
    step_id: string;
    step_index: number;
    subscriber_id: string;
    variant: string;
    exposed_at: Date;
  };
  run_waits: Omit<WaitRow, "data"> & { data: NullableJson<JsonObject> };
  audiences: {
    environment_id: string;
    id: string;
    audience_id: string;
    name: string;
    description: string | null;
    /** JSON Logic; null for a fixed list. */
    rule: NullableJson<JsonObject>;
    created_at: Date;
    updated_at: Date;
  };
  audience_members: { environment_id: string; audience_id: string; subscriber_id: string };
  subscriber_activity: {
    subscriber_id: string;
    environment_id: string;
    last_read_at: Date | null;
    last_opened_at: Date | null;
  };
  event_pages: {
    environment_id: string;
    event_id: string;
    page: number;
    subscriber_ids: string[];
    people: number;
    due_at: Date;
    state: Defaulted<"waiting" | "done" | "expired" | "failed">;
    gone: Defaulted<number>;
    done_at: Date | null;
  };
  broadcasts: BroadcastsTable;
  backtests: BacktestsTable;
  backtest_differences: BacktestDifferencesTable;
  retractions: {
    environment_id: string;
    id: string;
    event_id: string;
    /** Only this run of the event is retracted. */
    notification_id: string | null;
    transaction_id: string;
    supersede_key: string | null;
    recipient: string | null;
    reason: string;
    correction: NullableJson<Correction>;
    status: Retraction["status"];
    people: number;
    handled: Defaulted<number>;
    results: Json<RetractionResults>;
    after_id: string | null;
    created_by: string;
    created_at: Date;
    finished_at: Date | null;
  };
  retracted_messages: {
    environment_id: string;
    /** The message, or the job of a step that had none yet. */
    id: string;
    notification_id: string;
    job_id: string;
    /** Null where a later event replaced it. */
    retraction_id: string | null;
    channel: Channel;
    state: RetractedState;
    reason: string | null;
    at: Date;
  };
  supersede_keys: {
    environment_id: string;
    subscriber_id: string;
    supersede_key: string;
    event_id: string;
    notification_id: string;
    earlier: string[];
  };
  signals: {
    environment_id: string;
    id: string;
    subscriber_id: string;
    name: string;
    key: string | null;
    data: NullableJson<JsonObject>;
    created_at: Date;
  };
  messages: MessagesTable;
  attempts: {
    id: string;
    environment_id: string;
    message_id: string;
    integration_id: string;
    /** Number of the attempt with this integration in this round, from 1. */
    number: number;
    round: Defaulted<number>;
    started_at: Date;
    finished_at: Date | null;
    outcome: string | null;
    reason: string | null;
    provider_message_id: string | null;
  };
  deleted_messages: {
    environment_id: string;
    hour: Date;
    workflow_id: string;
    channel: Channel;
    provider_id: string;
    sent: number;
    delivered: number;
    opened: number;
    failed: number;
    refused: number;
  };
  deleted_subscribers: { environment_id: string; subscriber_hash: Buffer; id: string; deleted_at: Date };
  throttle_windows: GroupKey & { until: Date; granted: number };
  digest_passes: GroupKey & { passed_at: Date };
  tenants: TenantsTable;
  clock_tasks: { id: string; environment_id: string; due_at: Date; kind: string; data: Json<JsonObject> };
  integration_health: IntegrationHealthTable;
  bridges: BridgesTable;
  request_hosts: CallBreaker;
  dead_letters: DeadLettersTable;
  dead_letter_replays: DeadLetterReplaysTable;
  inbound_receipts: InboundReceiptsTable;
  failed_tasks: {
    id: string;
    environment_id: string;
    kind: string;
    data: Json<JsonObject>;
    error: string;
    attempts: number;
    status: "open" | "replayed";
    created_at: Date;
    replayed_at: Date | null;
  };
  digest_windows: GroupKey & { leader_job_id: string; leader_notification_id: string; due_at: Date };
  /** `id` is the id of the event. */
  event_attachments: { id: string; environment_id: string; attachments: Json<JsonObject[]> };
  /** `id` is the id of the event. */
  event_search_values: { environment_id: string; value: string; id: string };
  alert_rules: AlertRulesTable;
  alerts: AlertsTable;
  alert_messages: AlertMessagesTable;
  webhooks: WebhooksTable;
  sources: SourcesTable;
  sql_grants: { role_name: string; environment_id: string; created_at: Date };
  sql_outbox: OutboxRow & { environment_id: string };
  webhook_events: {
    id: string;
    environment_id: string;
    type: SentEventType;
    body: string;
    /** The trace of the trigger event that it follows from (lib/trace-context.ts). */
    trace_context: string | null;
    created_at: Date;
  };
  webhook_deliveries: WebhookDeliveriesTable;
  statistics_hours: {
    environment_id: string;
    hour: Date;
    workflow_id: string;
    channel: Channel;
    provider_id: string;
    /** Empty but for skipped steps. */
    reason: string;
    sent: number;
    delivered: number;
    opened: number;
    failed: number;
    refused: number | null;
    unaccepted: number | null;
    skipped: number;
    latency: number[];
    failed_attempts: number;
  };
  statistics_progress: { hour: Date; is_final: boolean; counted_at: Date };
  receipts: {
    integration_id: string;
    external_id: string;
    status: string;
    reported_at: Date;
    message_id: string;
    environment_id: string;
    created_at: Date;
    recipient: Defaulted<string>;
  };
  early_receipts: {
    id: string;
    environment_id: string;
    integration_id: string;
    /** Our id of the message, or the provider's. */
    name: string;
    receipt: Json<JsonObject>;
  };
  suppressions: SuppressionsTable;
  budgets: { name: string; next_at: Date };
  attention_ledgers: {
    environment_id: string;
    subscriber_id: string;
    ledger: Json<Ledger>;
    /** Own limits by channel, lower than the budgets; null: none. */
    limits: NullableJson<OwnLimits>;
    updated_at: Date;
  };
  captured_messages: {
    id: string;
    environment_id: string;
    message_id: string;
    event_id: string;
    subscriber_id: string;
    transaction_id: string;
    channel: Channel;
    provider_id: string;
    integration_identifier: string;
    content: Json<JsonObject>;
    created_at: Date;
  };
};

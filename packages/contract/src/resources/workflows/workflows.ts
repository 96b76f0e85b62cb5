// Workflows: the steps an event goes through for each recipient.
import { attentionSettings, MessageClassWord, PriorityWord } from "../../attention.ts";
import { channels, identifiers, OriginWord, origins, SeverityWord, StepTypeWord } from "../../common.ts";
import { operation } from "../../operation.ts";
import {
  isoTime,
  named,
  nullableOpenObject,
  nullableString,
  oneOf,
  openObject,
  repeated,
  type Static,
  Type,
} from "../../schema.ts";
import { maxSteps } from "../../steps/kit.ts";
import { StepFilter, StepFilterIn } from "./filters.ts";
import { StepIssues } from "./issues.ts";
import { Objectives } from "./objectives.ts";
import { sourceEnvironmentId } from "./publishing.ts";

/** What happens to channel steps outside the subscriber's schedule. */
export const outsideScheduleWords = ["hold", "skip"] as const;
export const onUnknownOutcomeWords = ["may_duplicate", "may_delay"] as const;
export const deadlineSeconds = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: 30 * 86_400,
    description: "How long after its creation the message may still be sent; default: the service's setting",
  }),
);

export const arm = Type.Optional(
  Type.String({
    pattern: "^[^/]{1,128}/[^/]{1,64}$",
    description:
      "The arm of an earlier branch step that this step belongs to: `<stepId of the branch>/<id of the arm>`. The arm " +
      "`else` is taken when no other is",
  }),
);

export const workflowStatuses = ["ACTIVE", "INACTIVE", "ERROR"] as const;

export const Step = named("Step", {
  _id: Type.String(),
  stepId: Type.String(),
  name: Type.String(),
  slug: Type.String(),
  type: StepTypeWord,
  origin: OriginWord,
  workflowId: Type.String(),
  workflowDatabaseId: Type.String(),
  controls: Type.Object({
    dataSchema: Type.Optional(openObject({ description: "JSON Schema of the control values" })),
    uiSchema: Type.Optional(openObject({ description: "How an editor should show them" })),
    values: openObject(),
  }),
  controlValues: Type.Optional(openObject({ description: "Alias of `controls.values`" })),
  variables: openObject({ description: "JSON Schema of what a template of this step may use" }),
  issues: Type.Optional(StepIssues),
  filters: Type.Optional(Type.Array(StepFilter)),
  active: Type.Boolean(),
  shouldStopOnFail: Type.Boolean(),
  deadlineSeconds,
  arm,
});
export type Step = Static<typeof Step>;

const ChannelPreference = Type.Object({ enabled: Type.Optional(Type.Boolean({ default: true })) });

const WorkflowPreference = named("WorkflowPreference", {
  all: Type.Optional(
    Type.Object({
      enabled: Type.Optional(Type.Boolean({ default: true })),
      readOnly: Type.Optional(
        Type.Boolean({ default: false, description: "true: the workflow is critical, and subscribers cannot opt out" }),
      ),
    }),
  ),
  channels: Type.Optional(
    Type.Object(
      Object.fromEntries(channels.map((channel) => [channel, Type.Optional(ChannelPreference)])) as Record<
        (typeof channels)[number],
        ReturnType<typeof Type.Optional<typeof ChannelPreference>>
      >,
    ),
  ),
});
export type WorkflowPreference = Static<typeof WorkflowPreference>;

export const nullablePreference = Type.Union([WorkflowPreference, Type.Null()]);

export const User = named("User", {
  _id: Type.String(),
  firstName: Type.Optional(nullableString()),
  lastName: Type.Optional(nullableString()),
  externalId: Type.Optional(nullableString()),
});

export const Workflow = named("Workflow", {
  _id: Type.String(),
  workflowId: Type.String(),
  versionId: Type.Optional(Type.String({ description: "The current version, for `expectedVersion` of an update" })),
  slug: Type.String(),
  name: Type.String(),
  description: Type.Optional(Type.String()),
  tags: Type.Optional(Type.Array(Type.String())),
  active: Type.Optional(Type.Boolean()),
  validatePayload: Type.Optional(Type.Boolean()),
  payloadSchema: Type.Optional(nullableOpenObject()),
  isTranslationEnabled: Type.Optional(Type.Boolean()),
  createdAt: isoTime("When the workflow was created"),
  updatedAt: isoTime("Last change"),
  updatedBy: Type.Optional(User),
  lastPublishedAt: Type.Optional(nullableString()),
  lastPublishedBy: Type.Optional(User),
  steps: Type.Array(Step),
  origin: OriginWord,
  preferences: Type.Object({ user: Type.Optional(nullablePreference), default: WorkflowPreference }),
  status: oneOf(workflowStatuses),
  issues: Type.Optional(Type.Record(Type.String(), openObject())),
  lastTriggeredAt: Type.Optional(nullableString()),
  payloadExample: Type.Optional(nullableOpenObject()),
  severity: SeverityWord,
  outsideSchedule: Type.Optional(
    oneOf(outsideScheduleWords, { description: "What happens to channel steps outside the subscriber's schedule" }),
  ),
  onUnknownOutcome: Type.Optional(
    oneOf(onUnknownOutcomeWords, { description: "What happens when it is unknown whether a provider sent a message" }),
  ),
  searchKeys: Type.Optional(
    Type.Array(Type.String(), { description: "Payload paths by whose values events can be found in the activity" }),
  ),
  objectives: Type.Optional(Objectives),
  categoryId: Type.Optional(Type.String({ description: "The category in the preferences of subscribers" })),
  isCommercial: Type.Optional(
    Type.Boolean({ description: "true: its mails always have the headers to unsubscribe; absent: false" }),
  ),
  messageClass: Type.Optional(MessageClassWord),
  priority: Type.Optional(PriorityWord),
});
export type Workflow = Static<typeof Workflow>;

export const WorkflowSummary = named("WorkflowSummary", {
  _id: Type.String(),
  workflowId: Type.String(),
  slug: Type.String(),
  name: Type.String(),
  tags: Type.Optional(Type.Array(Type.String())),
  createdAt: Type.String(),
  updatedAt: Type.String(),
  status: oneOf(workflowStatuses),
  origin: OriginWord,
  lastTriggeredAt: Type.Optional(nullableString()),
  stepTypeOverviews: Type.Array(StepTypeWord),
  isTranslationEnabled: Type.Optional(Type.Boolean()),
  steps: Type.Array(Type.Object({ slug: Type.String(), type: StepTypeWord, issues: Type.Optional(StepIssues) })),
});

export const StepIn = named("StepIn", {
  _id: Type.Optional(Type.String({ description: "In an update: the step this entry replaces" })),
  stepId: Type.Optional(Type.String({ ...identifiers.stepId, description: "Default: derived from the name" })),
  name: Type.String({ minLength: 1, maxLength: 128 }),
  type: StepTypeWord,
  controlValues: Type.Optional(
    openObject({ description: "Depends on the step type; see `controls.dataSchema` of the response" }),
  ),
  filters: Type.Optional(
    Type.Array(StepFilterIn, {
      maxItems: 20,
      description: "Classic conditions: the step is skipped unless all of them pass",
    }),
  ),
  active: Type.Optional(Type.Boolean({ default: true })),
  shouldStopOnFail: Type.Optional(
    Type.Boolean({ default: false, description: "true: if this step fails, the steps after it are canceled" }),
  ),
  deadlineSeconds,
  arm,
});
export type StepIn = Static<typeof StepIn>;

export const tags = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 16 });

/** A path of the payload, such as `order` or `invoice.number`. */
const searchKey = Type.String({ minLength: 1, maxLength: 128, pattern: "^[^.\\s]+(\\.[^.\\s]+)*$" });
export const searchKeys = Type.Array(searchKey, {
  maxItems: 5,
  description:
    "Payload paths, such as `order` or `invoice.number`, by whose texts and numbers events can be found in the " +
    "activity, however old they are. Applies to events from now on. The first one is shown next to each event",
});

const settings = {
  description: Type.Optional(Type.String({ maxLength: 256 })),
  tags: Type.Optional(tags),
  active: Type.Optional(
    Type.Boolean({ default: false, description: "For a new workflow in the vocabulary `novu`: default true" }),
  ),
  validatePayload: Type.Optional(Type.Boolean({ default: false })),
  payloadSchema: Type.Optional(nullableOpenObject({ description: "JSON Schema, draft-07 or 2020-12" })),
  isTranslationEnabled: Type.Optional(Type.Boolean({ default: false })),
  severity: Type.Optional(SeverityWord),
  outsideSchedule: Type.Optional(oneOf(outsideScheduleWords, { default: "hold" })),
  onUnknownOutcome: Type.Optional(oneOf(onUnknownOutcomeWords, { default: "may_duplicate" })),
  searchKeys: Type.Optional(searchKeys),
  objectives: Type.Optional(Objectives),
  categoryId: Type.Optional(nullableString({ description: "Identifier of an existing category; null: none" })),
  isCommercial: Type.Optional(
    Type.Boolean({ default: false, description: "Advertising: it can be unsubscribed from" }),
  ),
  ...attentionSettings,
};

export const PreferencesIn = named("WorkflowPreferencesIn", {
  user: Type.Optional(nullablePreference),
  workflow: Type.Optional(nullablePreference),
});

export const workflowName = Type.String({ minLength: 1, maxLength: 128 });
const steps = Type.Array(StepIn, { maxItems: maxSteps });

export const WorkflowIn = named("WorkflowIn", {
  name: workflowName,
  workflowId: Type.String(identifiers.workflowId),
  steps,
  preferences: Type.Optional(PreferencesIn),
  ...settings,
});
export type WorkflowIn = Static<typeof WorkflowIn>;

/** A workflow that is not saved. */
export const WorkflowDraft = named("WorkflowDraft", {
  name: workflowName,
  workflowId: Type.Optional(
    Type.String({
      ...identifiers.workflowId,
      description:
        "An existing workflow, whose subscriber preferences, translations and open digests are used. Default: a new " +
        "one",
    }),
  ),
  steps,
  preferences: Type.Optional(PreferencesIn),
  ...settings,
  active: Type.Optional(Type.Boolean({ default: true })),
});
export type WorkflowDraft = Static<typeof WorkflowDraft>;

export const WorkflowUpdate = named("WorkflowUpdate", {
  name: workflowName,
  workflowId: Type.Optional(
    Type.String({ ...identifiers.workflowId, description: "Must be unchanged, unless `origin` is external" }),
  ),
  steps,
  preferences: PreferencesIn,
  origin: oneOf(origins),
  expectedVersion: Type.Optional(
    Type.String({
      description:
        "The `versionId` that the change is based on. If the workflow has another by now, returns 409 and changes " +
        "nothing",
    }),
  ),
  ...settings,
});
export type WorkflowUpdate = Static<typeof WorkflowUpdate>;

export const WorkflowPatch = named("WorkflowPatch", { name: Type.Optional(workflowName), ...settings });
export type WorkflowPatch = Static<typeof WorkflowPatch>;

const workflowPath = Type.Object({ workflowId: Type.String({ description: "Internal id, identifier or slug" }) });

export const workflowOperations = {
  "workflows.list": operation({
    id: "workflows.list",
    method: "GET",
    path: "/v2/workflows",
    summary: "List workflows",
    category: "configuration",
    query: Type.Object({
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10 })),
      offset: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
      orderBy: Type.Optional(oneOf(["createdAt", "updatedAt", "name", "lastTriggeredAt"], { default: "createdAt" })),
      orderDirection: Type.Optional(oneOf(["ASC", "DESC"], { default: "DESC" })),
      query: Type.Optional(Type.String({ description: "Part of the name or identifier" })),
      tags: Type.Optional(repeated(Type.String(), { description: "Any of these" })),
      status: Type.Optional(repeated(oneOf(workflowStatuses), { description: "Any of these" })),
    }),
    success: {
      status: 200,
      schema: named("WorkflowList", { workflows: Type.Array(WorkflowSummary), totalCount: Type.Integer() }),
    },
    errors: [],
  }),
  "workflows.create": operation({
    id: "workflows.create",
    method: "POST",
    path: "/v2/workflows",
    summary: "Create a workflow",
    description:
      "Strict about structure, tolerant about content: an incomplete step is stored, and its `issues` list what is " +
      "missing.",
    category: "configuration",
    audit: "everyone",
    body: WorkflowIn,
    success: { status: 201, schema: Workflow },
    errors: ["WORKFLOW_ID_TAKEN", "DUPLICATE_TAG"],
  }),
  "workflows.retrieve": operation({
    id: "workflows.retrieve",
    method: "GET",
    path: "/v2/workflows/{workflowId}",
    summary: "Retrieve a workflow",
    category: "configuration",
    params: workflowPath,
    query: Type.Object({
      environmentId: Type.Optional(Type.String({ description: "Read it in another environment of the organisation" })),
    }),
    success: { status: 200, schema: Workflow },
    errors: ["WORKFLOW_NOT_FOUND", "ENVIRONMENT_NOT_FOUND"],
  }),
  "workflows.update": operation({
    id: "workflows.update",
    method: "PUT",
    path: "/v2/workflows/{workflowId}",
    summary: "Update a workflow",
    description:
      "`steps` are replaced; omitted settings do not change. Events in progress keep the version that started them.",
    category: "configuration",
    audit: "everyone",
    params: workflowPath,
    body: WorkflowUpdate,
    success: { status: 200, schema: Workflow },
    errors: ["WORKFLOW_IN_CODE", "WORKFLOW_NOT_FOUND", "WORKFLOW_ID_TAKEN", "WORKFLOW_CHANGED", "DUPLICATE_TAG"],
  }),
  "workflows.patch": operation({
    id: "workflows.patch",
    method: "PATCH",
    path: "/v2/workflows/{workflowId}",
    summary: "Update settings of a workflow",
    category: "configuration",
    audit: "everyone",
    params: workflowPath,
    body: WorkflowPatch,
    success: { status: 200, schema: Workflow },
    errors: ["WORKFLOW_IN_CODE", "WORKFLOW_NOT_FOUND", "DUPLICATE_TAG"],
  }),
  "workflows.delete": operation({
    id: "workflows.delete",
    method: "DELETE",
    path: "/v2/workflows/{workflowId}",
    summary: "Delete a workflow",
    description: "New triggers are refused immediately; waiting jobs are canceled.",
    category: "configuration",
    audit: "everyone",
    params: workflowPath,
    success: { status: 204 },
    errors: ["WORKFLOW_NOT_FOUND"],
  }),
  "workflows.retrieveStep": operation({
    id: "workflows.retrieveStep",
    method: "GET",
    path: "/v2/workflows/{workflowId}/steps/{stepId}",
    summary: "Retrieve a step of a workflow",
    category: "configuration",
    params: Type.Object({
      workflowId: Type.String({ description: "Internal id, identifier or slug" }),
      stepId: Type.String({ description: "Internal id, identifier or slug" }),
    }),
    success: { status: 200, schema: Step },
    errors: ["WORKFLOW_NOT_FOUND", "STEP_NOT_FOUND"],
  }),
  "workflows.sync": operation({
    id: "workflows.sync",
    method: "PUT",
    path: "/v2/workflows/{workflowId}/sync",
    summary: "Publish one workflow from another environment",
    description:
      "Requires a key of the target. Copies the workflow and its translations from the source to the target, " +
      "replacing a workflow with the same identifier. Returns the target's current workflow.",
    category: "configuration",
    audit: "everyone",
    params: workflowPath,
    body: named("WorkflowSync", {
      targetEnvironmentId: Type.String({ minLength: 1, description: "Id or identifier" }),
      sourceEnvironmentId,
    }),
    success: { status: 200, schema: Workflow },
    errors: [
      "FORBIDDEN",
      "WORKFLOW_NOT_FOUND",
      "ENVIRONMENT_NOT_FOUND",
      "LAYOUT_MISSING_IN_TARGET",
      "AUDIENCE_MISSING_IN_TARGET",
      "SAME_ENVIRONMENT",
    ],
  }),
};

// Workflows as files: an environment's configuration as one document, compared (plan) and applied as a whole. Resources
// have identifiers instead of internal ids, omit defaults, and contain no secrets.
import { messageClasses, priorities } from "../../attention.ts";
import { ChannelWord, identifiers, StepTypeWord, severities } from "../../common.ts";
import { operation } from "../../operation.ts";
import { addedProviderIds, inAppProviderId, providerIds } from "../../provider-ids.ts";
import {
  isJsonObject,
  isoTime,
  type JsonObject,
  named,
  nullableOpenObject,
  oneOf,
  openObject,
  type Static,
  type TProperties,
  Type,
} from "../../schema.ts";
import { maxSteps } from "../../steps/kit.ts";
import { audienceIdRule, audiencesPerEnvironment } from "../audiences/audiences.ts";
import { IntegrationConfigurations } from "../channels/integrations.ts";
import { AttentionBudget, AttentionWindow, maxBudgets } from "../operate/attention.ts";
import { InFlightStep } from "../operate/system.ts";
import { CategoryIn, maxCategories } from "../subscribers/categories.ts";
import { topicKeyRule, topicNameRule } from "../topics/topics.ts";
import { BrandIn } from "./brand.ts";
import { StepFilterIn } from "./filters.ts";
import { ResourceIssue } from "./issues.ts";
import { Objectives } from "./objectives.ts";
import { ChangedField, StepChange } from "./versions.ts";
import {
  arm,
  deadlineSeconds,
  onUnknownOutcomeWords,
  outsideScheduleWords,
  PreferencesIn,
  searchKeys,
  tags,
  workflowName,
} from "./workflows.ts";

/** Maximum resources per type in one request; an environment that has more cannot be kept in files. */
export const maxFiles = {
  workflows: 1_000,
  layouts: 200,
  integrations: 200,
  topics: 1_000,
  categories: maxCategories,
  audiences: audiencesPerEnvironment,
} as const;

/** A misspelt member would be a setting that silently has no effect: it is refused. */
const strict = <P extends TProperties>(title: string, properties: P) =>
  named(title, properties, { additionalProperties: false });

const translations = Type.Optional(
  Type.Unsafe<Record<string, JsonObject>>({
    type: "object",
    propertyNames: { format: "locale" },
    additionalProperties: { type: "object", additionalProperties: true },
    maxProperties: 200,
    description: "Texts by locale",
  }),
);
const flag = (byDefault: boolean, description?: string) =>
  Type.Optional(Type.Boolean({ default: byDefault, ...(description && { description }) }));

export const StepFile = strict("StepFile", {
  stepId: Type.String(identifiers.stepId),
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 128, description: "Default: the `stepId`" })),
  type: StepTypeWord,
  active: flag(true),
  shouldStopOnFail: flag(false, "true: if this step fails, the steps after it are canceled"),
  arm,
  deadlineSeconds,
  filters: Type.Optional(Type.Array(StepFilterIn, { maxItems: 20 })),
  controlValues: Type.Optional(
    openObject({ description: "Depends on the step type. A layout is given by its identifier" }),
  ),
});
export type StepFile = Static<typeof StepFile>;

export const WorkflowFile = strict("WorkflowFile", {
  workflowId: Type.String(identifiers.workflowId),
  name: workflowName,
  description: Type.Optional(Type.String({ maxLength: 256 })),
  tags: Type.Optional(tags),
  active: flag(true),
  severity: Type.Optional(oneOf(severities, { default: "none" })),
  outsideSchedule: Type.Optional(oneOf(outsideScheduleWords, { default: "hold" })),
  onUnknownOutcome: Type.Optional(oneOf(onUnknownOutcomeWords, { default: "may_duplicate" })),
  isTranslationEnabled: flag(false),
  searchKeys: Type.Optional(searchKeys),
  objectives: Type.Optional(Objectives),
  categoryId: Type.Optional(Type.String({ minLength: 1, description: "Identifier of a category of the environment" })),
  isCommercial: flag(false, "Advertising: its mails always have the headers to unsubscribe"),
  messageClass: Type.Optional(oneOf(messageClasses, { default: "transactional" })),
  priority: Type.Optional(oneOf(priorities, { default: "normal" })),
  preferences: Type.Optional(PreferencesIn),
  validatePayload: flag(false),
  payloadSchema: Type.Optional(nullableOpenObject({ description: "JSON Schema, draft-07 or 2020-12" })),
  steps: Type.Array(StepFile, { maxItems: maxSteps }),
  translations,
});
export type WorkflowFile = Static<typeof WorkflowFile>;

export const LayoutFile = strict("LayoutFile", {
  layoutId: Type.String(identifiers.workflowId),
  name: workflowName,
  isDefault: flag(false, "Emails without a layout use it; if no layout is the default, the environment keeps its own"),
  isTranslationEnabled: flag(false),
  editorType: Type.Optional(oneOf(["html", "block"], { default: "html" })),
  body: Type.Optional(
    Type.String({ description: "HTML with `{{content}}` where the email's own content is inserted" }),
  ),
  translations,
});
export type LayoutFile = Static<typeof LayoutFile>;

const { inboundWebhookSigningKey, ...openConfigurations } = IntegrationConfigurations.properties;

export const IntegrationFile = strict("IntegrationFile", {
  identifier: Type.String(identifiers.integration),
  name: Type.String({ minLength: 1, maxLength: 255 }),
  providerId: oneOf([...providerIds, ...addedProviderIds, inAppProviderId]),
  channel: ChannelWord,
  active: flag(true, "An integration that lacks secrets stays inactive until they are entered"),
  primary: flag(false, "Email and SMS only. If omitted, the channel keeps its primary"),
  conditions: Type.Optional(Type.Array(StepFilterIn, { maxItems: 20 })),
  configurations: Type.Optional(strict("IntegrationFileConfigurations", openConfigurations)),
});
export type IntegrationFile = Static<typeof IntegrationFile>;

export const TopicFile = strict("TopicFile", {
  key: Type.String(topicKeyRule),
  name: Type.String(topicNameRule),
});
export type TopicFile = Static<typeof TopicFile>;

/** The brand of the environment; overrides of contexts are in no file. */
export const BrandFile = strict("BrandFile", BrandIn.properties);
export type BrandFile = Static<typeof BrandFile>;

/** The attention budget of the environment; an empty list removes it. */
const AttentionBudgetFile = strict("AttentionBudgetFile", {
  ...AttentionBudget.properties,
  window: strict("AttentionWindowFile", AttentionWindow.properties),
});
export const AttentionFile = strict("AttentionFile", {
  budgets: Type.Array(AttentionBudgetFile, { maxItems: maxBudgets }),
});
export type AttentionFile = Static<typeof AttentionFile>;

/** Subscribers see categories in the order of the list. */
export const CategoryFile = strict("CategoryFile", CategoryIn.properties);
export type CategoryFile = Static<typeof CategoryFile>;

/** An audience that follows a rule. The people of a fixed audience are in no file. */
export const AudienceFile = strict("AudienceFile", {
  audienceId: Type.String(audienceIdRule),
  name: Type.String({ minLength: 1, maxLength: 128 }),
  description: Type.Optional(Type.String({ maxLength: 1_000 })),
  rule: openObject({ description: "JSON Logic over subscribers, as in audiences.create" }),
});
export type AudienceFile = Static<typeof AudienceFile>;

const resourceLists = {
  workflows: Type.Optional(Type.Array(WorkflowFile, { maxItems: maxFiles.workflows })),
  layouts: Type.Optional(Type.Array(LayoutFile, { maxItems: maxFiles.layouts })),
  integrations: Type.Optional(Type.Array(IntegrationFile, { maxItems: maxFiles.integrations })),
  topics: Type.Optional(Type.Array(TopicFile, { maxItems: maxFiles.topics })),
  categories: Type.Optional(Type.Array(CategoryFile, { maxItems: maxFiles.categories })),
  audiences: Type.Optional(Type.Array(AudienceFile, { maxItems: maxFiles.audiences })),
  brand: Type.Optional(BrandFile),
  attention: Type.Optional(AttentionFile),
};

export const FileResources = strict("FileResources", resourceLists);
export type FileResources = Static<typeof FileResources>;

/** For responses: a serializer writes the `default` of an omitted member, but here omitted members stay omitted. */
function withoutDefaults(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutDefaults);
  if (!isJsonObject(schema)) return schema;
  // A component of this name exists already, with its defaults.
  const { default: _, title, ...rest } = schema;
  return Object.fromEntries(Object.entries(rest).map(([name, part]) => [name, withoutDefaults(part)]));
}
const ExportedResources = Type.Unsafe<FileResources>({
  ...(withoutDefaults(FileResources) as JsonObject),
  title: "ExportedResources",
});

export const fileTypes = [
  "workflow",
  "layout",
  "integration",
  "topic",
  "category",
  "audience",
  "brand",
  "attention",
] as const;
export type FileType = (typeof fileTypes)[number];
const FileTypeWord = oneOf(fileTypes, { title: "FileType" });

const fingerprints = Type.Unsafe<Record<string, string>>({
  type: "object",
  additionalProperties: { type: "string", maxLength: 64 },
  maxProperties: 3_500,
  description: "By `<type>/<identifier>`, such as `workflow/welcome`. Equal content has the same fingerprint",
});
const stateFingerprint = Type.String({ description: "Over all resources together" });

const FileInFlight = named("FileInFlight", {
  total: Type.Integer({ description: "Runs in progress" }),
  isCapped: Type.Boolean({ description: "true if there may be more: only the newest notifications were counted" }),
  text: Type.String({ description: "What happens to them" }),
  data: Type.Array(InFlightStep, { description: "By version, step and what they are waiting for" }),
});

export const fileActions = ["created", "changed", "deleted"] as const;

export const FileChange = named("FileChange", {
  type: FileTypeWord,
  id: Type.String({ description: "Identifier" }),
  name: Type.String(),
  action: oneOf(fileActions),
  sentences: Type.Array(Type.String(), { description: "What subscribers will notice" }),
  settings: Type.Array(ChangedField, { description: "Fields of a changed resource, with both values" }),
  steps: Type.Array(StepChange, { description: "For a changed workflow" }),
  inFlight: Type.Optional(FileInFlight),
  notes: Type.Array(Type.String(), { description: "What else has to be done" }),
});
export type FileChange = Static<typeof FileChange>;

export const FileDrift = named("FileDrift", {
  type: FileTypeWord,
  id: Type.String(),
  kind: oneOf(fileActions, { description: "What happened to it in the environment since `driftSince`" }),
  isOverwritten: Type.Boolean({ description: "Applying the plan reverts it" }),
});
export type FileDrift = Static<typeof FileDrift>;

/** Why a workflow, layout, category or audience is kept that `prune` would delete. */
export const unlistedReason = "it is not in the files; prune deletes it";

const FileKept = named("FileKept", {
  type: FileTypeWord,
  id: Type.String(),
  reason: Type.String({ description: "Why a resource that is not in the request is kept" }),
});
export type FileKept = Static<typeof FileKept>;

/** Maximum issues per plan. */
export const maxFileIssues = 200;

const FileIssue = named("FileIssue", {
  type: FileTypeWord,
  id: Type.String({ description: "Identifier of the workflow or layout" }),
  ...ResourceIssue.properties,
  field: Type.String({
    description: "Path in the request, such as `resources.workflows.0.steps.1.controlValues.layoutId`",
  }),
  isBlocking: Type.Boolean({
    description: "Applying requires `allowIssues`. false for a missing integration, which is set up in the environment",
  }),
});
export type FileIssue = Static<typeof FileIssue>;

const planMembers = {
  fingerprint: stateFingerprint,
  changes: Type.Array(FileChange),
  unchanged: Type.Integer({ description: "Resources that need no change" }),
  kept: Type.Array(FileKept),
  drift: Type.Array(FileDrift, { description: "Changes in the environment that did not come from files" }),
  driftSince: Type.Optional(
    named("FileDriftSince", {
      kind: oneOf(["pulled", "applied"], {
        description:
          "What drift is measured against. `pulled`: the fingerprints in the request. `applied`: the last apply, for " +
          "the resources in the request",
      }),
      at: Type.Optional(isoTime("Time of the last apply")),
    }),
  ),
  issues: Type.Array(FileIssue, {
    maxItems: maxFileIssues,
    description: "Issues of severity `error` in the workflows and layouts that the plan creates or changes",
  }),
};
export const FilesPlan = named("FilesPlan", planMembers);
export type FilesPlan = Static<typeof FilesPlan>;

export const FilesApplied = named("FilesApplied", {
  ...planMembers,
  fingerprint: Type.String({ description: "Over all current resources together" }),
  fingerprints,
});

const wanted = {
  resources: FileResources,
  prune: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        "Delete workflows, layouts, categories and audiences with a rule that are missing from the given lists. " +
        "Integrations, topics and fixed audiences, which hold secrets and people, are never deleted; nor are resources " +
        "of a type whose list is not given",
    }),
  ),
  pulled: Type.Optional(
    Type.Unsafe<Record<string, string>>({
      ...fingerprints,
      description:
        "`fingerprints` of the last export or apply. Without it, drift is shown since the last apply to the environment",
    }),
  ),
};

export const fileOperations = {
  "files.export": operation({
    id: "files.export",
    method: "GET",
    path: "/v1/files",
    summary: "Export the configuration of an environment",
    description:
      "Workflows and layouts with their texts, integrations without secrets, topics that have a name, categories, " +
      "audiences that follow a rule, and the brand and the attention budget where they are set, each with a fingerprint " +
      "by which a later plan shows what has changed since. Topics are omitted if more than 1,000 have a name.",
    category: "configuration",
    query: Type.Object({
      environmentId: Type.Optional(
        Type.String({ minLength: 1, description: "Id or identifier of another environment of the organisation" }),
      ),
    }),
    success: {
      status: 200,
      schema: named("FilesExport", {
        environmentId: Type.String(),
        exportedAt: isoTime("When it was read"),
        fingerprint: stateFingerprint,
        fingerprints,
        resources: ExportedResources,
      }),
    },
    errors: ["ENVIRONMENT_NOT_FOUND", "TOO_MANY_FILES"],
  }),
  "files.plan": operation({
    id: "files.plan",
    method: "POST",
    path: "/v1/files/plan",
    summary: "Show what applying resources would change",
    description:
      "Compares by meaning and changes nothing. Settings that a resource omits have their defaults. A list that is " +
      "not given is not compared. Each changed or deleted workflow shows what happens to its runs in progress.",
    category: "configuration",
    isReadOnly: true,
    body: named("FilesPlanIn", wanted),
    success: { status: 200, schema: FilesPlan },
    errors: ["TOO_MANY_FILES", "CATEGORY_LIMIT", "AUDIENCE_LIMIT"],
    bodyLimit: "bulk",
  }),
  "files.apply": operation({
    id: "files.apply",
    method: "POST",
    path: "/v1/files/apply",
    summary: "Apply resources",
    description:
      "Carries out the plan in one transaction, all or nothing. Returns 409 if the environment's fingerprint differs " +
      "from the plan's, unless there is nothing to change, and 422 if a workflow or layout that would be written has " +
      "a blocking issue, unless `allowIssues` is true. Applying the same resources again changes nothing and creates " +
      "no versions.",
    category: "configuration",
    audit: "everyone",
    body: named("FilesApplyIn", {
      ...wanted,
      expectedFingerprint: Type.String({ maxLength: 64, description: "`fingerprint` of the plan" }),
      allowIssues: Type.Optional(
        Type.Boolean({ default: false, description: "Also write workflows and layouts that have blocking issues" }),
      ),
    }),
    success: { status: 200, schema: FilesApplied },
    errors: [
      "FILES_CHANGED",
      "FILES_HAVE_ISSUES",
      "TOO_MANY_FILES",
      "WORKFLOW_ID_TAKEN",
      "LAYOUT_ID_TAKEN",
      "CATEGORY_LIMIT",
      "AUDIENCE_LIMIT",
      "AUDIENCE_EXISTS",
    ],
    bodyLimit: "bulk",
  }),
};

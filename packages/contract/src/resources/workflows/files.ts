// Workflows as files: the configuration of an environment as one value, compared (plan) and put in place (apply) as a whole.
// Resources have identifiers in place of internal ids, defaults are left out, and there are no secrets in them.
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
import { IntegrationConfigurations } from "../channels/integrations.ts";
import { InFlightStep } from "../operate/system.ts";
import { topicKeyRule, topicNameRule } from "../topics/topics.ts";
import { StepFilterIn } from "./filters.ts";
import { ResourceIssue } from "./issues.ts";
import { ChangedField, StepChange } from "./versions.ts";
import {
  deadlineSeconds,
  onUnknownOutcomeWords,
  outsideScheduleWords,
  PreferencesIn,
  searchKeys,
  tags,
  workflowName,
} from "./workflows.ts";

/** Most resources of a type in one request; an environment that has more cannot be kept in files. */
export const mostFiles = { workflows: 1_000, layouts: 200, integrations: 200, topics: 1_000 } as const;

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
  shouldStopOnFail: flag(false, "true: when this step fails, the steps behind it are canceled"),
  deadlineSeconds,
  filters: Type.Optional(Type.Array(StepFilterIn, { maxItems: 20 })),
  controlValues: Type.Optional(openObject({ description: "By step type. A layout is named by its identifier" })),
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
  preferences: Type.Optional(PreferencesIn),
  validatePayload: flag(false),
  payloadSchema: Type.Optional(nullableOpenObject({ description: "JSON Schema, draft-07 or 2020-12" })),
  steps: Type.Array(StepFile, { maxItems: 20 }),
  translations,
});
export type WorkflowFile = Static<typeof WorkflowFile>;

export const LayoutFile = strict("LayoutFile", {
  layoutId: Type.String(identifiers.workflowId),
  name: workflowName,
  isDefault: flag(false, "Emails that name no layout use it; without any, the environment keeps its default"),
  isTranslationEnabled: flag(false),
  editorType: Type.Optional(oneOf(["html", "block"], { default: "html" })),
  body: Type.Optional(Type.String({ description: "Html with `{{content}}` where the email's own content goes" })),
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
  primary: flag(false, "Of email and SMS. Left out, the channel keeps its primary"),
  conditions: Type.Optional(Type.Array(StepFilterIn, { maxItems: 20 })),
  configurations: Type.Optional(strict("IntegrationFileConfigurations", openConfigurations)),
});
export type IntegrationFile = Static<typeof IntegrationFile>;

export const TopicFile = strict("TopicFile", {
  key: Type.String(topicKeyRule),
  name: Type.String(topicNameRule),
});
export type TopicFile = Static<typeof TopicFile>;

const resourceLists = {
  workflows: Type.Optional(Type.Array(WorkflowFile, { maxItems: mostFiles.workflows })),
  layouts: Type.Optional(Type.Array(LayoutFile, { maxItems: mostFiles.layouts })),
  integrations: Type.Optional(Type.Array(IntegrationFile, { maxItems: mostFiles.integrations })),
  topics: Type.Optional(Type.Array(TopicFile, { maxItems: mostFiles.topics })),
};

export const FileResources = strict("FileResources", resourceLists);
export type FileResources = Static<typeof FileResources>;

/** For answers: a serialiser writes the `default` of a member that is left out, and here what is left out stays so. */
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

export const fileTypes = ["workflow", "layout", "integration", "topic"] as const;
export type FileType = (typeof fileTypes)[number];
const FileTypeWord = oneOf(fileTypes, { title: "FileType" });

const fingerprints = Type.Unsafe<Record<string, string>>({
  type: "object",
  additionalProperties: { type: "string", maxLength: 64 },
  maxProperties: 3_000,
  description: "By `<type>/<identifier>`, such as `workflow/welcome`. Equal content has an equal fingerprint",
});
const stateFingerprint = Type.String({ description: "Of all resources together" });

const FileInFlight = named("FileInFlight", {
  total: Type.Integer({ description: "Runs under way" }),
  isCapped: Type.Boolean({ description: "true when there may be more: only the newest notifications were looked at" }),
  text: Type.String({ description: "What becomes of them" }),
  data: Type.Array(InFlightStep, { description: "By version, step and what they wait for" }),
});

export const fileActions = ["created", "changed", "deleted"] as const;

export const FileChange = named("FileChange", {
  type: FileTypeWord,
  id: Type.String({ description: "Identifier" }),
  name: Type.String(),
  action: oneOf(fileActions),
  sentences: Type.Array(Type.String(), { description: "What people will notice" }),
  settings: Type.Array(ChangedField, { description: "Fields of a changed resource, with both values" }),
  steps: Type.Array(StepChange, { description: "Of a changed workflow" }),
  inFlight: Type.Optional(FileInFlight),
  notes: Type.Array(Type.String(), { description: "What has to be done beside it" }),
});
export type FileChange = Static<typeof FileChange>;

export const FileDrift = named("FileDrift", {
  type: FileTypeWord,
  id: Type.String(),
  kind: oneOf(fileActions, { description: "What happened to it in the environment since `driftSince`" }),
  isOverwritten: Type.Boolean({ description: "Applying the plan takes it back" }),
});
export type FileDrift = Static<typeof FileDrift>;

/** Why a workflow or layout stays that `prune` would delete. */
export const unlistedReason = "it is not in the files; prune deletes it";

const FileKept = named("FileKept", {
  type: FileTypeWord,
  id: Type.String(),
  reason: Type.String({ description: "Why a resource that is not given stays" }),
});
export type FileKept = Static<typeof FileKept>;

/** Most issues of a plan. */
export const mostFileIssues = 200;

const FileIssue = named("FileIssue", {
  type: FileTypeWord,
  id: Type.String({ description: "Identifier of the workflow or layout" }),
  ...ResourceIssue.properties,
  field: Type.String({
    description: "Path in the request, such as `resources.workflows.0.steps.1.controlValues.layoutId`",
  }),
  isBlocking: Type.Boolean({
    description: "Applying needs `allowIssues`. false for a missing integration, which is set up in the environment",
  }),
});
export type FileIssue = Static<typeof FileIssue>;

const planMembers = {
  fingerprint: stateFingerprint,
  changes: Type.Array(FileChange),
  unchanged: Type.Integer({ description: "Resources that are as they should be" }),
  kept: Type.Array(FileKept),
  drift: Type.Array(FileDrift, { description: "Changes in the environment that did not come from files" }),
  driftSince: Type.Optional(
    named("FileDriftSince", {
      kind: oneOf(["pulled", "applied"], {
        description:
          "`pulled`: the fingerprints of the request. `applied`: the last apply, for the resources of the request",
      }),
      at: Type.Optional(isoTime("Of the last apply")),
    }),
  ),
  issues: Type.Array(FileIssue, {
    maxItems: mostFileIssues,
    description: "Of severity `error`, of the workflows and layouts that the plan creates or changes",
  }),
};
export const FilesPlan = named("FilesPlan", planMembers);
export type FilesPlan = Static<typeof FilesPlan>;

export const FilesApplied = named("FilesApplied", {
  ...planMembers,
  fingerprint: Type.String({ description: "Of all resources together, as they are now" }),
  fingerprints,
});

const wanted = {
  resources: FileResources,
  prune: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        "Delete workflows and layouts that the given lists do not have. Integrations and topics, which hold secrets and " +
        "subscriptions, are never deleted; neither is anything of a list that is not given",
    }),
  ),
  pulled: Type.Optional(
    Type.Unsafe<Record<string, string>>({
      ...fingerprints,
      description:
        "`fingerprints` of the last export or apply. Without it, drift is told since the last apply to the environment",
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
      "Workflows and layouts with their texts, integrations without secrets, topics that have a name. With a fingerprint of " +
      "each, by which a later plan tells what has changed since. Topics are left out where more than 1,000 have a name.",
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
    summary: "Tell what applying resources would change",
    description:
      "Compares by meaning and changes nothing. Settings that a resource leaves out have their default. A list that is not " +
      "given is left alone. Each changed or deleted workflow tells what becomes of its runs under way.",
    category: "configuration",
    isReadOnly: true,
    body: named("FilesPlanIn", wanted),
    success: { status: 200, schema: FilesPlan },
    errors: ["TOO_MANY_FILES"],
    bodyLimit: "bulk",
  }),
  "files.apply": operation({
    id: "files.apply",
    method: "POST",
    path: "/v1/files/apply",
    summary: "Put resources in place",
    description:
      "Does what the plan says, all of it in one transaction or nothing. Refused with 409 when the environment has another " +
      "fingerprint than the plan, unless there is nothing to change. Refused with 422 when a workflow or layout that would be " +
      "written has a blocking issue, unless `allowIssues` is true. Applying the same resources again changes nothing and makes " +
      "no versions.",
    category: "configuration",
    body: named("FilesApplyIn", {
      ...wanted,
      expectedFingerprint: Type.String({ maxLength: 64, description: "`fingerprint` of the plan" }),
      allowIssues: Type.Optional(
        Type.Boolean({ default: false, description: "Also write workflows and layouts that have blocking issues" }),
      ),
    }),
    success: { status: 200, schema: FilesApplied },
    errors: ["FILES_CHANGED", "FILES_HAVE_ISSUES", "TOO_MANY_FILES", "WORKFLOW_ID_TAKEN", "LAYOUT_ID_TAKEN"],
    bodyLimit: "bulk",
  }),
};

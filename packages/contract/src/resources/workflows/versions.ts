// Versions of a workflow: every save creates one, and versions never change. Also copies of workflows.
import { messageClasses, priorities } from "../../attention.ts";
import { cursorList, cursorQuery, identifiers, SeverityWord, StepTypeWord } from "../../common.ts";
import { operation } from "../../operation.ts";
import {
  isoTime,
  named,
  nullableOpenObject,
  nullableString,
  oneOf,
  openObject,
  type Static,
  Type,
} from "../../schema.ts";
import { StepFilter } from "./filters.ts";
import { Objectives } from "./objectives.ts";
import { onUnknownOutcomeWords, outsideScheduleWords, tags, Workflow, workflowName } from "./workflows.ts";

const VersionAuthor = named("VersionAuthor", { id: Type.String(), name: nullableString() });

const headMembers = {
  id: Type.String(),
  number: Type.Integer({ description: "Counted from 1 per workflow" }),
  createdAt: isoTime("When it was saved"),
  createdBy: Type.Optional(VersionAuthor),
  summary: Type.String({ description: "What the save changed; empty for versions saved before summaries existed" }),
  isCurrent: Type.Boolean({ description: "New events start with this version" }),
};

export const VersionHead = named("WorkflowVersionHead", headMembers);
export type VersionHead = Static<typeof VersionHead>;

const VersionStep = named("WorkflowVersionStep", {
  _id: Type.String(),
  stepId: Type.String(),
  name: Type.String(),
  type: StepTypeWord,
  controlValues: openObject(),
  filters: Type.Optional(Type.Array(StepFilter)),
  active: Type.Boolean(),
  shouldStopOnFail: Type.Boolean(),
  deadlineSeconds: Type.Optional(Type.Integer()),
  arm: Type.Optional(Type.String()),
});

export const WorkflowVersion = named("WorkflowVersion", {
  ...headMembers,
  workflow: named("WorkflowVersionContent", {
    workflowId: Type.String(),
    name: Type.String(),
    description: nullableString(),
    tags: Type.Array(Type.String()),
    severity: SeverityWord,
    preferences: openObject(),
    outsideSchedule: oneOf(outsideScheduleWords),
    onUnknownOutcome: oneOf(onUnknownOutcomeWords),
    isTranslationEnabled: Type.Boolean(),
    searchKeys: Type.Array(Type.String()),
    objectives: Objectives,
    categoryId: Type.Optional(Type.String()),
    isCommercial: Type.Optional(Type.Boolean({ description: "Absent: false" })),
    messageClass: Type.Optional(oneOf(messageClasses, { description: "Absent: transactional" })),
    priority: Type.Optional(oneOf(priorities, { description: "Absent: normal" })),
    active: Type.Optional(
      Type.Boolean({ description: "Absent, like the next two, in versions saved before it was stored" }),
    ),
    validatePayload: Type.Optional(Type.Boolean()),
    payloadSchema: Type.Optional(nullableOpenObject()),
    steps: Type.Array(VersionStep),
  }),
});
export type WorkflowVersion = Static<typeof WorkflowVersion>;

export const ChangedField = named("ChangedField", {
  field: Type.String({ description: "Such as `name` or `controlValues.subject`" }),
  before: Type.Unsafe<unknown>({ description: "null where there was none" }),
  after: Type.Unsafe<unknown>({ description: "null where there is none" }),
});
export type ChangedField = Static<typeof ChangedField>;

export const stepChangeKinds = ["added", "removed", "moved", "changed"] as const;

export const StepChange = named("StepChange", {
  kind: oneOf(stepChangeKinds, { description: "`changed`: its fields differ; it may have moved too" }),
  stepId: Type.String(),
  name: Type.String(),
  type: StepTypeWord,
  fromIndex: Type.Optional(Type.Integer({ description: "Place in the first version, from 0" })),
  toIndex: Type.Optional(Type.Integer({ description: "Place in the second version, from 0" })),
  hasMoved: Type.Boolean(),
  fields: Type.Array(ChangedField),
});
export type StepChange = Static<typeof StepChange>;

export const VersionDiff = named("WorkflowVersionDiff", {
  from: VersionHead,
  to: VersionHead,
  settings: Type.Array(ChangedField, { description: "Settings of the workflow that differ" }),
  steps: Type.Array(StepChange, { description: "In the order of the second version, removed steps last" }),
});
export type VersionDiff = Static<typeof VersionDiff>;

const workflowId = Type.String({ description: "Internal id, identifier or slug" });
const version = (description: string) => Type.String({ description });
const either = "Id or number of a version";

export const versionOperations = {
  "workflows.listVersions": operation({
    id: "workflows.listVersions",
    method: "GET",
    path: "/v1/workflows/{workflowId}/versions",
    summary: "List the versions of a workflow",
    category: "configuration",
    params: Type.Object({ workflowId }),
    query: Type.Object(cursorQuery),
    success: { status: 200, schema: cursorList("WorkflowVersionList", VersionHead) },
    errors: ["WORKFLOW_NOT_FOUND"],
  }),
  "workflows.retrieveVersion": operation({
    id: "workflows.retrieveVersion",
    method: "GET",
    path: "/v1/workflows/{workflowId}/versions/{versionId}",
    summary: "Retrieve a version of a workflow",
    category: "configuration",
    params: Type.Object({ workflowId, versionId: version(either) }),
    success: { status: 200, schema: WorkflowVersion },
    errors: ["WORKFLOW_NOT_FOUND", "WORKFLOW_VERSION_NOT_FOUND"],
  }),
  "workflows.diffVersions": operation({
    id: "workflows.diffVersions",
    method: "GET",
    path: "/v1/workflows/{workflowId}/versions/{fromVersionId}/diff/{toVersionId}",
    summary: "Compare two versions of a workflow",
    description: "Compares by meaning: steps are matched by id, and each change names the fields with both values.",
    category: "configuration",
    params: Type.Object({ workflowId, fromVersionId: version(either), toVersionId: version(either) }),
    success: { status: 200, schema: VersionDiff },
    errors: ["WORKFLOW_NOT_FOUND", "WORKFLOW_VERSION_NOT_FOUND"],
  }),
  "workflows.restoreVersion": operation({
    id: "workflows.restoreVersion",
    method: "POST",
    path: "/v1/workflows/{workflowId}/versions/{versionId}/restore",
    summary: "Restore a version of a workflow",
    description:
      "Saves the version's content as a new version. The workflow's identifier, its translations and whether it is " +
      "active do not change. Events in progress keep the version that started them.",
    category: "configuration",
    audit: "everyone",
    params: Type.Object({ workflowId, versionId: version(either) }),
    success: { status: 201, schema: Workflow },
    errors: ["WORKFLOW_IN_CODE", "WORKFLOW_NOT_FOUND", "WORKFLOW_VERSION_NOT_FOUND"],
  }),
  "workflows.duplicate": operation({
    id: "workflows.duplicate",
    method: "POST",
    path: "/v2/workflows/{workflowId}/duplicate",
    summary: "Duplicate a workflow",
    description: "The copy has new step ids and the original's translations, and is not active.",
    category: "configuration",
    audit: "everyone",
    params: Type.Object({ workflowId }),
    body: named("WorkflowDuplicate", {
      name: Type.Optional(workflowName),
      workflowId: Type.Optional(
        Type.String({
          ...identifiers.workflowId,
          description: "Default: derived from the name, with a number if that is taken",
        }),
      ),
      description: Type.Optional(Type.String({ maxLength: 256 })),
      tags: Type.Optional(tags),
    }),
    success: { status: 201, schema: Workflow },
    errors: ["WORKFLOW_IN_CODE", "WORKFLOW_NOT_FOUND", "WORKFLOW_ID_TAKEN"],
  }),
};

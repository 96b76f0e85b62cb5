// Comparing two environments and copying workflows, layouts, categories, audiences, the brand and the attention budget,
// by identifier, from one to the other.
import { operation } from "../../operation.ts";
import { named, nullableOpenObject, nullableString, oneOf, type Static, Type } from "../../schema.ts";
import { ResourceIssue } from "./issues.ts";

export const publishedResources = ["workflow", "layout", "category", "audience", "brand", "attention"] as const;
export type PublishedResource = (typeof publishedResources)[number];

const ResourceTypeWord = oneOf([...publishedResources, "step"], { title: "ResourceType" });
const publishedType = oneOf(publishedResources, { title: "PublishedType" });

const ResourceInfo = named("ResourceInfo", {
  id: nullableString({ description: "The identifier" }),
  name: nullableString(),
  updatedBy: Type.Optional(named("UserInfo", { _id: Type.String(), firstName: Type.String() })),
  updatedAt: Type.Optional(nullableString()),
});
export type ResourceInfo = Static<typeof ResourceInfo>;

const nullableInfo = Type.Optional(Type.Union([ResourceInfo, Type.Null()]));

const ResourceChange = named("ResourceChange", {
  resourceType: ResourceTypeWord,
  action: oneOf(["added", "modified", "deleted", "unchanged", "moved"]),
  sourceResource: nullableInfo,
  targetResource: nullableInfo,
  diffs: Type.Optional(
    Type.Object({
      previous: Type.Optional(nullableOpenObject({ description: "In the target; only members that differ" })),
      new: Type.Optional(nullableOpenObject({ description: "In the source; only members that differ" })),
    }),
  ),
  stepType: Type.Optional(Type.String()),
  previousIndex: Type.Optional(Type.Integer()),
  newIndex: Type.Optional(Type.Integer()),
});
export type ResourceChange = Static<typeof ResourceChange>;

const ResourceDependency = named("ResourceDependency", {
  resourceType: ResourceTypeWord,
  resourceId: Type.String(),
  resourceName: Type.String(),
  isBlocking: Type.Boolean({ description: "It must be published before, or together with it" }),
  reason: oneOf([
    "LAYOUT_REQUIRED_FOR_WORKFLOW",
    "LAYOUT_EXISTS_IN_TARGET",
    "AUDIENCE_REQUIRED",
    "AUDIENCE_EXISTS_IN_TARGET",
  ]),
});
export type ResourceDependency = Static<typeof ResourceDependency>;

const publishCheckCodes = [
  "FAULTY_CONTENT",
  "NO_STEPS",
  "MISSING_INTEGRATION",
  "INBOX_NOT_CONNECTED",
  "LAYOUT_DIFFERS",
  "MISSING_WORKFLOW",
  "MISSING_TRANSLATION",
] as const;

const PublishCheck = named("PublishCheck", {
  code: oneOf(publishCheckCodes),
  isFault: Type.Boolean({
    description: "The resource itself is invalid: a template error, a layout without its content, no steps",
  }),
  message: Type.String({ description: "Human-readable, such as `Production has no active integration for email`" }),
  stepId: Type.Optional(Type.String({ description: "The step it is about" })),
  layoutId: Type.Optional(Type.String({ description: "Resolved if this layout is published too" })),
});
export type PublishCheck = Static<typeof PublishCheck>;

export const ResourceDiff = named("ResourceDiff", {
  resourceType: ResourceTypeWord,
  sourceResource: nullableInfo,
  targetResource: nullableInfo,
  changes: Type.Array(ResourceChange),
  summary: Type.Object({
    added: Type.Integer(),
    modified: Type.Integer(),
    deleted: Type.Integer(),
    unchanged: Type.Integer(),
  }),
  dependencies: Type.Optional(Type.Array(ResourceDependency)),
  sentences: Type.Optional(
    Type.Array(Type.String(), {
      description: "What subscribers will notice, in words, such as `A step is added: SMS after 1 hour`",
    }),
  ),
  checks: Type.Optional(
    Type.Array(PublishCheck, {
      description: "What to check before it is published, errors first, at most 20; absent if there are none",
    }),
  ),
});
export type ResourceDiff = Static<typeof ResourceDiff>;

const issues = Type.Optional(
  Type.Array(ResourceIssue, {
    description:
      "Issues of severity `error` in the target, such as a layout that does not exist there. Absent if there are none",
  }),
);
const identity = { resourceType: publishedType, resourceId: Type.String(), resourceName: Type.String() };

export const PublishResult = named("PublishResult", {
  resourceType: publishedType,
  successful: Type.Array(
    named("PublishedResource", { ...identity, action: oneOf(["created", "updated", "skipped", "deleted"]), issues }),
  ),
  failed: Type.Array(named("UnpublishableResource", { ...identity, error: Type.String() })),
  skipped: Type.Array(named("SkippedResource", { ...identity, reason: Type.String(), issues })),
  totalProcessed: Type.Integer(),
});
export type PublishResult = Static<typeof PublishResult>;

const targetPath = Type.Object({ targetEnvironmentId: Type.String({ description: "Id or identifier" }) });
export const sourceEnvironmentId = Type.Optional(
  Type.String({
    minLength: 1,
    description: "Id or identifier of any environment of the organisation; default: the first `dev` environment",
  }),
);

export const publishingOperations = {
  "environments.diff": operation({
    id: "environments.diff",
    method: "POST",
    path: "/v2/environments/{targetEnvironmentId}/diff",
    summary: "Compare two environments",
    description:
      "Requires a key of the target. Compares workflows and layouts, with their translations, categories, audiences " +
      "with a rule, the brand and the attention budget by identifier, and lists those that differ. The identifier of " +
      "the brand is `brand`, that of the attention budget `attention`.",
    category: "global",
    params: targetPath,
    isReadOnly: true,
    body: named("EnvironmentDiffIn", { sourceEnvironmentId }),
    success: {
      status: 200,
      schema: named("EnvironmentDiff", {
        sourceEnvironmentId: Type.String(),
        targetEnvironmentId: Type.String(),
        resources: Type.Array(ResourceDiff),
        summary: Type.Object({
          totalEntities: Type.Integer({ description: "Resources that differ" }),
          totalChanges: Type.Integer(),
          hasChanges: Type.Boolean(),
        }),
      }),
    },
    errors: ["FORBIDDEN", "ENVIRONMENT_NOT_FOUND"],
  }),
  "environments.publish": operation({
    id: "environments.publish",
    method: "POST",
    path: "/v2/environments/{targetEnvironmentId}/publish",
    summary: "Copy workflows, layouts, categories, audiences, brand and attention budget to another environment",
    description:
      "Requires a key of the target. Copies all of them, or those named in `resources`, in one transaction, with the " +
      "categories of workflows that the target lacks, and with the workflow that an attention budget sends roll-ups " +
      "through. What exists only in the target is deleted there if `resources` names it, and kept otherwise. `results` " +
      "has an entry for workflows and for layouts, and for others where there are any. Integrations, keys, subscribers, topics and fixed audiences are never copied. A resource that has " +
      "issues of severity `error` in the target is copied, and the response lists them.",
    category: "global",
    audit: "everyone",
    params: targetPath,
    body: named("EnvironmentPublishIn", {
      sourceEnvironmentId,
      dryRun: Type.Optional(
        Type.Boolean({ default: false, description: "Change nothing; `skipped` shows what would be done" }),
      ),
      resources: Type.Optional(
        Type.Array(
          named("ResourceToPublish", {
            resourceType: publishedType,
            resourceId: Type.String({
              minLength: 1,
              description: "Identifier; `brand` for the brand, `attention` for the attention budget",
            }),
          }),
          { maxItems: 1_000, description: "Absent or empty: everything" },
        ),
      ),
    }),
    success: {
      status: 200,
      schema: named("EnvironmentPublish", {
        results: Type.Array(PublishResult),
        summary: Type.Object({
          resources: Type.Integer(),
          successful: Type.Integer(),
          failed: Type.Integer(),
          skipped: Type.Integer(),
        }),
        publishId: Type.Optional(
          Type.String({ description: "Id in environments.listPublishes; absent when nothing was changed" }),
        ),
      }),
    },
    errors: ["FORBIDDEN", "ENVIRONMENT_NOT_FOUND", "WORKFLOW_ID_TAKEN", "LAYOUT_ID_TAKEN"],
  }),
};

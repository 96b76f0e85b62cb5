// The history of publishes into an environment, and their restore. An addition of Tidings.
import { cursorList, cursorQuery } from "../../common.ts";
import { operation } from "../../operation.ts";
import { isoTime, named, nullableString, oneOf, type Static, Type } from "../../schema.ts";
import { publishedResources } from "./publishing.ts";

const identity = {
  resourceType: oneOf(publishedResources, { title: "PublishedType" }),
  resourceId: Type.String({ description: "The identifier" }),
  resourceName: Type.String(),
};

const nullableNumber = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description });

export const PublishChange = named("PublishChange", {
  ...identity,
  action: oneOf(["created", "updated", "deleted"]),
  versionBefore: nullableNumber(
    "Number of the workflow's previous version; null for other types and if there was none",
  ),
  versionAfter: nullableNumber("Number of the created version; null for other types and if it was deleted"),
  sentences: Type.Array(Type.String(), { description: "What changed, in words" }),
});
export type PublishChange = Static<typeof PublishChange>;

const headMembers = {
  id: Type.String(),
  kind: oneOf(["publish", "restore"], { description: "`restore`: it undid an earlier publish" }),
  createdAt: isoTime("When"),
  createdBy: named("PublishAuthor", { id: Type.String(), name: Type.String({ description: "At that time" }) }),
  source: named("PublishSource", {
    id: nullableString({ description: "Environment; null for a restore" }),
    name: Type.String({ description: "At that time" }),
  }),
  created: Type.Integer(),
  updated: Type.Integer(),
  deleted: Type.Integer(),
  names: Type.Array(Type.String(), { description: "The first resources, at most five" }),
  restoredAt: nullableString({ description: "When it was undone; null if it was not" }),
  restores: nullableString({ description: "Id of the publish that this one undid" }),
};

export const PublishHead = named("PublishHead", headMembers);
export type PublishHead = Static<typeof PublishHead>;

export const Publish = named("Publish", { ...headMembers, resources: Type.Array(PublishChange) });

export const RestoreOutcome = named("RestoreOutcome", {
  ...identity,
  action: oneOf(["restored", "recreated", "deleted", "turned_off", "kept"], {
    description:
      "`restored`: to its state before the publish. `recreated`: it was deleted by the publish. `deleted`, `turned_off`: it was " +
      "created by the publish; it is turned off while its runs are in progress, and deleted otherwise. `kept`: see `reason`",
  }),
  reason: nullableString({ description: "Why it is kept or turned off" }),
  changedSince: Type.Union(
    [
      named("ChangedSince", { at: nullableString(), by: nullableString({ description: "Name of the member" }) }),
      Type.Null(),
    ],
    { description: "It was changed after the publish: the restore would undo that as well" },
  ),
});
export type RestoreOutcome = Static<typeof RestoreOutcome>;

const environmentId = Type.String({ description: "Id or identifier of the target" });
const publishPath = Type.Object({ environmentId, publishId: Type.String() });

export const publishOperations = {
  "environments.listPublishes": operation({
    id: "environments.listPublishes",
    method: "GET",
    path: "/v2/environments/{environmentId}/publishes",
    summary: "List what was published to an environment, newest first",
    description: "Requires a key of the target. Kept for `TIDINGS_AUDIT_DAYS`.",
    category: "global",
    params: Type.Object({ environmentId }),
    query: Type.Object(cursorQuery),
    success: { status: 200, schema: cursorList("PublishList", PublishHead) },
    errors: ["FORBIDDEN", "ENVIRONMENT_NOT_FOUND"],
  }),
  "environments.retrievePublish": operation({
    id: "environments.retrievePublish",
    method: "GET",
    path: "/v2/environments/{environmentId}/publishes/{publishId}",
    summary: "Retrieve a publish with what it changed",
    category: "global",
    params: publishPath,
    success: { status: 200, schema: Publish },
    errors: ["FORBIDDEN", "ENVIRONMENT_NOT_FOUND", "PUBLISH_NOT_FOUND"],
  }),
  "environments.planRestore": operation({
    id: "environments.planRestore",
    method: "GET",
    path: "/v2/environments/{environmentId}/publishes/{publishId}/restore",
    summary: "Preview undoing a publish",
    category: "global",
    params: publishPath,
    success: {
      status: 200,
      schema: named("RestorePlan", {
        resources: Type.Array(RestoreOutcome),
        hasConflicts: Type.Boolean({ description: "A resource was changed after the publish" }),
      }),
    },
    errors: ["FORBIDDEN", "ENVIRONMENT_NOT_FOUND", "PUBLISH_NOT_FOUND", "PUBLISH_RESTORED"],
  }),
  "environments.restorePublish": operation({
    id: "environments.restorePublish",
    method: "POST",
    path: "/v2/environments/{environmentId}/publishes/{publishId}/restore",
    summary: "Undo a publish",
    description:
      "Requires a key of the target. Everything of the publish gets its previous content back, in one transaction; " +
      "runs in progress finish with the version that started them. If resources were changed since, the error names " +
      "them and nothing is changed, unless `overwriteChanges` is true. The restore is itself a publish, which can be " +
      "undone too. Choices of subscribers for a deleted category do not come back.",
    category: "global",
    audit: "everyone",
    params: publishPath,
    body: named("PublishRestoreIn", {
      overwriteChanges: Type.Optional(
        Type.Boolean({ default: false, description: "Also undo what was changed after the publish" }),
      ),
    }),
    success: {
      status: 200,
      schema: named("PublishRestore", {
        publishId: nullableString({
          description: "Id of the restore in environments.listPublishes; null when there was nothing to change",
        }),
        resources: Type.Array(RestoreOutcome),
      }),
    },
    errors: [
      "FORBIDDEN",
      "ENVIRONMENT_NOT_FOUND",
      "PUBLISH_NOT_FOUND",
      "PUBLISH_RESTORED",
      "PUBLISH_CHANGED_SINCE",
      "WORKFLOW_ID_TAKEN",
    ],
  }),
};

// Digests that are still collecting.
import { cursorList, cursorQuery } from "../../common.ts";
import { operation } from "../../operation.ts";
import { isoTime, named, nullableString, oneOf, type Static, Type } from "../../schema.ts";

/** Maximum digests that one call closes. */
export const maxClosedDigests = 1_000;

export const DigestClose = named("DigestClose", {
  stepId: Type.Optional(
    Type.String({ minLength: 1, description: "Internal id, identifier or slug. Default: every digest step" }),
  ),
  subscriberId: Type.Optional(Type.String({ minLength: 1, description: "Default: every subscriber" })),
});
export type DigestClose = Static<typeof DigestClose>;

/** Members of a digest that are counted. */
export const maxCountedMembers = 1_000;

export const DigestMember = named("DigestMember", {
  transactionId: Type.String(),
  notificationId: Type.String(),
  createdAt: isoTime("When the event was accepted"),
  payload: Type.String({ description: "The first 300 characters of its JSON" }),
});
export type DigestMember = Static<typeof DigestMember>;

export const OpenDigest = named("OpenDigest", {
  id: Type.String(),
  workflow: named("DigestWorkflow", { _id: Type.String(), workflowId: Type.String(), name: Type.String() }),
  step: named("DigestStep", { _id: Type.String(), stepId: Type.String(), name: Type.String() }),
  subscriberId: nullableString({ description: "null: the subscriber was deleted" }),
  key: Type.Optional(
    named(
      "DigestKey",
      { path: Type.String(), value: Type.String({ description: "As JSON, at most 200 characters" }) },
      { description: "Absent when the step has no digest key" },
    ),
  ),
  count: Type.Integer({
    description: `Notifications in it, counted up to ${maxCountedMembers.toLocaleString("en-US")}`,
  }),
  members: Type.Array(DigestMember, { description: "The first three" }),
  openedAt: isoTime("When the first event opened it"),
  closesAt: isoTime("When it releases its events"),
  secondsLeft: Type.Integer({ description: "0: it is closing" }),
});
export type OpenDigest = Static<typeof OpenDigest>;

const digestPath = Type.Object({ id: Type.String() });
const soonestFirst = { ...cursorQuery, orderDirection: Type.Optional(oneOf(["ASC", "DESC"], { default: "ASC" })) };

export const digestOperations = {
  "digests.list": operation({
    id: "digests.list",
    method: "GET",
    path: "/v1/digests",
    isFromReplica: true,
    summary: "List open digests",
    description: "Sorted by closing time, soonest first.",
    category: "configuration",
    query: Type.Object({
      ...soonestFirst,
      workflowId: Type.Optional(Type.String({ minLength: 1, description: "Internal id or identifier" })),
      subscriberId: Type.Optional(Type.String({ minLength: 1 })),
    }),
    success: { status: 200, schema: cursorList("OpenDigestList", OpenDigest) },
    errors: [],
  }),
  "digests.retrieve": operation({
    id: "digests.retrieve",
    method: "GET",
    path: "/v1/digests/{id}",
    summary: "Retrieve an open digest with its members",
    description: "Members are in order of arrival. A closed digest is no longer found.",
    category: "configuration",
    params: digestPath,
    query: Type.Object(soonestFirst),
    success: {
      status: 200,
      schema: named("OpenDigestMembers", {
        ...cursorList("DigestMemberList", DigestMember).properties,
        digest: OpenDigest,
      }),
    },
    errors: ["DIGEST_NOT_FOUND"],
  }),
  "digests.closeOne": operation({
    id: "digests.closeOne",
    method: "POST",
    path: "/v1/digests/{id}/close",
    summary: "Close one open digest early",
    description: "It releases its events immediately, and only once, even if it was about to close.",
    category: "configuration",
    params: digestPath,
    success: {
      status: 200,
      schema: named("DigestClosed", {
        closed: Type.Boolean({ description: "false: it was already closing" }),
      }),
    },
    errors: ["DIGEST_NOT_FOUND"],
  }),
  "digests.close": operation({
    id: "digests.close",
    method: "POST",
    path: "/v2/workflows/{workflowId}/digests/close",
    summary: "Close open digests early",
    description:
      "Their events continue immediately, exactly as they would when due; events that arrive later open new digests. " +
      `Closes up to ${maxClosedDigests.toLocaleString("en-US")} per call.`,
    category: "configuration",
    params: Type.Object({ workflowId: Type.String({ description: "Internal id, identifier or slug" }) }),
    body: DigestClose,
    success: {
      status: 200,
      schema: named("DigestCloseResult", {
        closed: Type.Integer({ description: "How many digests were closed" }),
        hasMore: Type.Boolean({ description: "true: the call reached its limit; repeat it for the rest" }),
      }),
    },
    errors: ["WORKFLOW_NOT_FOUND", "STEP_NOT_FOUND", "SUBSCRIBER_NOT_FOUND"],
  }),
};

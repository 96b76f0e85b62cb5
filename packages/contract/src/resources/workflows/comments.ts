// What members say to each other about the steps of a workflow, and who has it open. Additions of Tidings.
import { operation } from "../../operation.ts";
import { isoTime, named, type Static, Type } from "../../schema.ts";

const workflowId = Type.String({ description: "Internal id, identifier or slug" });
const commentPath = Type.Object({ workflowId, commentId: Type.String() });

export const StepComment = named("StepComment", {
  id: Type.String(),
  stepId: Type.String({ description: "Internal id of the step; it may have been removed since" }),
  text: Type.String(),
  author: Type.String({ description: "The name of the member, or of the key's environment" }),
  createdAt: isoTime("When it was written"),
  resolvedAt: Type.Optional(isoTime("Absent while it is open")),
  resolvedBy: Type.Optional(Type.String()),
});
export type StepComment = Static<typeof StepComment>;

export const commentOperations = {
  "comments.list": operation({
    id: "comments.list",
    method: "GET",
    path: "/v2/workflows/{workflowId}/comments",
    summary: "List the comments on the steps of a workflow",
    description: "Oldest first; of more than 200, the newest 200.",
    category: "configuration",
    params: Type.Object({ workflowId }),
    success: { status: 200, schema: named("StepCommentList", { data: Type.Array(StepComment) }) },
    errors: ["WORKFLOW_NOT_FOUND"],
  }),
  "comments.create": operation({
    id: "comments.create",
    method: "POST",
    path: "/v2/workflows/{workflowId}/comments",
    summary: "Comment on a step",
    category: "configuration",
    params: Type.Object({ workflowId }),
    body: named("StepCommentIn", {
      stepId: Type.String({ minLength: 1, maxLength: 100, description: "Internal id, identifier or slug of the step" }),
      text: Type.String({ minLength: 1, maxLength: 2_000 }),
    }),
    success: { status: 201, schema: StepComment },
    errors: ["WORKFLOW_NOT_FOUND", "STEP_NOT_FOUND", "TOO_MANY_COMMENTS"],
  }),
  "comments.update": operation({
    id: "comments.update",
    method: "PATCH",
    path: "/v2/workflows/{workflowId}/comments/{commentId}",
    summary: "Resolve a comment, or open it again",
    category: "configuration",
    params: commentPath,
    body: named("StepCommentPatch", { isResolved: Type.Boolean() }),
    success: { status: 200, schema: StepComment },
    errors: ["WORKFLOW_NOT_FOUND", "COMMENT_NOT_FOUND"],
  }),
  "comments.delete": operation({
    id: "comments.delete",
    method: "DELETE",
    path: "/v2/workflows/{workflowId}/comments/{commentId}",
    summary: "Delete a comment",
    category: "configuration",
    params: commentPath,
    success: { status: 204 },
    errors: ["WORKFLOW_NOT_FOUND", "COMMENT_NOT_FOUND"],
  }),
  "workflows.announceViewer": operation({
    id: "workflows.announceViewer",
    method: "POST",
    path: "/v2/workflows/{workflowId}/viewers",
    summary: "Say that a workflow is open, and learn who else has it open",
    description:
      "For the dashboard, which repeats it every 15 seconds; a tab counts as closed 45 seconds after the last time. An " +
      "API key has nothing open: it only learns who has.",
    category: "configuration",
    role: "viewer",
    audit: "never",
    params: Type.Object({ workflowId }),
    body: named("WorkflowViewerIn", {
      tabId: Type.String({ minLength: 1, maxLength: 64, description: "Any id that is unique to the tab" }),
      isEditing: Type.Optional(Type.Boolean({ description: "There are unsaved changes. Default: false" })),
      isLeaving: Type.Optional(Type.Boolean({ description: "The tab is being closed. Default: false" })),
    }),
    success: {
      status: 200,
      schema: named("WorkflowViewers", {
        data: Type.Array(
          named("WorkflowViewer", {
            memberId: Type.String(),
            name: Type.String(),
            isEditing: Type.Boolean(),
            seenAt: isoTime("The last sign of the tab"),
          }),
          { description: "Other tabs, one entry for each member; at most 20" },
        ),
      }),
    },
    errors: ["WORKFLOW_NOT_FOUND"],
  }),
};

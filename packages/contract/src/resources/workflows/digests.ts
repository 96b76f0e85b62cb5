// Digests that are still collecting.
import { operation } from "../../operation.ts";
import { named, type Static, Type } from "../../schema.ts";

/** Windows that one call closes at the most. */
export const mostClosedDigests = 1_000;

export const DigestClose = named("DigestClose", {
  stepId: Type.Optional(
    Type.String({ minLength: 1, description: "Internal id, identifier or slug. Default: every digest step" }),
  ),
  subscriberId: Type.Optional(Type.String({ minLength: 1, description: "Default: every subscriber" })),
});
export type DigestClose = Static<typeof DigestClose>;

export const digestOperations = {
  "digests.close": operation({
    id: "digests.close",
    method: "POST",
    path: "/v2/workflows/{workflowId}/digests/close",
    summary: "Close open digests before their time",
    description:
      "What they have collected goes on at once, exactly as at their due time; events that come later open new ones. " +
      `Closes up to ${mostClosedDigests.toLocaleString("en-US")} at a call.`,
    category: "configuration",
    params: Type.Object({ workflowId: Type.String({ description: "Internal id, identifier or slug" }) }),
    body: DigestClose,
    success: {
      status: 200,
      schema: named("DigestCloseResult", {
        closed: Type.Integer({ description: "How many digests were closed" }),
        hasMore: Type.Boolean({ description: "true: the call reached its limit, repeat it for the rest" }),
      }),
    },
    errors: ["WORKFLOW_NOT_FOUND", "STEP_NOT_FOUND", "SUBSCRIBER_NOT_FOUND"],
  }),
};

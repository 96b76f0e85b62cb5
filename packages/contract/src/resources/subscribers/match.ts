// Who matches a condition: counted over the newest subscribers, before the condition is saved.
import { operation } from "../../operation.ts";
import { named, oneOf, openObject, type Static, Type } from "../../schema.ts";

export const ConditionMatchIn = named("ConditionMatchIn", {
  condition: openObject({ description: "JSON Logic. At most 64 KB of JSON" }),
  as: Type.Optional(
    oneOf(["condition", "skip"], {
      default: "condition",
      description:
        "`condition`: a rule of a topic subscription, met when the result is exactly true. `skip`: the `skip` rule of a " +
        "step, met when the result is truthy; its texts may be templates",
    }),
  ),
  payload: Type.Optional(openObject()),
  workflowId: Type.Optional(
    Type.String({
      minLength: 1,
      description: "Internal id, identifier or slug: what the condition reads as `workflow`",
    }),
  ),
});
export type ConditionMatchIn = Static<typeof ConditionMatchIn>;

const MatchedSubscriber = named("MatchedSubscriber", { subscriberId: Type.String(), name: Type.String() });

export const ConditionMatch = named("ConditionMatch", {
  data: Type.Object({
    sampled: Type.Integer({ description: "Subscribers that were evaluated: the newest ones, at most 200" }),
    matched: Type.Integer({ description: "Those for whom the condition is met" }),
    failed: Type.Integer({ description: "Those for whom it cannot be evaluated" }),
    fault: Type.Optional(Type.String({ description: "The first error" })),
    matching: Type.Array(MatchedSubscriber, { description: "Up to 5 of them" }),
    others: Type.Array(MatchedSubscriber, { description: "Up to 5 for whom it is not met" }),
  }),
});

export const matchOperations = {
  "subscribers.match": operation({
    id: "subscribers.match",
    method: "POST",
    path: "/v2/subscribers/match",
    summary: "Count the subscribers that match a condition",
    description:
      "Evaluates an unsaved condition for the newest 200 subscribers and stores nothing. Results of earlier steps, " +
      "contexts and the tenant are empty, because no event has happened.",
    category: "configuration",
    isReadOnly: true,
    body: ConditionMatchIn,
    success: { status: 200, schema: ConditionMatch },
    errors: ["WORKFLOW_NOT_FOUND"],
  }),
};

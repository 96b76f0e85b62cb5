// Objectives of a workflow: which share of its messages a provider should accept in time, and which share should be
// delivered; and how much of what may go wrong has gone wrong.
import { ChannelWord } from "../../common.ts";
import { operation } from "../../operation.ts";
import { isoTime, named, nullableString, oneOf, type Static, Type } from "../../schema.ts";

/** Times that are measured exactly: bounds of the classes in which latencies are counted. */
export const objectiveSeconds = [1, 5, 10, 30, 60, 300] as const;

const percent = Type.Number({ minimum: 50, maximum: 99.99, multipleOf: 0.01 });

export const Objectives = named(
  "WorkflowObjectives",
  {
    handedOver: Type.Optional(
      Type.Object(
        {
          percent,
          withinSeconds: Type.Unsafe<(typeof objectiveSeconds)[number]>({
            type: "integer",
            enum: [...objectiveSeconds],
            description: "From the creation of the message to its acceptance by the provider",
          }),
        },
        {
          additionalProperties: false,
          description:
            "Share of messages that a provider accepts in time. Delays, digests and quiet hours do not count: a step " +
            "creates its message after them. In-app messages do not count",
        },
      ),
    ),
    delivered: Type.Optional(
      Type.Object(
        { percent },
        {
          additionalProperties: false,
          description:
            "Share of messages that arrive. In-app messages arrive at once; messages of providers that report no " +
            "deliveries do not count",
        },
      ),
    ),
  },
  {
    additionalProperties: false,
    description: "What the workflow should achieve; `{}` for nothing in particular",
  },
);
export type Objectives = Static<typeof Objectives>;

export const objectiveKinds = ["handedOver", "delivered"] as const;
export type ObjectiveKind = (typeof objectiveKinds)[number];

/** Hours of the windows for which a burn rate is computed. */
export const objectiveWindows = [1, 6, 24] as const;

const counts = {
  good: Type.Integer({ description: "Messages that met the objective" }),
  bad: Type.Integer({ description: "Messages that missed it" }),
};
const nullableNumber = (description: string) => Type.Unsafe<number | null>({ type: ["number", "null"], description });
const measuredPercent = nullableNumber("Share of good messages; null when there were none at all");

const ObjectiveState = named("ObjectiveState", {
  kind: oneOf(objectiveKinds),
  percent: Type.Number({ description: "The objective" }),
  withinSeconds: Type.Optional(Type.Integer({ description: "With `handedOver`" })),
  ...counts,
  measuredPercent,
  budgetLeft: nullableNumber(
    "Share of the error budget of the period that is left: 1 when nothing went wrong, 0 when it is used up, negative " +
      "when the objective is missed; null without messages",
  ),
  usedUpInDays: nullableNumber(
    "When the budget is used up at the pace of the last 24 hours; null if it is used up already, or never at this pace",
  ),
  windows: Type.Array(
    named("ObjectiveWindow", {
      hours: Type.Integer({ description: "1, 6 or 24: the last hours until now" }),
      ...counts,
      measuredPercent,
      burnRate: nullableNumber(
        "How many times faster than allowed the budget is used: 1 uses it up exactly at the end of the period; null " +
          "without messages",
      ),
    }),
  ),
  series: Type.Array(named("ObjectiveDay", { start: isoTime("Begin of the day"), ...counts }), {
    description: "By day (UTC), oldest first, including empty ones",
  }),
  leftOut: Type.Array(
    named("ObjectiveLeftOut", {
      channel: ChannelWord,
      providerId: nullableString(),
      messages: Type.Integer(),
      reason: oneOf(["no_provider", "captured", "no_delivery_reports"], {
        description:
          "`no_provider`: in-app messages are not handed to one. `captured`: a mailbox kept them. " +
          "`no_delivery_reports`: the provider reported no delivery in the period",
      }),
    }),
    { description: "Messages that are not measured" },
  ),
});
export type ObjectiveState = Static<typeof ObjectiveState>;

export const objectiveOperations = {
  "workflows.retrieveObjectives": operation({
    id: "workflows.retrieveObjectives",
    method: "GET",
    path: "/v2/workflows/{workflowId}/objectives",
    summary: "Retrieve how a workflow meets its objectives",
    description:
      "Messages are counted in the hour in which they were created, as in the statistics; the latest hours from the " +
      "newest 50,000 messages of the environment. A message that was not reported as delivered counts as bad a day " +
      "after it was sent, one that failed at once.",
    category: "configuration",
    params: Type.Object({ workflowId: Type.String({ description: "Internal id, identifier or slug" }) }),
    query: Type.Object({
      days: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 90, default: 30, description: "Length of the period, until now" }),
      ),
    }),
    success: {
      status: 200,
      schema: named("WorkflowObjectiveStates", {
        workflowId: Type.String({ description: "Identifier" }),
        days: Type.Integer(),
        objectives: Type.Array(ObjectiveState, { description: "Empty when the workflow has none" }),
      }),
    },
    errors: ["WORKFLOW_NOT_FOUND"],
  }),
};

// Statistics of the experiments of a workflow: what people in each variant did, and whether the difference is shown.
import { operation } from "../../operation.ts";
import { isoTime, named, nullableString, oneOf, type Static, Type } from "../../schema.ts";

/** What can happen to messages, in this order. */
export const experimentFigures = ["sent", "delivered", "opened", "clicked", "read"] as const;

/** Signals are kept for 90 days. */
export const maxExperimentDays = 90;

const share = (description: string) => Type.Number({ minimum: -1, maximum: 1, description });

const Difference = named("ExperimentDifference", {
  difference: share("Share of this variant minus share of the first one"),
  low: share("Lower bound of the difference, 95 % (Newcombe)"),
  high: share("Upper bound"),
  isShown: Type.Boolean({ description: "Whether the interval leaves out 0" }),
  peopleNeeded: Type.Unsafe<number | null>({
    type: ["integer", "null"],
    description:
      "More people in both variants together until the difference is shown, if the present shares are the true ones; null " +
      "when it is shown already, or cannot be said",
  }),
});

const Figure = named("ExperimentFigure", {
  figure: oneOf([...experimentFigures, "goal"]),
  goal: Type.Optional(Type.String({ description: "Name of the signal, with the figure `goal`" })),
  messages: Type.Optional(
    Type.Integer({
      description:
        "Messages; a step that sends to several devices or chats sends one. Absent for goals, and for people held out",
    }),
  ),
  people: Type.Integer({ description: "People with at least one" }),
  share: share("People with at least one, as a share of the people in the variant"),
  low: share("Lower bound of the share, 95 % (Wilson)"),
  high: share("Upper bound"),
  versusFirst: Type.Optional(Difference),
  sentence: Type.String({ description: "What these numbers show, in words" }),
});
export type ExperimentFigure = Static<typeof Figure>;

const VariantStatistics = named("ExperimentVariant", {
  id: Type.String(),
  name: nullableString(),
  weight: Type.Unsafe<number | null>({
    type: ["integer", "null"],
    description: "null: the variant is no longer part of the step, or its people are held out",
  }),
  isHeldOut: Type.Boolean(),
  people: Type.Integer({ description: "People who came into the variant in their first run of the range" }),
  figures: Type.Array(Figure, { description: "Those of messages in this order, then the goals of the step" }),
});
export type ExperimentVariant = Static<typeof VariantStatistics>;

const ExperimentStatistics = named("ExperimentStatistics", {
  stepId: Type.String(),
  name: Type.String(),
  active: Type.Boolean({ description: "Whether runs pass the step" }),
  runs: Type.Integer({ description: "Runs that were counted" }),
  isComplete: Type.Boolean({ description: "Whether these are all runs of the range, or the newest ones" }),
  moved: Type.Integer({
    description: "People who were in another variant in a later run, because weights changed; they count in the first",
  }),
  variants: Type.Array(VariantStatistics, {
    description: "In the order of the step, then former ones, then the people held out",
  }),
});
export type ExperimentStatistics = Static<typeof ExperimentStatistics>;

export const experimentOperations = {
  "workflows.retrieveExperiments": operation({
    id: "workflows.retrieveExperiments",
    method: "GET",
    path: "/v2/workflows/{workflowId}/experiments",
    isFromReplica: true,
    summary: "Retrieve statistics of a workflow's experiments",
    description:
      "A person counts once, in the variant of the first run in the range. Counted from the newest 50,000 runs, divided " +
      "between the experiments of the workflow. Tests of drafts do not count.",
    category: "configuration",
    params: Type.Object({ workflowId: Type.String({ description: "Internal id, identifier or slug" }) }),
    query: Type.Object({
      stepId: Type.Optional(
        Type.String({ minLength: 1, description: "Only this experiment: id or identifier of its step" }),
      ),
      from: Type.Optional(Type.String({ format: "iso-time", description: "Default: 30 days ago" })),
      to: Type.Optional(Type.String({ format: "iso-time", description: "Default: now" })),
      goalDays: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: maxExperimentDays,
          default: 30,
          description: "A signal counts up to this many days after the person came into the variant",
        }),
      ),
    }),
    success: {
      status: 200,
      schema: named("WorkflowExperiments", {
        workflowId: Type.String({ description: "Identifier" }),
        from: isoTime("Begin of the range"),
        to: isoTime("End of the range"),
        goalDays: Type.Integer(),
        experiments: Type.Array(ExperimentStatistics, {
          description: "The experiment steps of the workflow, in their order; empty when it has none",
        }),
      }),
    },
    errors: ["WORKFLOW_NOT_FOUND", "STEP_NOT_FOUND"],
  }),
};

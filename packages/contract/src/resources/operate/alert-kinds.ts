// What an alert rule can watch, and the parameters of each kind. What a kind finds, and its words, are in the server
// (pipeline/alerts/).
import { identifiers } from "../../common.ts";
import { named, openObject, type Static, type TObject, Type } from "../../schema.ts";

const closed = { additionalProperties: false };

const workflowIds = Type.Optional(
  Type.Array(Type.String(identifiers.workflowId), {
    minItems: 1,
    maxItems: 50,
    description: "Identifiers of the workflows to watch. Default: all",
  }),
);

/** The parameters of each kind of rule, in requests. */
export const alertParameters = {
  dead_letters: named(
    "DeadLettersAlert",
    {
      moreThan: Type.Integer({ minimum: 0, maximum: 10_000, description: "Open dead letters that are still fine" }),
      withinMinutes: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 10_080, description: "Counts only those of the last minutes" }),
      ),
    },
    closed,
  ),
  integration_failing: named(
    "IntegrationFailingAlert",
    {
      forSeconds: Type.Integer({
        minimum: 30,
        maximum: 86_400,
        description: "How long every call must have failed: a pause of the circuit breaker that ends sooner is fine",
      }),
    },
    closed,
  ),
  queue_age: named(
    "QueueAgeAlert",
    {
      seconds: Type.Integer({ minimum: 10, maximum: 86_400, description: "How long a due task may wait for a worker" }),
    },
    closed,
  ),
  webhook_failing: named(
    "WebhookFailingAlert",
    {
      forMinutes: Type.Integer({
        minimum: 1,
        maximum: 7_200,
        description:
          "How long every call of the webhook must have failed; one that the service disabled is reported at once",
      }),
    },
    closed,
  ),
  source_failing: named(
    "SourceFailingAlert",
    {
      forMinutes: Type.Integer({
        minimum: 1,
        maximum: 7_200,
        description: "How long the database of a source must have been unreadable; paused sources do not count",
      }),
    },
    closed,
  ),
  storage: named(
    "StorageAlert",
    {
      freeMegabytes: Type.Integer({
        minimum: 64,
        maximum: 10_000_000,
        description: "Free space that the disk of the embedded database should have at least",
      }),
    },
    closed,
  ),
  workflow_objective: named(
    "WorkflowObjectiveAlert",
    {
      workflowIds,
      fastBurn: Type.Optional(
        Type.Number({
          minimum: 1,
          maximum: 1_000,
          default: 14.4,
          description:
            "Burn rate of the last hour and of the last 5 minutes: 14.4 uses 2 % of 30 days' budget in an hour",
        }),
      ),
      slowBurn: Type.Optional(
        Type.Number({
          minimum: 1,
          maximum: 1_000,
          default: 6,
          description: "Burn rate of the last 6 hours and of the last hour: 6 uses 5 % of 30 days' budget in 6 hours",
        }),
      ),
      atLeast: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 1_000_000,
          default: 20,
          description: "Messages that the last hour, or the last 6 hours, must have. At least 3 of them must be bad",
        }),
      ),
    },
    closed,
  ),
  workflow_runaway: named(
    "WorkflowRunawayAlert",
    {
      workflowIds,
      withinMinutes: Type.Optional(Type.Integer({ minimum: 5, maximum: 60, default: 30 })),
      factor: Type.Optional(
        Type.Number({
          minimum: 3,
          maximum: 10_000,
          default: 10,
          description: "How many times the messages of a usual whole hour, within `withinMinutes`, are too many",
        }),
      ),
      atLeast: Type.Optional(
        Type.Integer({
          minimum: 10,
          maximum: 100_000,
          default: 1_000,
          description: "Fewer messages are never too many",
        }),
      ),
      atLeastWhenNew: Type.Optional(
        Type.Integer({
          minimum: 10,
          maximum: 100_000,
          default: 10_000,
          description: "The same for a workflow that began to send less than a week ago",
        }),
      ),
      pause: Type.Optional(
        Type.Boolean({
          default: false,
          description: "Turn the workflow off when the alert opens. A member who turns it on again is not overruled",
        }),
      ),
    },
    closed,
  ),
} as const satisfies Record<string, TObject>;

export type AlertKindName = keyof typeof alertParameters;
export const alertKinds = Object.keys(alertParameters) as AlertKindName[];

/** The parameters of one kind. */
export type AlertParametersOf<K extends AlertKindName> = Static<(typeof alertParameters)[K]>;

/** `kind` and the parameters that belong to it. */
export type KindWithParameters = { [K in AlertKindName]: { kind: K; parameters: AlertParametersOf<K> } }[AlertKindName];

export const parametersOfAnyKind = Type.Unsafe<KindWithParameters["parameters"]>(
  openObject({ description: "The parameters that belong to `kind`" }),
);

/** For a body with `kind` and `parameters`: the parameters have the shape of the kind. */
export const parametersFitKind = alertKinds.map((kind) => ({
  if: { properties: { kind: { const: kind } }, required: ["kind"] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { properties: { parameters: alertParameters[kind] } },
}));

/** What an alert is about. */
export const alertSubjectTypes = [
  "integration",
  "workflow",
  "webhook",
  "source",
  "queue",
  "environment",
  "installation",
] as const;
export type AlertSubjectType = (typeof alertSubjectTypes)[number];

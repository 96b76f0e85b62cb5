// What an alert rule can watch, and the parameters of each kind. What a kind finds, and its words, are in the server
// (pipeline/alerts/).
import { named, openObject, type Static, type TObject, Type } from "../../schema.ts";

const closed = { additionalProperties: false };

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
  workflow_objective: named("WorkflowObjectiveAlert", {}, closed),
  workflow_runaway: named("WorkflowRunawayAlert", {}, closed),
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
  "queue",
  "environment",
  "installation",
] as const;
export type AlertSubjectType = (typeof alertSubjectTypes)[number];

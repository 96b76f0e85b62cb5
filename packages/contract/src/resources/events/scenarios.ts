// Scenarios: what happened, as a test that `tidings test` runs again. docs/testing.md describes the format.
import { ChannelWord } from "../../common.ts";
import { digestFrequencies } from "../../frequencies.ts";
import { operation } from "../../operation.ts";
import { named, oneOf, openObject, type Static, type TSchema, Type } from "../../schema.ts";
import { AttentionBudget, maxBudgets } from "../operate/attention.ts";
import { preferenceChoices, Schedule } from "../subscribers/preferences.ts";
import { stepOutcomes } from "./explain.ts";

/** What one scenario may hold. */
export const maxScenarioEvents = 100;
export const maxScenarioSubscribers = 100;

const offset = Type.String({ description: "Relative to the scenario's time: `+0m`, `+1d2h`, `+90s`; or an ISO time" });

/** An exact text, or a part or a pattern of it. */
const text = (description: string) =>
  Type.Optional(
    Type.Unsafe<string | { contains: string } | { matches: string }>({
      anyOf: [
        { type: "string" },
        { type: "object", properties: { contains: { type: "string" } }, required: ["contains"] },
        { type: "object", properties: { matches: { type: "string" } }, required: ["matches"] },
      ],
      description,
    }),
  );

const ScenarioChoices = named("ScenarioChoices", {
  ...preferenceChoices,
  digestFrequency: Type.Optional(oneOf(digestFrequencies, { description: "For a workflow that offers it" })),
});

const ScenarioSubscriber = named("ScenarioSubscriber", {
  subscriberId: Type.String(),
  firstName: Type.Optional(Type.String()),
  lastName: Type.Optional(Type.String()),
  email: Type.Optional(Type.String()),
  phone: Type.Optional(Type.String()),
  avatar: Type.Optional(Type.String()),
  locale: Type.Optional(Type.String()),
  timezone: Type.Optional(Type.String()),
  data: Type.Optional(openObject()),
  preferences: Type.Optional(
    Type.Record(Type.String(), ScenarioChoices, {
      description: "Choices by the identifier of a workflow, or `all`",
    }),
  ),
  schedule: Type.Optional(Schedule),
  channels: Type.Optional(
    Type.Array(oneOf(["chat"]), {
      description: "Channels the subscriber is reachable on without an address: a generated one is used",
    }),
  ),
});
export type ScenarioSubscriber = Static<typeof ScenarioSubscriber>;

/** Channels whose providers report what happened to a message, and that a scenario captures. */
export const reportedChannels = ["email", "sms", "chat"] as const;

const ScenarioAction = named("ScenarioAction", {
  at: offset,
  trigger: Type.Optional(Type.String({ description: "Identifier of a workflow" })),
  broadcast: Type.Optional(Type.String({ description: "Identifier of a workflow" })),
  cancel: Type.Optional(Type.String({ description: "A `transactionId` of an earlier action" })),
  read: Type.Optional(Type.String({ description: "Subscriber whose in-app messages are marked as read" })),
  archive: Type.Optional(Type.String({ description: "Subscriber whose in-app messages are archived" })),
  seen: Type.Optional(Type.String({ description: "Subscriber whose in-app messages are marked as seen" })),
  delivered: Type.Optional(Type.String({ description: "Subscriber whose messages the provider reports as delivered" })),
  clicked: Type.Optional(Type.String({ description: "The same, with a click on a link" })),
  bounced: Type.Optional(Type.String({ description: "The same, as bounced" })),
  channel: Type.Optional(
    oneOf(reportedChannels, { description: "With `delivered`, `clicked` and `bounced`; without it, `email`" }),
  ),
  workflow: Type.Optional(Type.String({ description: "With marks and reports: only messages of this workflow" })),
  signal: Type.Optional(Type.String({ description: "Name of a signal, as in `signals.send`" })),
  key: Type.Optional(Type.String({ description: "With `signal`" })),
  data: Type.Optional(openObject({ description: "With `signal`" })),
  reached: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: "With `signal`: the runs that must continue. Another number is a failure",
    }),
  ),
  to: Type.Optional(
    Type.Unsafe<unknown>({
      description:
        "As in `events.trigger`: a subscriber id, a topic, or a list of these. For a signal: one or more subscriber ids",
    }),
  ),
  payload: Type.Optional(openObject()),
  overrides: Type.Optional(openObject({ description: "Never exported" })),
  actor: Type.Optional(Type.String()),
  context: Type.Optional(openObject()),
  tenant: Type.Optional(Type.Union([Type.String(), Type.Record(Type.String(), Type.Unknown())])),
  transactionId: Type.Optional(Type.String()),
});
export type ScenarioAction = Static<typeof ScenarioAction>;

const ScenarioMessage = named("ScenarioMessage", {
  to: Type.String({ description: "A subscriber id" }),
  channel: ChannelWord,
  at: Type.Optional(
    Type.Unsafe<string | { from: string; to: string }>({
      anyOf: [
        { type: "string" },
        {
          type: "object",
          properties: { from: { type: "string" }, to: { type: "string" } },
          required: ["from", "to"],
        },
      ],
      description:
        "A time, or the earliest and the latest acceptable time. Runs in real time are exported with a range",
    }),
  ),
  subject: text("For an email, a push or an in-app message"),
  body: text("The text; of an email, its plain text"),
  links: Type.Optional(Type.Array(Type.String(), { description: "Links that the message must contain, among others" })),
  code: text("The one-time code"),
});
export type ScenarioMessage = Static<typeof ScenarioMessage>;

/** What the attention budget did to a step, in the place of its outcome. */
export const heldOutcomes = ["rolled_up", "delayed", "dropped"] as const;
export const expectedOutcomes = [...stepOutcomes, ...heldOutcomes] as const;

const ScenarioStep = named("ScenarioStep", {
  to: Type.String({ description: "A subscriber id" }),
  workflow: Type.Optional(Type.String({ description: "Default: any workflow" })),
  step: Type.String({ description: "The `stepId`" }),
  outcome: Type.Optional(
    oneOf(expectedOutcomes, {
      description: "The outcome; or `rolled_up`, `delayed`, `dropped`: what the attention budget did to the message",
    }),
  ),
  reason: text("What happened in words, as `explain.retrieve` has it"),
  arm: Type.Optional(Type.String({ description: "For a branch: the id of the arm that the run takes" })),
  variant: Type.Optional(Type.String({ description: "For an experiment: the id of the variant" })),
});
export type ScenarioStep = Static<typeof ScenarioStep>;

/** By workflow, then by step. */
const byStep = <T extends TSchema>(value: T, description: string) =>
  Type.Optional(Type.Record(Type.String(), Type.Record(Type.String(), value), { description }));

const ScenarioResponse = named("ScenarioResponse", {
  status: Type.Optional(Type.Integer({ minimum: 100, maximum: 599, description: "Without it, 200" })),
  body: Type.Optional(Type.Unknown()),
});

export const Scenario = named("Scenario", {
  name: Type.String(),
  given: named("ScenarioGiven", {
    time: Type.String({ description: "When the test clock starts (ISO 8601)" }),
    subscribers: Type.Optional(Type.Array(ScenarioSubscriber)),
    topics: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.String()), { description: "Subscriber ids by topic key" }),
    ),
    variables: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: "Environment variables, which templates read as `env.<name>`",
      }),
    ),
    responses: byStep(
      ScenarioResponse,
      "By workflow and `stepId`: what an HTTP request gets back, instead of the sample response of the step",
    ),
    attention: Type.Optional(
      Type.Array(AttentionBudget, {
        maxItems: maxBudgets,
        description: "The attention budget; without it, that of the files or the environment",
      }),
    ),
    variants: byStep(Type.String(), "By workflow and `stepId`: the variant of an experiment that everyone is in"),
  }),
  when: Type.Array(ScenarioAction),
  until: Type.Optional(Type.String({ description: "When the test clock ends; default: a year after the last action" })),
  // biome-ignore lint/suspicious/noThenProperty: given, when, then; the value is a list, not a function
  then: Type.Array(ScenarioMessage, { description: "All messages that are sent, and no others, in any order" }),
  steps: Type.Optional(Type.Array(ScenarioStep, { description: "What single steps do; the others are not checked" })),
});
export type Scenario = Static<typeof Scenario>;

export const scenarioOperations = {
  "scenarios.export": operation({
    id: "scenarios.export",
    method: "GET",
    path: "/v1/scenarios",
    isFromReplica: true,
    summary: "Export past events as a test scenario",
    description:
      "One event, with the events that share a digest with it, by `transactionId`; or all events between `from` and " +
      `\`to\`, both included. At most ${maxScenarioEvents} events and ${maxScenarioSubscribers} subscribers. Subscribers and ` +
      "preferences are the current ones. `tidings test` runs scenarios: see docs/testing.md.",
    category: "global",
    role: "support",
    audit: "members",
    query: Type.Object({
      transactionId: Type.Optional(Type.String({ minLength: 1 })),
      from: Type.Optional(Type.String({ format: "iso-time", description: "In the environment's time" })),
      to: Type.Optional(Type.String({ format: "iso-time", description: "In the environment's time" })),
    }),
    success: {
      status: 200,
      schema: named("ScenarioExport", {
        scenario: Scenario,
        yaml: Type.String({ description: "The same as YAML text" }),
        notes: Type.Array(Type.String(), { description: "What was left out because a scenario cannot express it" }),
      }),
    },
    errors: ["TRANSACTION_NOT_FOUND", "SCENARIO_TOO_LARGE"],
  }),
};

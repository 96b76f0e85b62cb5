// Scenarios: what happened, as a test that `tidings test` runs again. docs/testing.md describes the format.
import { ChannelWord } from "../../common.ts";
import { digestFrequencies } from "../../frequencies.ts";
import { operation } from "../../operation.ts";
import { named, oneOf, openObject, type Static, Type } from "../../schema.ts";
import { preferenceChoices, Schedule } from "../subscribers/preferences.ts";

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

const ScenarioAction = named("ScenarioAction", {
  at: offset,
  trigger: Type.Optional(Type.String({ description: "Identifier of a workflow" })),
  broadcast: Type.Optional(Type.String({ description: "Identifier of a workflow" })),
  cancel: Type.Optional(Type.String({ description: "A `transactionId` of an earlier action" })),
  read: Type.Optional(Type.String({ description: "Subscriber whose in-app messages are marked as read" })),
  archive: Type.Optional(Type.String({ description: "Subscriber whose in-app messages are archived" })),
  workflow: Type.Optional(Type.String({ description: "With `read` and `archive`: only messages of this workflow" })),
  to: Type.Optional(
    Type.Unsafe<unknown>({ description: "As in `events.trigger`: a subscriber id, a topic, or a list of these" }),
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

export const Scenario = named("Scenario", {
  name: Type.String(),
  given: named("ScenarioGiven", {
    time: Type.String({ description: "When the test clock starts (ISO 8601)" }),
    subscribers: Type.Optional(Type.Array(ScenarioSubscriber)),
    topics: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.String()), { description: "Subscriber ids by topic key" }),
    ),
  }),
  when: Type.Array(ScenarioAction),
  until: Type.Optional(Type.String({ description: "When the test clock ends; default: a year after the last action" })),
  // biome-ignore lint/suspicious/noThenProperty: given, when, then; the value is a list, not a function
  then: Type.Array(ScenarioMessage, { description: "All messages that are sent, and no others, in any order" }),
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

// The state of the system: what is waiting, what is failing, and which versions are running. Also a workflow's runs in
// progress.
import { ChannelWord, StepTypeWord } from "../../common.ts";
import { operation } from "../../operation.ts";
import { isoTime, named, oneOf, type Static, Type } from "../../schema.ts";
import { waitingSteps } from "../../steps/registry.gen.ts";
import { circuitStates, IntegrationError } from "../channels/integrations.ts";

/** What a run waits for. */
export const waitKinds = ["starting", ...waitingSteps.toSorted(), "held", "sending"] as const;

export const InFlightStep = named("InFlightStep", {
  versionId: Type.String(),
  version: Type.Integer({ description: "Number of the version; negative for what only a broadcast sends" }),
  step: named("InFlightStepRef", {
    _id: Type.String(),
    stepId: Type.String(),
    name: Type.String(),
    type: StepTypeWord,
  }),
  wait: oneOf(waitKinds, {
    description:
      "`starting`: ready to start; `held`: outside the subscriber's schedule, or until the next attempt; `sending`: " +
      "being delivered",
  }),
  count: Type.Integer(),
  oldest: isoTime("When the oldest of these runs started"),
  nextAt: Type.Optional(isoTime("When the first of them resumes")),
});
export type InFlightStep = Static<typeof InFlightStep>;

/** Notifications of a workflow that are examined. */
export const maxInFlightChecked = 20_000;

const QueueState = named("QueueState", {
  kind: Type.String({ description: "The stage of the pipeline" }),
  due: Type.Integer({ description: "Tasks that are ready to run, counted up to 10,000" }),
  active: Type.Integer({ description: "Tasks that are running, counted up to 10,000" }),
  lagSeconds: Type.Number({ description: "How long the oldest due task has been waiting; 0 when there is none" }),
});

const OpenBreaker = named("OpenBreaker", {
  integrationId: Type.String(),
  identifier: Type.String(),
  name: Type.String(),
  providerId: Type.String(),
  state: oneOf(["open", "half_open"]),
  failures: Type.Integer(),
  openedAt: Type.Optional(isoTime("When it opened")),
  nextProbeAt: Type.Optional(isoTime("When the next message is tried")),
  failingSince: Type.Optional(isoTime("Time of the first error since the last success")),
  lastError: Type.Optional(IntegrationError),
});

const WaitingMessages = named("WaitingMessages", {
  integrationId: Type.String(),
  name: Type.String(),
  channel: ChannelWord,
  state: oneOf(circuitStates, { description: "closed: it responds again, and they are being sent" }),
  count: Type.Integer(),
  oldestAt: isoTime("When the oldest of them was created"),
});

export const SystemState = named("SystemState", {
  versions: named("SystemVersions", {
    service: Type.String(),
    postgres: Type.String(),
    schema: Type.String({ description: "The last migration" }),
  }),
  processes: Type.Integer({ description: "Processes of the installation that are connected to the database" }),
  queue: Type.Array(QueueState, { description: "For the whole installation" }),
  openBreakers: Type.Integer({ description: "Circuit breakers that are not closed, in the whole installation" }),
  environment: named("EnvironmentState", {
    breakers: Type.Array(OpenBreaker, { description: "At most 100" }),
    waiting: Type.Array(WaitingMessages, {
      description: "Integrations that messages wait for; at most 100,000 messages are counted",
    }),
    deadLetters: Type.Integer({ description: "Open ones, counted up to 10,000, like the next two" }),
    failedTasks: Type.Integer(),
    failedWebhookDeliveries: Type.Integer({ description: "Deliveries that were given up" }),
    disabledWebhooks: Type.Integer({ description: "Webhooks that the service switched off" }),
    failingWebhooks: Type.Array(
      named("FailingWebhook", {
        webhookId: Type.String(),
        url: Type.String({ description: "Without its query" }),
        failures: Type.Integer({ description: "Calls that failed since the last success" }),
        failingSince: isoTime("The first of these failures"),
        lastError: Type.Optional(Type.String({ description: "The response to the last call" })),
      }),
      { description: "Active webhooks whose last 5 or more calls failed" },
    ),
    oldestEventSeconds: Type.Number({
      description: "How long the oldest event of this environment has been in the queue",
    }),
  }),
});
export type SystemState = Static<typeof SystemState>;

export const systemOperations = {
  "workflows.retrieveInFlight": operation({
    id: "workflows.retrieveInFlight",
    method: "GET",
    path: "/v1/workflows/{workflowId}/in-flight",
    summary: "Count a workflow's runs in progress",
    description:
      "By version, step and what they are waiting for. The newest 20,000 notifications of the workflow are counted; " +
      "`isCapped` is true if older ones exist, which may be waiting too.",
    category: "configuration",
    params: Type.Object({ workflowId: Type.String({ description: "Internal id, identifier or slug" }) }),
    success: {
      status: 200,
      schema: named("InFlight", {
        data: Type.Array(InFlightStep),
        total: Type.Integer(),
        isCapped: Type.Boolean(),
      }),
    },
    errors: ["WORKFLOW_NOT_FOUND"],
  }),
  "system.retrieve": operation({
    id: "system.retrieve",
    method: "GET",
    path: "/v1/system",
    summary: "Retrieve the state of the system",
    description: "Figures for the whole installation reveal no details of other environments.",
    category: "configuration",
    success: { status: 200, schema: SystemState },
    errors: [],
  }),
};

// Start workflow: triggers another workflow of the environment, for the person of the run, or for people and topics by
// template. The event is a claim, because the database knows the workflow and its payload schema
// (effects/workflow-starts.ts).
import { maxWorkflowDepth } from "@tidings/contract";
import { isDeeperThan, isObject, type JsonObject } from "../../lib/json.ts";
import { unstorableTexts } from "../../validation.ts";
import { renderJson } from "../render/json-template.ts";
import { RenderError, render } from "../render/liquid.ts";
import { detailOf, entry } from "../rules/details.ts";
import { contentScope } from "../rules/scope.ts";
import type { StepInput, StepResult, WorkflowStart } from "../run/run.ts";
import type { StepHandler } from "./handler.ts";

const details = {
  workflow_started: entry("Workflow started", "Success", {
    reason: ({ workflowId, recipients, topics, transactionId, rejected, isTest }, { be }) => {
      const whom = [...textsIn(recipients), ...textsIn(topics).map((key) => `the topic ${key}`)].join(", ");
      const left = textsIn(rejected).length > 0 ? `, without: ${textsIn(rejected).join("; ")}` : "";
      if (isTest) return `it would start the workflow ${workflowId} for ${whom}${left}, and a test starts nothing`;
      return be === "is"
        ? `it would start the workflow ${workflowId} for ${whom}${left}`
        : `it started the workflow ${workflowId} for ${whom}${left}, as transaction ${transactionId}`;
    },
  }),
  start_refused: entry("Workflow not started", "Failed", { source: "Payload", by: "step" }),
};
const detail = detailOf(details);

export default { run: runStart, details } satisfies StepHandler;

const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];

function runStart(input: StepInput): StepResult {
  const { run, job, facts, now } = input;
  const refuse = (reason: string): StepResult => ({
    kind: "failed",
    details: [detail("start_refused", now, { raw: { workflowId: job.step.controlValues.workflowId, reason } })],
  });
  const claimed = facts.claimResults.get(job.id);
  if (claimed?.kind === "refused") return refuse(claimed.reason);
  const start = readStart(input);
  if ("fault" in start) return refuse(start.fault);
  if (claimed?.kind !== "started") {
    const loop = loopFault(input, start);
    return loop ? refuse(loop) : { kind: "claim", claim: { kind: "start", jobId: job.id, start } };
  }
  const { transactionId, rejected } = claimed;
  const raw = {
    workflowId: start.workflowId,
    transactionId,
    recipients: start.to.flatMap((one) => ("subscriberId" in one ? one.subscriberId : [])),
    topics: start.to.flatMap((one) => ("topicKey" in one ? one.topicKey : [])),
    ...(rejected.length > 0 && { rejected }),
    ...(run.version.definition.isTest && { isTest: true }),
  };
  return { kind: "done", output: { transactionId }, details: [detail("workflow_started", now, { raw })] };
}

/**
 * Workflows may start each other, up to a depth. One that comes back to an earlier workflow can do so for one person:
 * with several each time, the number of runs would grow with every round.
 */
function loopFault({ run }: StepInput, { workflowId, to }: WorkflowStart): string | null {
  const path = [...(run.event.startedBy?.path ?? []), run.version.definition.workflowId];
  if (path.length > maxWorkflowDepth) {
    return `workflows started each other ${maxWorkflowDepth} deep: ${[...path, workflowId].join(" → ")}`;
  }
  const isOne = to.length === 1 && "subscriberId" in to[0]!;
  if (isOne || !path.includes(workflowId)) return null;
  return `workflows that start each other can do so for one person only: ${[...path, workflowId].join(" → ")}`;
}

const maxPayloadDepth = 200;

/** Errors name the control. A recipient whose template is empty is left out. */
function readStart(input: StepInput): WorkflowStart | { fault: string } {
  const { run, job } = input;
  const { workflowId, to: given, payload: template } = job.step.controlValues;
  if (typeof workflowId !== "string" || workflowId === "") return { fault: "workflowId is required" };
  const scope = contentScope(input);
  let field = "to";
  try {
    const to: WorkflowStart["to"] = [];
    for (const [index, one] of (Array.isArray(given) ? given : []).entries()) {
      field = `to.${index}`;
      const { subscriberId, topicKey } = isObject(one) ? one : {};
      const [subscriber, topic] = [subscriberId, topicKey].map((text) =>
        typeof text === "string" ? render(text, scope, "text").trim() : "",
      );
      if (subscriber) to.push({ subscriberId: subscriber });
      if (topic) to.push({ type: "Topic", topicKey: topic });
    }
    if (Array.isArray(given) && given.length > 0 && to.length === 0) return { fault: "to has no recipients" };
    if (to.length === 0) to.push({ subscriberId: run.subscriber!.subscriber_id });
    field = "payload";
    const own = typeof template === "string" && template.trim() !== "";
    const payload = own ? renderJson(template, scope) : withoutAttachments(run.event.payload);
    const fault = own ? payloadFault(payload) : null;
    return fault ? { fault } : { workflowId, to, payload: payload as JsonObject };
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    return { fault: `${field}: ${[error.message, error.position].filter(Boolean).join(", ")}` };
  }
}

/** The files of an event are not stored in its payload. */
const withoutAttachments = ({ attachments: _, ...payload }: JsonObject): JsonObject => payload;

function payloadFault(payload: unknown): string | null {
  if (!isObject(payload)) return "payload must be a JSON object";
  if (isDeeperThan(payload, maxPayloadDepth)) return `payload must not be nested deeper than ${maxPayloadDepth} levels`;
  const [unstorable] = Object.values(unstorableTexts(payload));
  return unstorable ? `payload: ${unstorable.messages[0]}` : null;
}

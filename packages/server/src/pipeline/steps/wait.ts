// Wait: the run continues when a signal arrives for its subscriber, when something happens to an earlier message, or
// when the timeout passes. The wait is a row that signals and marks find (run/arrivals.ts); the database decides which
// of them ends it.
import { messageEvents } from "@tidings/contract";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { RenderError, render } from "../render/liquid.ts";
import { detailOf, entry } from "../rules/details.ts";
import { contentScope } from "../rules/scope.ts";
import type { Arrival, AwaitedMessage, AwaitedSignal, StepInput, StepResult } from "../run/run.ts";
import type { StepHandler } from "./handler.ts";
import { failedWait, readStepWait } from "./waiting.ts";

const details = {
  wait_begun: entry("Waiting for something to happen", "Pending", {
    by: "wait",
    isWait: true,
    reason: (raw) => `it waits ${awaitedText(raw)}`,
    waiting: (until) => `Waiting until ${until}`,
  }),
  wait_met: entry("What the step waited for has happened", "Success", {
    by: "wait",
    reason: ({ why }) => String(why),
  }),
  wait_timed_out: entry("Timeout of the wait", "Success", { by: "wait", reason: () => "its timeout passed" }),
  ended_by_wait: entry("Run ended by a wait", "Success", {
    by: "wait",
    reason: ({ step, why }) => `the wait ${step} ended the run: ${why}`,
  }),
  wait_invalid: entry("Wait settings are not valid", "Failed", { source: "Payload", by: "wait" }),
};
const detail = detailOf(details);

export default {
  run: runWait,
  wake: finishWait,
  details,
} satisfies StepHandler;

const awaitedText = ({ signal, message, event }: JsonObject): string =>
  [
    ...(signal ? [`for the signal ${signal}`] : []),
    ...(message ? [`until the message of ${message} is ${event}`] : []),
  ].join(", or ");

function runWait(input: StepInput): StepResult {
  const { job, facts, now } = input;
  const invalid = (raw: JsonObject) => detail("wait_invalid", now, { raw });
  const wait = readStepWait(input);
  if ("fault" in wait) return failedWait(wait, now, invalid);
  const awaited = readAwaited(input);
  if ("fault" in awaited) return failedWait({ fault: "invalid", reason: awaited.fault }, now, invalid);
  // An in-app message is delivered when it is stored, and no receipt says so.
  if (awaited.message?.event === "delivered" && isDelivered(input, awaited.message.jobId)) {
    return met(input, { reason: "message", data: null, at: now });
  }
  const claimed = facts.claimResults.get(job.id);
  switch (claimed?.kind) {
    case "arrived":
      return met(input, claimed.arrival);
    case "begun": {
      const raw = { ...namesOf(job.step.controlValues), until: wait.until.toISOString() };
      return { kind: "waiting", until: wait.until, details: [...wait.extended, detail("wait_begun", now, { raw })] };
    }
    default:
      return { kind: "claim", claim: { kind: "wait", jobId: job.id, ...awaited } };
  }
}

const isDelivered = ({ run }: StepInput, jobId: string): boolean =>
  run.jobs.some(({ id, step, status }) => id === jobId && step.type === "in_app" && status === "completed");

type Awaited = { signal: AwaitedSignal | null; message: AwaitedMessage | null };

function readAwaited(input: StepInput): Awaited | { fault: string } {
  const { run, job, now } = input;
  const { signal, message } = job.step.controlValues;
  const found: Awaited = { signal: null, message: null };
  if (isObject(signal) && typeof signal.name === "string" && signal.name !== "") {
    const { name, key, lookBackMinutes: back } = signal;
    const rendered = typeof key === "string" && key !== "" ? renderKey(key, input) : { text: null };
    if ("fault" in rendered) return rendered;
    found.signal = {
      name,
      key: rendered.text,
      since: typeof back === "number" ? new Date(now.getTime() - back * 60_000) : null,
    };
  }
  const event = isObject(message) && messageEvents.find((one) => one === message.event);
  if (isObject(message) && event) {
    const watched = run.jobs.find((one) => one.step.stepId === message.stepId && one.stepIndex < job.stepIndex);
    // A step that is turned off sends nothing: the wait ends with its timeout.
    if (watched) found.message = { jobId: watched.id, event };
  }
  return found;
}

function renderKey(template: string, input: StepInput): { text: string } | { fault: string } {
  try {
    return { text: render(template, contentScope(input), "text").trim().slice(0, 512) };
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    return { fault: `signal.key: ${[error.message, error.position].filter(Boolean).join(", ")}` };
  }
}

const namesOf = ({ signal, message }: JsonObject): JsonObject => ({
  ...(isObject(signal) && signal.name !== undefined && { signal: signal.name }),
  ...(isObject(message) && message.stepId !== undefined && { message: message.stepId, event: message.event }),
});

function finishWait(input: StepInput): StepResult {
  const arrival = input.facts.arrivals.get(input.job.id);
  return arrival ? met(input, arrival) : timedOut(input);
}

function met(input: StepInput, { reason, data, at }: Arrival): StepResult {
  const { job, now } = input;
  const { onEvent } = job.step.controlValues;
  const names = namesOf(job.step.controlValues);
  const output = { reason, data: data ?? {}, at: at.toISOString() };
  const why =
    reason === "signal" ? `the signal ${names.signal} arrived` : `the message of ${names.message} was ${names.event}`;
  return {
    kind: "done",
    output,
    details: [detail("wait_met", now, { raw: { reason, why, at: output.at } })],
    ...(onEvent === "end" && { ends: detail("ended_by_wait", now, { raw: { step: job.step.stepId, why } }) }),
  };
}

function timedOut({ job, now }: StepInput): StepResult {
  const { onTimeout } = job.step.controlValues;
  const why = "its timeout passed";
  return {
    kind: "done",
    output: { reason: "timeout", data: {}, at: now.toISOString() },
    details: [detail("wait_timed_out", now)],
    ...(onTimeout === "end" && { ends: detail("ended_by_wait", now, { raw: { step: job.step.stepId, why } }) }),
  };
}

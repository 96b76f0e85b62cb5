// A step of a workflow that is defined in the customer's code. The checks of every step come first. Then the step asks
// the bridge of its workflow: this run stops, the stage `bridge` makes the call and stores the response, and the step
// runs again with the response instead of its control values.
import { type StepType, stepDefinitions } from "@tidings/contract";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { openValue } from "../../lib/sealed.ts";
import type { BridgeAnswer } from "../../store/tables.ts";
import { detail } from "../rules/details.ts";
import { mergeOverrides } from "../rules/overrides.ts";
import type { Run, StepInput, StepResult } from "../run/run.ts";
import { checkGate } from "./gate.ts";
import { stepHandlers } from "./registry.gen.ts";

export function startBridgedStep(input: StepInput, run: (input: StepInput) => StepResult): StepResult {
  const { job, now } = input;
  const answer = job.bridge?.answer;
  if (!answer) {
    const { stopped, passed } = checkGate(input);
    if (!stopped) return { kind: "asking", details: [...passed, detail("bridge_asked", now)] };
    return stopped.kind === "claim" ? stopped : { ...stopped, details: [...passed, ...stopped.details] };
  }
  if (answer.skip) return { kind: "skipped", details: [detail("skipped_by_bridge", now)] };
  // The code ended without this step: a condition left it out, or it is no longer in the code.
  if (Object.keys(answer.outputs).length === 0 && stepDefinitions[job.step.type].kind !== "custom") {
    return { kind: "skipped", details: [detail("not_reached_in_bridge", now)] };
  }
  return run(withAnswer(input, answer));
}

function withAnswer(input: StepInput, { outputs, providers }: BridgeAnswer): StepInput {
  const { run, job, facts } = input;
  const { step } = job;
  const given = providers === undefined ? {} : openValue(facts.secrets, providers);
  return {
    ...input,
    job: { ...job, step: { ...step, controlValues: contentOf(step.type, outputs, step.controlValues) } },
    run: { ...run, event: { ...run.event, overrides: withProviders(run, step.type, outputs, given) } },
  };
}

/** The outputs under the names of the controls. */
export const contentOf = (type: StepType, outputs: JsonObject, controlValues: JsonObject): JsonObject =>
  stepHandlers[type].controlsFromBridge?.(outputs, controlValues) ?? outputs;

/** The overrides of the event, over those that the code gives. */
function withProviders({ event }: Run, type: StepType, outputs: JsonObject, providers: JsonObject): JsonObject | null {
  const { from, replyTo } = outputs;
  const mail: JsonObject =
    type === "email"
      ? { ...(typeof from === "string" && { from }), ...(typeof replyTo === "string" && { replyTo }) }
      : {};
  const under: JsonObject = Object.fromEntries(Object.entries(providers).filter(([, value]) => isObject(value)));
  if (Object.keys(mail).length > 0) under.email = mail;
  return Object.keys(under).length === 0 ? event.overrides : mergeOverrides(under, event.overrides ?? {});
}

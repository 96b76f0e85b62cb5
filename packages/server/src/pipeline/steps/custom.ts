// Custom: sends nothing. Its rendered values become the step's output for later steps.
import { isObject } from "../../lib/json.ts";
import { RenderError, renderDeep } from "../render/liquid.ts";
import { detail, detailOf, entry } from "../rules/details.ts";
import { contentScope } from "../rules/scope.ts";
import type { StepInput, StepResult } from "../run/run.ts";
import type { StepHandler } from "./handler.ts";

const details = { custom_done: entry("Custom step finished", "Success") };
const ownDetail = detailOf(details);

export default {
  run: runCustom,
  details,
  controlsFromBridge: (outputs) => ({ custom: outputs }),
} satisfies StepHandler;

function runCustom(input: StepInput): StepResult {
  const { job, now } = input;
  const { custom } = job.step.controlValues;
  try {
    const output = isObject(custom) ? renderDeep(custom, contentScope(input)) : {};
    return { kind: "done", output, details: [ownDetail("custom_done", now)] };
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    const raw = { reason: error.message, position: error.position };
    return { kind: "failed", details: [detail("render_failed", now, { raw })] };
  }
}

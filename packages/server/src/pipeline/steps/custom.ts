// Custom: sends nothing. Its rendered values become the step's output for later steps.
import { isObject } from "../../lib/json.ts";
import { RenderFault, renderDeep } from "../render/liquid.ts";
import { detail } from "../rules/details.ts";
import { contentScope } from "../rules/scope.ts";
import type { StepInput, StepResult } from "../run/run.ts";

export function runCustom(input: StepInput): StepResult {
  const { job, now } = input;
  const { custom } = job.step.controlValues;
  try {
    const output = isObject(custom) ? renderDeep(custom, contentScope(input)) : {};
    return { kind: "done", output, details: [detail("custom_done", now)] };
  } catch (error) {
    if (!(error instanceof RenderFault)) throw error;
    const raw = { reason: error.message, position: error.position };
    return { kind: "failed", details: [detail("render_failed", now, { raw })] };
  }
}

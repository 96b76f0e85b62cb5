import type { StepInput, StepResult } from "../run/run.ts";
import type { StepHandler } from "./handler.ts";

export default { run } satisfies StepHandler;

function run(_input: StepInput): StepResult {
  throw new Error("not written yet");
}

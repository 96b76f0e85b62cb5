// What a step type does in the engine. Each type is one file in this folder; registry.gen.ts collects them.
import type { JsonObject } from "../../lib/json.ts";
import type { DetailEntry } from "../rules/details.ts";
import type { Facts, JobState, Run, StepInput, StepResult } from "../run/run.ts";

export type StepHandler = {
  /** Runs the step. The gate before it (gate.ts) is the same for all types. */
  run: (input: StepInput) => StepResult;
  /** For a wait: continues the step when its time has come. A held channel step starts again instead. */
  wake?: (input: StepInput) => StepResult;
  /** Whether the run continues without a response; default: it ends. Only for steps that ask. */
  continuesOnFailure?: (controlValues: JsonObject) => boolean;
  /** The details that only this type records. */
  details?: Readonly<Record<string, DetailEntry>>;
  /** Its result for the customer's code, in the shape that the framework checks; default: the output of the job. */
  bridgeResult?: (run: Run, job: JobState, facts: Facts) => JsonObject;
  /** The outputs of the customer's code under the names of the controls; default: unchanged. */
  controlsFromBridge?: (outputs: JsonObject, controlValues: JsonObject) => JsonObject;
};

/** All details of a job, oldest first, including those of this batch. */
export const allDetails = ({ details, newDetails }: JobState): JobState["details"] => [...details, ...newDetails];

// Branch: decides once which of its arms the run takes, the first whose condition is true. The choice is the result of
// the step, and is stored with the run: a later change of the subscriber does not move the run to another arm. The
// gate (gate.ts) skips the steps of the other arms.
import { type Arm, armsOf, elseArm, readArm } from "@tidings/contract";
import type { JsonObject } from "../../lib/json.ts";
import { evaluateCondition } from "../rules/conditions.ts";
import { detail, detailOf, entry } from "../rules/details.ts";
import { conditionScope } from "../rules/scope.ts";
import { trueReason } from "../rules/text/condition-text.ts";
import type { JobState, Run, StepInput, StepResult } from "../run/run.ts";
import type { StepHandler } from "./handler.ts";

const details = {
  arm_taken: entry("Branch took an arm", "Success", {
    by: "branch",
    reason: ({ arm, name, isElse, ...raw }, { be }) =>
      isElse
        ? "no condition of its arms is true, so the arm else follows"
        : `the arm ${name ?? arm} follows: ${trueReason(raw, be)}`,
  }),
};
const ownDetail = detailOf(details);

export default { run: runBranch, details } satisfies StepHandler;

function runBranch(input: StepInput): StepResult {
  const { job, now } = input;
  const scope = conditionScope(input);
  for (const arm of armsOf(job.step)) {
    const decision = evaluateCondition(arm.condition, scope);
    if ("fault" in decision) {
      const raw = { arm: arm.id, rule: decision.rule, reason: `the condition of the arm ${arm.id}: ${decision.fault}` };
      return { kind: "failed", details: [detail("condition_failed", now, { raw })] };
    }
    if (decision.isTrue) return taken(arm, { rule: decision.rule, values: decision.values }, now);
  }
  return taken({ id: elseArm }, { isElse: true }, now);
}

function taken({ id, name }: Arm, why: JsonObject, now: Date): StepResult {
  const raw = { arm: id, ...(name && { name }), ...why };
  return { kind: "done", output: { arm: id }, details: [ownDetail("arm_taken", now, { raw })] };
}

/** Null when the step belongs to no arm, or to one that the run took. */
export function stoppedByArm(run: Run, { step }: JobState, now: Date): StepResult | null {
  if (step.arm === undefined) return null;
  const { branch, arm } = readArm(step.arm);
  const decided = run.jobs.find((job) => job.step.stepId === branch);
  const taken = decided?.output?.arm;
  if (taken === arm) return null;
  const raw = { branch, arm, ...(taken === undefined ? { reason: untaken(decided) } : { taken }) };
  return { kind: "skipped", details: [detail("arm_not_taken", now, { raw })] };
}

function untaken(branch: JobState | undefined): string {
  if (!branch) return "the branch is turned off";
  return branch.status === "failed" ? "the branch failed" : "the branch was skipped";
}

// Experiment: puts the person into one of its variants (variants.ts). Later steps read it as
// `steps.<stepId>.variant`, most often the conditions of a branch. For people who are held out, the run ends here.
import { heldOutVariant } from "@tidings/contract";
import { detailOf, entry } from "../rules/details.ts";
import type { StepInput, StepResult } from "../run/run.ts";
import type { StepHandler } from "./handler.ts";
import { chooseVariant, experimentName, isHeldOut, readVariants, type Variant } from "./variants.ts";

const details = {
  variant_chosen: entry("Experiment chose a variant", "Success", {
    by: "experiment",
    reason: ({ variant, share }) =>
      `the person is in the variant ${variant}, where a hash of experiment and person puts ${share} of people`,
  }),
  held_out: entry("Held out by an experiment", "Success", {
    by: "experiment",
    reason: ({ percent }) => `the person is among the ${percent} % that the experiment holds out`,
  }),
  experiment_invalid: entry("Experiment has no variant to choose", "Failed", { source: "Payload", by: "experiment" }),
};
const detail = detailOf(details);

export default { run: runExperiment, details } satisfies StepHandler;

function runExperiment({ run, job, now }: StepInput): StepResult {
  const { holdOutPercent } = job.step.controlValues;
  const variants = readVariants(job.step.controlValues);
  const { workflowId } = run.version.definition;
  const experiment = experimentName(workflowId, job.step.stepId, job.step.controlValues);
  const person = run.subscriber!.subscriber_id;
  const percent = typeof holdOutPercent === "number" ? holdOutPercent : 0;
  if (isHeldOut(experiment, person, percent)) {
    const output = { variant: heldOutVariant };
    const raw = { percent, experiment: job.step.stepId };
    return { kind: "skipped", stopsChain: true, output, details: [detail("held_out", now, { raw })] };
  }
  const variant = chooseVariant(experiment, person, variants);
  if (variant === null) {
    const raw = { reason: "the weights of its variants add up to 0" };
    return { kind: "failed", details: [detail("experiment_invalid", now, { raw })] };
  }
  const raw = { variant, share: shareText(variants, variant, percent) };
  return { kind: "done", output: { variant }, details: [detail("variant_chosen", now, { raw })] };
}

/** The share of all people, including those held out. */
function shareText(variants: Variant[], id: string, heldOutPercent: number): string {
  const total = variants.reduce((sum, { weight }) => sum + weight, 0);
  const own = variants.find((one) => one.id === id)!.weight;
  return `${Math.round((own / total) * (100 - heldOutPercent) * 10) / 10} %`;
}

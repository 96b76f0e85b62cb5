// What happens to the runs in progress of a workflow that a plan changes or deletes. A run keeps the version that it
// began with, so even one that waits in a step that is removed ends as it would have. Pure.
import { type InFlightStep, type StepChange, waitingSteps } from "@tidings/contract";

type Changed = { action: "created" | "changed" | "deleted"; steps: StepChange[] };

const numbers = new Intl.NumberFormat("en-US");
/** Steps that are named. */
const maxNamed = 5;

export function inFlightText({ action, steps }: Changed, inFlight: InFlightStep[]): string {
  const total = inFlight.reduce((sum, { count }) => sum + count, 0);
  const [runs, they] = total === 1 ? ["1 run is", "it"] : [`${numbers.format(total)} runs are`, "they"];
  if (action === "deleted") return `${runs} in progress: ${they} will be canceled`;
  return [
    `${runs} in progress: ${they} will finish with the version ${they} started with`,
    ...steps.flatMap((change) => waitingText(change, inFlight) ?? []).slice(0, maxNamed),
  ].join(". ");
}

function waitingText({ kind, stepId }: StepChange, inFlight: InFlightStep[]): string | null {
  const waiting = inFlight.filter(
    ({ step, wait }) => step.stepId === stepId && waitingSteps.some((one) => one === wait),
  );
  const count = waiting.reduce((sum, one) => sum + one.count, 0);
  if (kind === "added" || count === 0) return null;
  const [wait, they] =
    count === 1 ? ["1 run waits", "it continues"] : [`${numbers.format(count)} runs wait`, "they continue"];
  return `${wait} in ${stepId}, which ${verbs[kind]}: ${they} as before`;
}

const verbs = { removed: "is removed", moved: "moves", changed: "changes" };

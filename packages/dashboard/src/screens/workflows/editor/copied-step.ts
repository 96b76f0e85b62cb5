// A step that was copied, in this browser: it can be pasted into another workflow, and another environment.
import { stepTypes } from "../../../steps/facts.gen.ts";
import { type DraftStep, newStep } from "./model.ts";

const place = "tidings.copied-step";

export type CopiedStep = { step: Omit<DraftStep, "key" | "_id">; workflow: string };

export function copyStep({ key: _key, _id, ...step }: DraftStep, workflow: string): boolean {
  try {
    localStorage.setItem(place, JSON.stringify({ step, workflow } satisfies CopiedStep));
    return true;
  } catch {
    // The storage is full or blocked.
    return false;
  }
}

export function readCopiedStep(): CopiedStep | null {
  try {
    const found = JSON.parse(localStorage.getItem(place) ?? "null") as CopiedStep | null;
    return found && stepTypes.includes(found.step.type) && typeof found.step.controlValues === "object" ? found : null;
  } catch {
    return null;
  }
}

/** With its own key, and with a name and an identifier that the workflow does not have yet. */
export function pastedStep({ step }: CopiedStep, steps: readonly DraftStep[]): DraftStep {
  const fresh = newStep(step.type, steps);
  const isTaken = steps.some(({ stepId, name }) => stepId === step.stepId || name === step.name);
  return { ...fresh, ...step, ...(isTaken && { stepId: fresh.stepId, name: fresh.name }), key: fresh.key };
}

// Steps that were copied, in this browser: they can be pasted into another workflow, and another environment. A branch
// is copied with the steps of its arms; a step that is copied alone belongs to no arm.
import { armName, readArm } from "@tidings/contract/arms";
import { identifierFrom } from "../../../fields/identifier.ts";
import { stepTypes } from "../../../steps/facts.gen.ts";
import { type DraftStep, newKey } from "../editor/model.ts";
import { withRenamed } from "./step-uses.ts";
import { findNode, insideOf, renameAwaited, treeOf } from "./tree.ts";

const place = "tidings.copied-step";

type Copy = Omit<DraftStep, "key" | "_id">;
/** `inside`: the steps of its arms. */
export type CopiedStep = { step: Copy; inside?: Copy[]; workflow: string };

const contentOf = ({ key: _key, _id, ...step }: DraftStep): Copy => step;

export function copyOf(steps: readonly DraftStep[], { key }: DraftStep, workflow: string): CopiedStep | null {
  const node = findNode(treeOf(steps), key);
  if (!node) return null;
  const { arm: _arm, ...step } = contentOf(node.step);
  const inside = insideOf(node).map(contentOf);
  return { step, ...(inside.length > 0 && { inside }), workflow };
}

export function keepCopy(copied: CopiedStep): boolean {
  try {
    localStorage.setItem(place, JSON.stringify(copied));
    return true;
  } catch {
    // The storage is full or blocked.
    return false;
  }
}

const isStep = (step: Copy | undefined): boolean =>
  step !== undefined && stepTypes.includes(step.type) && typeof step.controlValues === "object";

export function readCopy(): CopiedStep | null {
  try {
    const found = JSON.parse(localStorage.getItem(place) ?? "null") as CopiedStep | null;
    return found && isStep(found.step) && (found.inside ?? []).every(isStep) ? found : null;
  } catch {
    return null;
  }
}

/**
 * The step and what is inside it, with their own keys, and with names and identifiers that the workflow does not have
 * yet. What they say about each other follows.
 */
export function pastedSteps({ step, inside = [] }: CopiedStep, steps: readonly DraftStep[]): DraftStep[] {
  const { arm: _arm, ...first } = step;
  const taken: Pick<DraftStep, "name" | "stepId">[] = [...steps];
  const names = new Map<string, string>();
  const fresh = [first, ...inside].map((one): DraftStep => {
    const name = freeName(one, taken);
    const stepId = name === one.name ? one.stepId : identifierFrom(name);
    taken.push({ name, stepId });
    if (stepId !== one.stepId) names.set(one.stepId, stepId);
    return { ...one, key: newKey(stepId), name, stepId };
  });
  const placed = fresh.map((one) => {
    if (one.arm === undefined) return one;
    const { branch, arm } = readArm(one.arm);
    return { ...one, arm: armName(names.get(branch) ?? branch, arm) };
  });
  return renameAwaited(withRenamed(placed, names), names);
}

function freeName({ name, stepId }: Copy, taken: readonly Pick<DraftStep, "name" | "stepId">[]): string {
  const isTaken = (one: string, id: string) => taken.some((other) => other.name === one || other.stepId === id);
  if (!isTaken(name, stepId)) return name;
  const base = name.replace(/ \d+$/, "").slice(0, 80) || stepId;
  let count = 2;
  while (isTaken(`${base} ${count}`, identifierFrom(`${base} ${count}`))) count++;
  return `${base} ${count}`;
}

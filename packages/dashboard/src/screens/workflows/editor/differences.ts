// What differs between two states of a workflow, in the form that the service uses for versions; and two people's
// changes put together. Steps are matched by their keys. Pure.
import type { ChangedField, StepChange } from "@tidings/contract";
import type { Differences } from "../../../drafts/differences.ts";
import { isSame } from "../../../kit/is-same.ts";
import { inOrder } from "../flow/tree.ts";
import type { Draft, DraftStep, Values } from "./model.ts";

type Fields = Record<string, unknown>;

function settingsOf({ steps, ...settings }: Draft): Fields {
  return settings;
}

/** Control values one by one, so that a changed subject does not hide in a changed step. */
function fieldsOf({ key, _id, controlValues, type, ...rest }: DraftStep): Fields {
  const values = Object.entries(controlValues).map(([name, value]) => [`controlValues.${name}`, value] as const);
  return { ...rest, ...Object.fromEntries(values) };
}

function changedFields(before: Fields, after: Fields): ChangedField[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((field) => !isSame(before[field], after[field]))
    .map((field) => ({ field, before: before[field] ?? null, after: after[field] ?? null }));
}

/** Keys of the steps that both have, in the order of the first. */
const shared = (one: Draft, other: Draft): string[] => {
  const keys = new Set(other.steps.map(({ key }) => key));
  return one.steps.map(({ key }) => key).filter((key) => keys.has(key));
};

export function differencesOf(before: Draft, after: Draft): Differences {
  const oldOrder = shared(before, after);
  const newOrder = shared(after, before);
  const indexOf = (steps: readonly DraftStep[], key: string) => steps.findIndex((step) => step.key === key);
  const kept = after.steps.flatMap((step, toIndex): StepChange[] => {
    const head = { stepId: step.stepId, name: step.name, type: step.type, toIndex };
    const fromIndex = indexOf(before.steps, step.key);
    const old = before.steps[fromIndex];
    if (!old) return [{ kind: "added", ...head, hasMoved: false, fields: changedFields({}, fieldsOf(step)) }];
    const hasMoved = oldOrder.indexOf(step.key) !== newOrder.indexOf(step.key);
    const fields = changedFields(fieldsOf(old), fieldsOf(step));
    if (fields.length === 0 && !hasMoved) return [];
    return [{ kind: fields.length > 0 ? "changed" : "moved", ...head, fromIndex, hasMoved, fields }];
  });
  const removed = before.steps.flatMap(({ key, stepId, name, type }, fromIndex): StepChange[] =>
    indexOf(after.steps, key) >= 0
      ? []
      : [{ kind: "removed", stepId, name, type, fromIndex, hasMoved: false, fields: [] }],
  );
  return { settings: changedFields(settingsOf(before), settingsOf(after)), steps: [...kept, ...removed] };
}

/**
 * Both changes of a common base. `clashes` names what both changed differently; there the draft has mine. A step that
 * one removed and the other changed is a clash too, and stays.
 */
export function mergeDrafts(base: Draft, mine: Draft, theirs: Draft): { draft: Draft; clashes: string[] } {
  const clashes: string[] = [];
  const mergeFields = (old: Fields, own: Fields, other: Fields, where: string): Fields => {
    const merged: Fields = {};
    for (const name of new Set([...Object.keys(own), ...Object.keys(other), ...Object.keys(old)])) {
      const isMine = !isSame(own[name], old[name]);
      const isTheirs = !isSame(other[name], old[name]);
      if (isMine && isTheirs && !isSame(own[name], other[name])) clashes.push(`${where}${name}`);
      const value = isMine ? own[name] : other[name];
      if (value !== undefined) merged[name] = value;
    }
    return merged;
  };
  const find = ({ steps }: Draft, key: string) => steps.find((step) => step.key === key);
  const mergeStep = (key: string): DraftStep | undefined => {
    const [old, own, other] = [find(base, key), find(mine, key), find(theirs, key)];
    if (own && other)
      return joinStep(mergeFields(partsOf(old ?? other), partsOf(own), partsOf(other), `${own.name}: `));
    const left = own ?? other;
    if (!left || !old) return left;
    if (isSame(left, old)) return undefined;
    clashes.push(left.name);
    return left;
  };
  // The order of the one who changed it; new steps of the other come behind the step that they followed.
  const hasMoved =
    !isSame(shared(base, mine), shared(mine, base)) || !isSame(shared(theirs, mine), shared(mine, theirs));
  const [first, second] =
    hasMoved && isSame(shared(base, theirs), shared(theirs, base)) ? [mine, theirs] : [theirs, mine];
  const order = first.steps.map(({ key }) => key);
  for (const [index, { key }] of second.steps.entries()) {
    if (order.includes(key)) continue;
    const before = second.steps[index - 1]?.key;
    order.splice(before === undefined ? 0 : order.indexOf(before) + 1, 0, key);
  }
  const settings = mergeFields(settingsOf(base), settingsOf(mine), settingsOf(theirs), "");
  // One may have removed the branch that the other put a step into.
  const steps = inOrder(order.flatMap((key) => mergeStep(key) ?? []));
  return { draft: { ...(settings as Omit<Draft, "steps">), steps }, clashes };
}

function partsOf({ controlValues, ...rest }: DraftStep): Fields {
  const values = Object.entries(controlValues).map(([name, value]) => [`controlValues.${name}`, value] as const);
  return { ...rest, ...Object.fromEntries(values) };
}

function joinStep(parts: Fields): DraftStep {
  const own: Fields = {};
  const controlValues: Values = {};
  for (const [name, value] of Object.entries(parts)) {
    if (name.startsWith("controlValues.")) controlValues[name.slice("controlValues.".length)] = value;
    else own[name] = value;
  }
  return { ...own, controlValues } as DraftStep;
}

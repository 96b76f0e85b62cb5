// The steps of a workflow as a tree: a branch has arms, and an arm has steps. The wire has a flat list, in which a step
// names its arm; these functions change that list by its tree, so that every place stays one that the service accepts.
// Pure.
import { armName, armsOf, elseArm, maxArmDepth, readArm } from "@tidings/contract/arms";
import type { DraftStep } from "../editor/model.ts";
import { words } from "./words.ts";

export type StepNode = { step: DraftStep; arms: ArmNode[] };
/** `path`: as a step names the arm, `<stepId of the branch>/<id of the arm>`. */
export type ArmNode = { id: string; name: string; path: string; nodes: StepNode[] };

/** In this arm, or outside of all, before the step with this key; without one at the end. */
export type Place = { arm: string | undefined; before: string | undefined };

type Steps = readonly DraftStep[];

/** The arms of a branch, else included, without steps. Other steps have none. */
function armNodes(step: DraftStep): ArmNode[] {
  if (step.type !== "branch") return [];
  const given = armsOf(step).filter(({ id }) => id !== elseArm);
  return [...given, { id: elseArm, name: words.else }].map(({ id, name }) => ({
    id,
    name: name || id,
    path: armName(step.stepId, id),
    nodes: [],
  }));
}

/** The condition of an arm; undefined while it has none. */
export function armRule(branch: DraftStep, armId: string): Record<string, unknown> | undefined {
  const rule = armsOf(branch).find(({ id }) => id === armId)?.condition;
  return typeof rule === "object" && rule !== null && Object.keys(rule).length > 0
    ? (rule as Record<string, unknown>)
    : undefined;
}

/** A step in an arm that does not exist is outside of all. */
export function treeOf(steps: Steps): StepNode[] {
  const top: StepNode[] = [];
  const branches = new Map<string, StepNode>();
  for (const step of steps) {
    const node = { step, arms: armNodes(step) };
    const { branch, arm } = readArm(step.arm ?? "");
    const inside = branches.get(branch)?.arms.find(({ id }) => id === arm)?.nodes ?? top;
    inside.push(node);
    if (step.type === "branch") branches.set(step.stepId, node);
  }
  return top;
}

/** Arms in the order that their branch has them in. A step that keeps its place is the same object. */
function listOf(nodes: readonly StepNode[], arm?: string): DraftStep[] {
  return nodes.flatMap(({ step, arms }) => [
    placed(step, arm),
    ...arms.flatMap(({ id, nodes: inside }) => listOf(inside, armName(step.stepId, id))),
  ]);
}

function placed(step: DraftStep, arm: string | undefined): DraftStep {
  if (step.arm === arm) return step;
  const { arm: _old, ...rest } = step;
  return arm === undefined ? rest : { ...rest, arm };
}

/** Steps in an order that the service accepts. */
export const inOrder = (steps: Steps): DraftStep[] => listOf(treeOf(steps));

/** All steps of a tree, those of arms included. */
export const stepsIn = (nodes: readonly StepNode[]): DraftStep[] =>
  nodes.flatMap(({ step, arms }) => [step, ...arms.flatMap(({ nodes: inside }) => stepsIn(inside))]);

export const insideOf = ({ arms }: StepNode): DraftStep[] => arms.flatMap(({ nodes }) => stepsIn(nodes));

export function findNode(nodes: readonly StepNode[], key: string): StepNode | undefined {
  for (const node of nodes) {
    const found =
      node.step.key === key
        ? node
        : findNode(
            node.arms.flatMap((arm) => arm.nodes),
            key,
          );
    if (found) return found;
  }
  return undefined;
}

/** The list of nodes in every arm, and outside of all, changed. */
function mapLists(nodes: readonly StepNode[], change: (list: StepNode[], arm?: string) => StepNode[]): StepNode[] {
  const walk = (list: readonly StepNode[], arm?: string): StepNode[] =>
    change(
      list.map(({ step, arms }) => ({ step, arms: arms.map((one) => ({ ...one, nodes: walk(one.nodes, one.path) })) })),
      arm,
    );
  return walk(nodes);
}

const insertNodes = (nodes: readonly StepNode[], place: Place, added: readonly StepNode[]): StepNode[] =>
  mapLists(nodes, (list, arm) => {
    if (arm !== place.arm) return list;
    const at = list.findIndex(({ step }) => step.key === place.before);
    return list.toSpliced(at < 0 ? list.length : at, 0, ...added);
  });

const withoutNode = (nodes: readonly StepNode[], key: string): StepNode[] =>
  mapLists(nodes, (list) => list.filter(({ step }) => step.key !== key));

/** Arms around the steps of an arm. */
function depthOf(nodes: readonly StepNode[], place: Place): number {
  const find = (list: readonly StepNode[], depth: number): number => {
    for (const arm of list.flatMap(({ arms }) => arms)) {
      if (arm.path === place.arm) return depth + 1;
      const found = find(arm.nodes, depth + 1);
      if (found > 0) return found;
    }
    return 0;
  };
  return place.arm === undefined ? 0 : find(nodes, 0);
}

/** Arms inside each other, within this step. */
const heightOf = ({ arms }: StepNode): number =>
  Math.max(0, ...arms.flatMap(({ nodes }) => nodes.map((node) => 1 + heightOf(node))));

const fits = (nodes: readonly StepNode[], place: Place, added: readonly StepNode[]): boolean =>
  added.every((node) => depthOf(nodes, place) + heightOf(node) <= maxArmDepth);

/** Whether a step can be added there: branches are inside each other so deep and no deeper. */
export const hasRoom = (steps: Steps, place: Place): boolean => depthOf(treeOf(steps), place) <= maxArmDepth;

/** `added`: steps with places among themselves, such as a branch with the steps of its arms. Null: too deep. */
export function insertSteps(steps: Steps, place: Place, added: Steps): DraftStep[] | null {
  const nodes = treeOf(steps);
  const group = treeOf(added);
  return fits(nodes, place, group) ? listOf(insertNodes(nodes, place, group)) : null;
}

export function placeOf(steps: Steps, key: string): Place | undefined {
  let found: Place | undefined;
  mapLists(treeOf(steps), (list, arm) => {
    const at = list.findIndex(({ step }) => step.key === key);
    if (at >= 0) found = { arm, before: list[at + 1]?.step.key };
    return list;
  });
  return found;
}

/** The step with all that is inside it. Null: it cannot be there. */
export function moveStep(steps: Steps, key: string, place: Place): DraftStep[] | null {
  const nodes = treeOf(steps);
  const node = findNode(nodes, key);
  if (!node || place.before === key) return null;
  const isInside = insideOf(node).some((step) => step.key === place.before) || hasArm(node, place.arm);
  if (isInside) return null;
  const rest = withoutNode(nodes, key);
  return fits(rest, place, [node]) ? listOf(insertNodes(rest, place, [node])) : null;
}

const hasArm = ({ arms }: StepNode, path: string | undefined): boolean =>
  path !== undefined && arms.some((arm) => arm.path === path || arm.nodes.some((node) => hasArm(node, path)));

/** Every place of a tree, in the order in which it is read. */
function placesIn(nodes: readonly StepNode[], arm?: string): Place[] {
  return [
    ...nodes.flatMap(({ step, arms }): Place[] => [
      { arm, before: step.key },
      ...arms.flatMap(({ path, nodes: inside }) => placesIn(inside, path)),
    ]),
    { arm, before: undefined },
  ];
}

/** The next place above or below that can hold the step: into an arm, along it, and out of it. */
export function nextPlace(steps: Steps, key: string, way: 1 | -1): Place | undefined {
  const nodes = treeOf(steps);
  const node = findNode(nodes, key);
  const here = placeOf(steps, key);
  if (!node || !here) return undefined;
  const rest = withoutNode(nodes, key);
  const places = placesIn(rest).filter((place) => fits(rest, place, [node]));
  const at = places.findIndex(({ arm, before }) => arm === here.arm && before === here.before);
  return places[at + way];
}

/** What happens to the steps inside a branch that is removed. */
export type Fate = "removed" | "kept";

export const removeStep = (steps: Steps, key: string, fate: Fate = "removed"): DraftStep[] =>
  listOf(
    mapLists(treeOf(steps), (list) =>
      list.flatMap((node) => {
        if (node.step.key !== key) return [node];
        return fate === "kept" ? node.arms.flatMap(({ nodes }) => nodes) : [];
      }),
    ),
  );

export type ArmChange = {
  values: DraftStep["controlValues"];
  /** What happens to the steps of arms that are gone: they are removed with them, or move to the arm else. */
  fate?: Fate;
  /** The arm that has another id now. */
  renamed?: { from: string; to: string };
};

/** A branch with other values; the steps of its arms follow. */
export function changeArms(steps: Steps, key: string, { values, fate, renamed }: ArmChange): DraftStep[] {
  return listOf(
    mapLists(treeOf(steps), (list) =>
      list.map((node) => {
        if (node.step.key !== key) return node;
        const step = { ...node.step, controlValues: values };
        const arms = armNodes(step);
        for (const { id, nodes } of node.arms) {
          const now = id === renamed?.from ? renamed.to : id;
          const kept = arms.find((arm) => arm.id === now) ?? (fate === "kept" ? arms.at(-1) : undefined);
          kept?.nodes.push(...nodes);
        }
        return { step, arms };
      }),
    ),
  );
}

/** With another identifier, which the steps of its arms and the waits for its message name from then on. */
export function renameStep(steps: Steps, key: string, stepId: string): DraftStep[] {
  const old = steps.find((step) => step.key === key)?.stepId;
  const renamed = mapLists(treeOf(steps), (list) =>
    list.map((node) => (node.step.key === key ? { ...node, step: { ...node.step, stepId } } : node)),
  );
  return old === undefined ? [...steps] : renameAwaited(listOf(renamed), new Map([[old, stepId]]));
}

/** Waits name the step whose message they watch. */
export const renameAwaited = (steps: Steps, names: ReadonlyMap<string, string>): DraftStep[] =>
  steps.map((step) => {
    const message = step.controlValues.message as { stepId?: unknown } | undefined;
    const next = step.type === "wait" ? names.get(String(message?.stepId ?? "")) : undefined;
    return next === undefined
      ? step
      : { ...step, controlValues: { ...step.controlValues, message: { ...message, stepId: next } } };
  });

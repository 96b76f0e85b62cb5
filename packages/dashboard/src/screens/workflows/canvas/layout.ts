// Where the boxes of the canvas are, and the lines between them: the arms of a branch side by side, or below each other
// where there is no room, with lines that join again behind them. Pure.
import type { DraftStep } from "../editor/model.ts";
import type { ArmNode, Place, StepNode } from "../flow/tree.ts";

export const boxWidth = 220;
const stepGap = 90;
const smallGap = 56;
const columnGap = 28;
/** How far an arm is to the right of its branch, where arms are below each other. */
const indent = 22;

export type Box = { id: string; x: number; y: number } & (
  | { kind: "start" | "join" }
  | { kind: "end"; place: Place }
  | { kind: "step"; step: DraftStep; place: Place }
  | { kind: "arm"; arm: ArmNode; branch: DraftStep }
  | { kind: "add"; arm: ArmNode; branch: DraftStep }
);
/** `isSide`: drawn along the left or the right of the boxes. `isEnd`: of an arm, where it joins the others. */
type Line = { from: string; to: string; isSide: boolean; isEnd?: boolean; step?: DraftStep };

type Drawing = { boxes: Box[]; lines: Line[] };
export type Settings = {
  /** Below each other. */
  isStacked: boolean;
  /** The arms have a box that adds a step. */
  canAdd: (arm: ArmNode) => boolean;
};

const widthOf = (nodes: readonly StepNode[]): number =>
  Math.max(
    boxWidth,
    ...nodes.map(({ arms }) => arms.reduce((sum, arm) => sum + widthOf(arm.nodes) + columnGap, -columnGap)),
  );

export function drawSteps(nodes: readonly StepNode[], settings: Settings): Drawing {
  const drawing: Drawing = { boxes: [{ id: "start", kind: "start", x: 0, y: 0 }], lines: [] };
  const { y, last } = drawList({ nodes, arm: undefined, x: 0, y: stepGap, last: "start" }, drawing, settings);
  drawing.boxes.push({ id: "end", kind: "end", place: { arm: undefined, before: undefined }, x: 0, y });
  drawing.lines.push({ from: last, to: "end", isSide: false });
  return drawing;
}

type List = { nodes: readonly StepNode[]; arm: string | undefined; x: number; y: number; last: string };

/** Draws steps below each other, and returns where the next one comes. `x`: of the left edge. */
function drawList(list: List, drawing: Drawing, settings: Settings): Pick<List, "y" | "last"> {
  const { nodes, arm, x } = list;
  let { y, last } = list;
  for (const node of nodes) {
    const { step, arms } = node;
    drawing.boxes.push({ id: step.key, kind: "step", step, place: { arm, before: step.key }, x, y });
    drawing.lines.push({ from: last, to: step.key, isSide: false, step });
    y += stepGap;
    last = step.key;
    if (arms.length > 0) ({ y, last } = drawArms(node, { x, y }, drawing, settings));
  }
  return { y, last };
}

function drawArms(
  { step, arms }: StepNode,
  start: { x: number; y: number },
  drawing: Drawing,
  settings: Settings,
): Pick<List, "y" | "last"> {
  const { isStacked, canAdd } = settings;
  const width = widthOf([{ step, arms }]);
  let left = start.x + boxWidth / 2 - width / 2;
  let { y } = start;
  let lowest = y;
  const ends: string[] = [];
  for (const arm of arms) {
    const wide = widthOf(arm.nodes);
    const x = isStacked ? start.x + indent : left + wide / 2 - boxWidth / 2;
    const head = `arm ${arm.path}`;
    drawing.boxes.push({ id: head, kind: "arm", arm, branch: step, x, y });
    drawing.lines.push({ from: step.key, to: head, isSide: isStacked });
    let end = drawList({ nodes: arm.nodes, arm: arm.path, x, y: y + smallGap, last: head }, drawing, settings);
    if (canAdd(arm)) {
      const id = `add ${arm.path}`;
      drawing.boxes.push({ id, kind: "add", arm, branch: step, x, y: end.y });
      drawing.lines.push({ from: end.last, to: id, isSide: false });
      end = { y: end.y + smallGap, last: id };
    }
    ends.push(end.last);
    lowest = Math.max(lowest, end.y);
    left += wide + columnGap;
    if (isStacked) y = end.y;
  }
  const join = `join ${step.key}`;
  drawing.boxes.push({ id: join, kind: "join", x: start.x, y: lowest });
  drawing.lines.push(...ends.map((from) => ({ from, to: join, isSide: isStacked, isEnd: true })));
  return { y: lowest + smallGap / 2, last: join };
}

// The workflow as a diagram. The outline next to it offers the same by keyboard; both share the chosen step.
import {
  Background,
  Controls,
  type Edge,
  Handle,
  type Node,
  type NodeProps,
  NodeToolbar,
  Position,
  ReactFlow,
  type Rect,
  type Viewport,
} from "@xyflow/react";
import { createContext, useContext, useMemo, useRef, useSyncExternalStore } from "react";
import { Icon } from "../../../icons.tsx";
import { Button, IconButton } from "../../../kit/inputs/button.tsx";
import { stepIcons } from "../../../outcomes/tones.ts";
import { maxSteps } from "../../../steps/facts.gen.ts";
import { type DraftStep, unsavedId } from "../editor/model.ts";
import type { Editor } from "../editor/use-editor.ts";
import { words } from "../editor/words.ts";
import { hasRoom, type Place, treeOf } from "../flow/tree.ts";
import { AddStep } from "../outline/add-step.tsx";
import { ArmSentence } from "../outline/arm-sentence.tsx";
import { RemoveBranch } from "../outline/remove-branch.tsx";
import { type StepActions, useStepActions } from "../outline/use-step-actions.ts";
import { isConditional, summarizeStep } from "../step/summary.ts";
import css from "./canvas.module.css";
import { type Box, boxWidth, drawSteps } from "./layout.ts";

type CanvasProps = { editor: Editor; selected: DraftStep | undefined; onOpen: () => void };
type BoxOf<K extends Box["kind"]> = Node<Extract<Box, { kind: K }>, K>;

type Shared = { actions: StepActions; editor: Editor; selectedKey: string | undefined };
const SharedContext = createContext<Shared | null>(null);
const useShared = (): Shared => useContext(SharedContext)!;

const say = words.outline;

const narrow = matchMedia("(max-width: 48rem)");
const listenToWidth = (listener: () => void) => {
  narrow.addEventListener("change", listener);
  return () => narrow.removeEventListener("change", listener);
};

export function Canvas({ editor, selected, onOpen }: CanvasProps) {
  const actions = useStepActions(editor, onOpen);
  const { steps } = editor.draft;
  const { isReadOnly } = editor;
  const isStacked = useSyncExternalStore(listenToWidth, () => narrow.matches);
  const { nodes, edges } = useMemo(() => draw(steps, isStacked, isReadOnly), [steps, isStacked, isReadOnly]);
  const box = useRef<HTMLElement>(null);
  return (
    <SharedContext.Provider value={{ actions, editor, selectedKey: selected?.key }}>
      <section ref={box} className={css.canvas} aria-label={say.label}>
        <ReactFlow
          key={String(isStacked)}
          nodes={nodes}
          edges={edges}
          nodeTypes={nodeTypes}
          onInit={(flow) => void flow.setViewport(firstView(flow.getNodesBounds(nodes), box.current!))}
          minZoom={0.2}
          maxZoom={1.5}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          panOnScroll
          preventScrolling={false}
          zoomOnDoubleClick={false}
          deleteKeyCode={null}
          proOptions={{ hideAttribution: false }}
        >
          <Background gap={18} color="var(--line)" />
          <Controls showInteractive={false} />
        </ReactFlow>
        <p className="visually-hidden" role="status">
          {actions.told}
        </p>
        <RemoveBranch actions={actions} />
      </section>
    </SharedContext.Provider>
  );
}

const margin = 14;
/** Below this, names cannot be read: what is larger is seen from its beginning. */
const minReadableZoom = 0.5;

/** All of it where that can be read, in the middle, else its upper part. */
function firstView({ x, y, width, height }: Rect, { clientWidth, clientHeight }: HTMLElement): Viewport {
  const fitting = Math.min((clientWidth - 2 * margin) / width, (clientHeight - 2 * margin) / height);
  const zoom = Math.min(1, Math.max(minReadableZoom, fitting));
  const room = clientHeight - height * zoom;
  return { x: (clientWidth - width * zoom) / 2 - x * zoom, y: Math.max(margin, room / 2) - y * zoom, zoom };
}

function draw(steps: readonly DraftStep[], isStacked: boolean, isReadOnly: boolean): { nodes: Node[]; edges: Edge[] } {
  const canAdd = ({ path }: { path: string }) =>
    !isReadOnly && steps.length < maxSteps && hasRoom(steps, { arm: path, before: undefined });
  const { boxes, lines } = drawSteps(treeOf(steps), { isStacked, canAdd });
  return {
    nodes: boxes.map((box) => ({
      id: box.id,
      type: box.kind,
      position: { x: box.x, y: box.y },
      width: boxWidth,
      data: box,
    })),
    edges: lines.map(({ from, to, isSide, isEnd, step }) => ({
      id: `${from} ${to}`,
      source: from,
      target: to,
      type: "smoothstep",
      // The end of an arm goes straight down, so that its line crosses no box of another arm.
      pathOptions: { borderRadius: 8, offset: 14, ...(isEnd && !isSide && { stepPosition: 1 }) },
      ...(isSide && { sourceHandle: "side", targetHandle: "side" }),
      ...(step && isConditional(step) && { label: say.conditional, style: { strokeDasharray: "4 4" } }),
    })),
  };
}

/** Lines begin below a box and end above it, those of arms below each other at its sides. */
const Ends = ({ hasTarget = true, hasSource = true, sideOut = Position.Right, sideIn = Position.Left }) => (
  <>
    {hasTarget && <Handle type="target" position={Position.Top} isConnectable={false} />}
    {hasTarget && <Handle type="target" id="side" position={sideIn} isConnectable={false} />}
    {hasSource && <Handle type="source" position={Position.Bottom} isConnectable={false} />}
    {hasSource && (
      <Handle
        type="source"
        id="side"
        position={sideOut}
        isConnectable={false}
        style={sideOut === Position.Bottom ? { left: 10 } : undefined}
      />
    )}
  </>
);

function StartBox() {
  const { editor } = useShared();
  return (
    <div className={css.end}>
      <Ends hasTarget={false} />
      <Icon name="zap" size={14} />
      {editor.workflow._id === unsavedId ? say.broadcast : say.start}
    </div>
  );
}

function EndBox({ data: { place } }: NodeProps<BoxOf<"end">>) {
  const { editor } = useShared();
  return (
    <div className={css.end}>
      <Ends hasSource={false} />
      {editor.isReadOnly ? say.end : <Adder place={place} />}
    </div>
  );
}

type AdderProps = { place: Place; label?: string };

function Adder({ place, label }: AdderProps) {
  const { actions } = useShared();
  return (
    // Elsewhere, the drawing takes the press of the mouse and moves.
    <span className="nopan">
      <AddStep
        trigger={
          <Button size="small" icon="plus" aria-label={label}>
            {say.add}
          </Button>
        }
        onAdd={(type) => actions.add(type, place)}
        onPaste={(copied) => actions.paste(copied, place)}
      />
    </span>
  );
}

const ArmBox = ({ data: { arm, branch } }: NodeProps<BoxOf<"arm">>) => (
  <div className={css.arm}>
    <Ends />
    <ArmSentence arm={arm} branch={branch} />
  </div>
);

const AddBox = ({ data: { arm, branch } }: NodeProps<BoxOf<"add">>) => (
  <div className={css.end}>
    <Ends />
    <Adder place={{ arm: arm.path, before: undefined }} label={say.addTo(arm.name, branch.name)} />
  </div>
);

const JoinBox = () => (
  <div className={css.join}>
    <Ends sideIn={Position.Right} />
    <span />
  </div>
);

function StepBox({ data: { step, place } }: NodeProps<BoxOf<"step">>) {
  const { actions, editor, selectedKey } = useShared();
  const isSelected = step.key === selectedKey;
  const issues = editor.issues.countOf(step.key);
  const number = editor.draft.steps.findIndex(({ key }) => key === step.key) + 1;
  return (
    <div className={css.box} data-selected={isSelected} data-off={!step.active}>
      <Ends sideOut={step.type === "branch" ? Position.Bottom : Position.Right} />
      <button
        type="button"
        className={css.open}
        aria-current={isSelected ? "step" : undefined}
        onClick={() => editor.select(step.stepId)}
      >
        <span className={css.icon}>
          <Icon name={stepIcons[step.type]} size={15} />
        </span>
        <span className={css.text}>
          <strong>{step.name}</strong>
          <span>{summarizeStep(step)}</span>
        </span>
        {issues > 0 && (
          <span className={css.issues} title={words.issueCount(issues)}>
            <Icon name="alert" size={14} />
          </span>
        )}
      </button>
      {/* Outside of the drawing, so that its buttons keep their size when that is zoomed out. */}
      {isSelected && !editor.isReadOnly && (
        <NodeToolbar isVisible position={Position.Right} align="start" offset={5} className={css.tools}>
          <IconButton
            label={say.up}
            icon="arrowUp"
            size="small"
            disabled={!actions.canShift(step, -1)}
            onClick={() => actions.shift(step, -1)}
          />
          <IconButton
            label={say.down}
            icon="arrowDown"
            size="small"
            disabled={!actions.canShift(step, 1)}
            onClick={() => actions.shift(step, 1)}
          />
          <AddStep
            trigger={<IconButton label={say.addAt(number)} icon="plus" size="small" />}
            onAdd={(type) => actions.add(type, place)}
            onPaste={(copied) => actions.paste(copied, place)}
          />
          <IconButton label={say.duplicate} icon="copyPlus" size="small" onClick={() => actions.duplicate(step)} />
          <IconButton label={say.remove} icon="trash" size="small" onClick={() => actions.remove(step)} />
        </NodeToolbar>
      )}
    </div>
  );
}

const nodeTypes = { start: StartBox, end: EndBox, step: StepBox, arm: ArmBox, add: AddBox, join: JoinBox };

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
} from "@xyflow/react";
import { createContext, useContext, useMemo } from "react";
import { Icon } from "../../../icons.tsx";
import { Button, IconButton } from "../../../kit/inputs/button.tsx";
import { stepIcons } from "../../../outcomes/tones.ts";
import { AddStep } from "../editor/add-step.tsx";
import type { DraftStep } from "../editor/model.ts";
import type { Editor } from "../editor/use-editor.ts";
import { type StepActions, useStepActions } from "../editor/use-step-actions.ts";
import { words } from "../editor/words.ts";
import { isConditional, summarizeStep } from "../step/summary.ts";
import css from "./canvas.module.css";

type CanvasProps = { editor: Editor; selected: DraftStep | undefined; onOpen: () => void };
type StepNode = Node<{ step: DraftStep; index: number; count: number }, "step">;
type EndNode = Node<{ index: number }, "start" | "end">;

type Shared = { actions: StepActions; editor: Editor; selectedKey: string | undefined };
const SharedContext = createContext<Shared | null>(null);
const useShared = (): Shared => useContext(SharedContext)!;

const width = 240;
const gap = 90;
const say = words.outline;

export function Canvas({ editor, selected, onOpen }: CanvasProps) {
  const actions = useStepActions(editor, onOpen);
  const { steps } = editor.draft;
  const { nodes, edges } = useMemo(() => draw(steps), [steps]);
  return (
    <SharedContext.Provider value={{ actions, editor, selectedKey: selected?.key }}>
      <section className={css.canvas} aria-label={say.label}>
        <ReactFlow
          nodes={nodes}
          edges={edges}
          nodeTypes={nodeTypes}
          fitView
          fitViewOptions={{ maxZoom: 1, padding: 0.05 }}
          minZoom={0.3}
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
      </section>
    </SharedContext.Provider>
  );
}

function draw(steps: readonly DraftStep[]): { nodes: (StepNode | EndNode)[]; edges: Edge[] } {
  const ids = ["start", ...steps.map(({ key }) => key), "end"];
  const at = (index: number) => ({ x: 0, y: index * gap });
  return {
    nodes: [
      { id: "start", type: "start", position: at(0), width, data: { index: 0 } },
      ...steps.map(
        (step, index): StepNode => ({
          id: step.key,
          type: "step",
          position: at(index + 1),
          width,
          data: { step, index, count: steps.length },
        }),
      ),
      { id: "end", type: "end", position: at(steps.length + 1), width, data: { index: steps.length } },
    ],
    edges: ids.slice(1).map((target, index) => {
      const step = steps[index];
      const isMaybe = step !== undefined && isConditional(step);
      return {
        id: `${ids[index]} ${target}`,
        source: ids[index]!,
        target,
        ...(isMaybe && { label: say.conditional, style: { strokeDasharray: "4 4" } }),
      };
    }),
  };
}

const Ends = ({ hasTarget = true, hasSource = true }) => (
  <>
    {hasTarget && <Handle type="target" position={Position.Top} isConnectable={false} />}
    {hasSource && <Handle type="source" position={Position.Bottom} isConnectable={false} />}
  </>
);

const StartBox = () => (
  <div className={css.end}>
    <Ends hasTarget={false} />
    <Icon name="zap" size={14} />
    {say.start}
  </div>
);

function EndBox({ data: { index } }: NodeProps<EndNode>) {
  const { actions, editor } = useShared();
  return (
    <div className={css.end}>
      <Ends hasSource={false} />
      {editor.isReadOnly ? (
        say.end
      ) : (
        <AddStep
          trigger={
            <Button size="small" icon="plus">
              {say.add}
            </Button>
          }
          onAdd={(type) => actions.add(type, index)}
          onPaste={(copied) => actions.paste(copied, index)}
        />
      )}
    </div>
  );
}

function StepBox({ data: { step, index, count } }: NodeProps<StepNode>) {
  const { actions, editor, selectedKey } = useShared();
  const isSelected = step.key === selectedKey;
  const issues = editor.issues.countOf(step.key);
  return (
    <div className={css.box} data-selected={isSelected} data-off={!step.active}>
      <Ends />
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
            disabled={index === 0}
            onClick={() => actions.move(index, index - 1)}
          />
          <IconButton
            label={say.down}
            icon="arrowDown"
            size="small"
            disabled={index === count - 1}
            onClick={() => actions.move(index, index + 1)}
          />
          <AddStep
            trigger={<IconButton label={say.addAt(index + 1)} icon="plus" size="small" />}
            onAdd={(type) => actions.add(type, index)}
            onPaste={(copied) => actions.paste(copied, index)}
          />
          <IconButton label={say.remove} icon="trash" size="small" onClick={() => actions.remove(index)} />
        </NodeToolbar>
      )}
    </div>
  );
}

const nodeTypes = { start: StartBox, end: EndBox, step: StepBox };

// The steps: outline or canvas, the form of the chosen step, and its preview.
import { lazy, type RefObject, Suspense, useRef, useState } from "react";
import { classNames } from "../../../kit/class-names.ts";
import { EmptyState, Skeleton } from "../../../kit/feedback/states.tsx";
import { IconButton } from "../../../kit/inputs/button.tsx";
import { Segments } from "../../../kit/inputs/segments.tsx";
import { Outline } from "../outline/outline.tsx";
import { useStepActions } from "../outline/use-step-actions.ts";
import { PreviewPane } from "../preview/preview-pane.tsx";
import { useKnowledge } from "../preview/use-knowledge.ts";
import { usePreview } from "../preview/use-preview.ts";
import type { Sample } from "../preview/use-sample.ts";
import { StepForm } from "../step/step-form.tsx";
import { servedVariables, useNames } from "../step/use-names.ts";
import css from "./editor.module.css";
import { type DraftStep, unsavedId } from "./model.ts";
import { Split } from "./split.tsx";
import { broadcastStarters, starters } from "./starters.ts";
import type { Editor } from "./use-editor.ts";
import { useFolded } from "./use-folded.ts";
import { words } from "./words.ts";

const Canvas = lazy(() => import("../canvas/canvas.tsx").then((module) => ({ default: module.Canvas })));

type StepsTabProps = {
  editor: Editor;
  sample: Sample;
  stepId: string | undefined;
  view: "canvas" | undefined;
  onView: (view: "canvas" | undefined) => void;
};

export function StepsTab({ editor, sample, stepId, view, onView }: StepsTabProps) {
  const { steps } = editor.draft;
  const index = Math.max(
    0,
    steps.findIndex((step) => step.stepId === stepId || step._id === stepId),
  );
  const selected = steps[index];
  const form = useRef<HTMLDivElement>(null);
  // The form of a step that was just added exists after the next paint.
  const focusForm = () =>
    requestAnimationFrame(() =>
      form.current?.querySelector<HTMLElement>("input, textarea, button, [tabindex]")?.focus(),
    );
  const isMail = selected?.type === "email" && view !== "canvas";
  const [isFolded, setFolded] = useFolded();
  return (
    <div
      className={classNames(css.columns, view === "canvas" && css.withCanvas, isMail && css.withMail)}
      data-folded={isMail && isFolded}
    >
      <div className={css.left}>
        <div className={css.leftBar}>
          <div className={css.viewSwitch}>
            <Segments
              label={words.outline.view}
              value={view ?? "outline"}
              choices={{ outline: words.outline.asOutline, canvas: words.outline.asCanvas }}
              onChoose={(chosen) => onView(chosen === "canvas" ? chosen : undefined)}
            />
          </div>
          {isMail && (
            <span className={css.fold}>
              <IconButton
                label={isFolded ? words.outline.unfold : words.outline.fold}
                icon={isFolded ? "chevronRight" : "arrowLeft"}
                size="small"
                aria-expanded={!isFolded}
                onClick={() => setFolded(!isFolded)}
              />
            </span>
          )}
        </div>
        {view === "canvas" ? (
          <Suspense fallback={<Skeleton />}>
            <Canvas editor={editor} selected={selected} onOpen={focusForm} />
          </Suspense>
        ) : (
          <Outline editor={editor} selected={selected} onOpen={focusForm} />
        )}
      </div>
      {selected ? (
        <StepPanes key={selected.key} editor={editor} step={selected} sample={sample} form={form} isMail={isMail} />
      ) : (
        <div className={css.none}>
          <EmptyState
            icon="workflow"
            title={words.outline.none}
            text={words.outline.noneText}
            action={!editor.isReadOnly && <Starters editor={editor} onStarted={focusForm} />}
          />
        </div>
      )}
    </div>
  );
}

function Starters({ editor, onStarted }: { editor: Editor; onStarted: () => void }) {
  const { start } = useStepActions(editor, onStarted);
  return (
    <ul className={css.starters}>
      {(editor.workflow._id === unsavedId ? broadcastStarters : starters).map((starter) => (
        <li key={starter.id}>
          <button type="button" onClick={() => start(starter)}>
            <strong>{words.starters[starter.id].label}</strong>
            <span>{words.starters[starter.id].text}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

type StepPanesProps = {
  editor: Editor;
  step: DraftStep;
  sample: Sample;
  form: RefObject<HTMLDivElement | null>;
  /** Form and preview share the window, with a divider between them. */
  isMail: boolean;
};

function StepPanes({ editor, step, sample, form, isMail }: StepPanesProps) {
  const preview = usePreview(editor, step, sample);
  const served = servedVariables(editor, step, preview);
  const names = useNames(editor, step, sample, served);
  const knowledge = useKnowledge(served, sample);
  const [side, setSide] = useState<"start" | "end">("start");
  const start = (
    <div ref={form} className={css.middle}>
      <StepForm
        editor={editor}
        step={step}
        names={names}
        knowledge={knowledge}
        payload={sample.payload}
        subscriberId={sample.subscriber?.subscriberId}
      />
    </div>
  );
  const end = <PreviewPane editor={editor} step={step} sample={sample} preview={preview} />;
  if (!isMail)
    return (
      <>
        {start}
        <div className={css.right}>{end}</div>
      </>
    );
  return (
    <div className={css.mail}>
      <div className={css.paneSwitch}>
        <Segments label={words.panes.label} value={side} choices={words.panes.sides} onChoose={setSide} />
      </div>
      <Split start={start} end={end} side={side} />
    </div>
  );
}

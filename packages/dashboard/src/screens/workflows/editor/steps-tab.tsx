// The steps: outline or canvas, the form of the chosen step, and its preview.
import { lazy, type RefObject, Suspense, useMemo, useRef } from "react";
import { classNames } from "../../../kit/class-names.ts";
import { EmptyState, Skeleton } from "../../../kit/feedback/states.tsx";
import { variableNames } from "../../../steps/variable-names.ts";
import { PreviewPane } from "../preview/preview-pane.tsx";
import { usePreview } from "../preview/use-preview.ts";
import type { Sample } from "../preview/use-sample.ts";
import { StepForm } from "../step/step-form.tsx";
import css from "./editor.module.css";
import type { DraftStep } from "./model.ts";
import { Outline } from "./outline.tsx";
import type { Editor } from "./use-editor.ts";
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
  return (
    <div className={classNames(css.columns, view === "canvas" && css.withCanvas)}>
      <div className={css.left}>
        <ViewSwitch view={view} onView={onView} />
        {view === "canvas" ? (
          <Suspense fallback={<Skeleton />}>
            <Canvas editor={editor} selected={selected} onOpen={focusForm} />
          </Suspense>
        ) : (
          <Outline editor={editor} selected={selected} onOpen={focusForm} />
        )}
      </div>
      {selected ? (
        <StepPanes key={selected.key} editor={editor} step={selected} sample={sample} form={form} />
      ) : (
        <div className={css.middle}>
          <EmptyState icon="workflow" title={words.outline.none} text={words.outline.noneText} />
        </div>
      )}
    </div>
  );
}

type StepPanesProps = { editor: Editor; step: DraftStep; sample: Sample; form: RefObject<HTMLDivElement | null> };

function StepPanes({ editor, step, sample, form }: StepPanesProps) {
  const preview = usePreview(editor, step, sample);
  const saved = editor.workflow.steps.find(({ _id }) => _id === step._id);
  const served = preview.data?.variables ?? saved?.variables;
  const variables = useMemo(() => variableNames(served, sample.payload), [served, sample.payload]);
  return (
    <>
      <div ref={form} className={css.middle}>
        <StepForm editor={editor} step={step} variables={variables} samples={{ payload: sample.payload ?? {} }} />
      </div>
      <div className={css.right}>
        <PreviewPane editor={editor} step={step} sample={sample} preview={preview} />
      </div>
    </>
  );
}

type ViewSwitchProps = Pick<StepsTabProps, "view" | "onView">;

const ViewSwitch = ({ view, onView }: ViewSwitchProps) => (
  // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend that is seen
  <div className={css.switch} role="group" aria-label={words.outline.view}>
    <button type="button" aria-pressed={view === undefined} onClick={() => onView(undefined)}>
      {words.outline.asOutline}
    </button>
    <button type="button" aria-pressed={view === "canvas"} onClick={() => onView("canvas")}>
      {words.outline.asCanvas}
    </button>
  </div>
);

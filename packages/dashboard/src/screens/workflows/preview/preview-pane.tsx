// What the chosen step would send, with a real subscriber and payload, from what is typed and not saved.
import type { PreviewFault, PreviewResult } from "@tidings/contract";
import { earlierSteps } from "@tidings/contract/arms";
import { lazy, Suspense, useEffect, useRef } from "react";
import { ErrorPanel, Skeleton } from "../../../kit/feedback/states.tsx";
import { stepKinds } from "../../../steps/facts.gen.ts";
import type { DraftStep } from "../editor/model.ts";
import type { Editor } from "../editor/use-editor.ts";
import { fieldsFor } from "../step/fields.ts";
import { CheckList } from "./check-list.tsx";
import { readChecks } from "./checks.ts";
import { EventCount } from "./event-count.tsx";
import css from "./preview.module.css";
import { Rendered } from "./rendered.tsx";
import { SampleBar } from "./sample-bar.tsx";
import type { Preview } from "./use-preview.ts";
import type { Sample } from "./use-sample.ts";
import { useToldFaults } from "./use-told-faults.ts";
import { words } from "./words.ts";

const SampleLanguage = lazy(() => import("./later.ts").then((module) => ({ default: module.SampleLanguage })));

type PreviewPaneProps = { editor: Editor; step: DraftStep; sample: Sample; preview: Preview };

export function PreviewPane({ editor, step, sample, preview: { data, error } }: PreviewPaneProps) {
  const { setFaults, workflow, select } = editor;
  const faults = useToldFaults(data?.faults ?? noFaults);
  // biome-ignore lint/correctness/useExhaustiveDependencies: setFaults is the setter of a state
  useEffect(() => {
    setFaults(faults.length > 0 ? { key: step.key, faults } : null);
    return () => setFaults(null);
  }, [faults, step.key]);
  const isSending = stepKinds[step.type] === "channel";
  const isFaulty = data !== undefined && data.faults.length > 0;
  const result = useLastGood(data?.result, isFaulty);
  const isMail = step.type === "email";
  const { steps } = editor.draft;
  const before = earlierSteps(
    steps,
    steps.findIndex(({ key }) => key === step.key),
  );
  return (
    <section className={css.pane} aria-label={words.title}>
      <h2>{words.title}</h2>
      <SampleBar sample={sample} values={step.controlValues} />
      {editor.draft.isTranslationEnabled && (
        <Suspense>
          <SampleLanguage sample={sample} workflowId={workflow.workflowId} />
        </Suspense>
      )}
      {before.some(({ type }) => type === "digest") && <EventCount sample={sample} />}
      {error && isSending && <ErrorPanel error={error} />}
      {!data && !error && isSending && <Skeleton rows={4} />}
      {faults.length > 0 && isSending && <p className={css.weak}>{words.old}</p>}
      <FaultList faults={faults.filter(({ field }) => !hasField(step, field))} />
      {data && result && isSending && (
        <Rendered type={step.type} result={result} subscriber={sample.subscriber} isFaulty={faults.length > 0} />
      )}
      {!isSending && <p className={css.weak}>{words.noPreview}</p>}
      {isMail && (
        <CheckList
          checks={readChecks((data as { checks?: unknown } | undefined)?.checks)}
          workflow={workflow}
          stepId={step.stepId}
          onSelect={select}
        />
      )}
    </section>
  );
}

const noFaults: readonly PreviewFault[] = [];

/** What is wrong at a field of the form is said there. */
const hasField = ({ type, controlValues }: DraftStep, field: string): boolean =>
  fieldsFor(type, controlValues).some(({ path }) => path === field);

/** While a field has an error, the response has no content for it: what it had before stays. */
function useLastGood(result: PreviewResult | undefined, isFaulty: boolean): PreviewResult | undefined {
  const good = useRef<PreviewResult>({});
  if (result && !isFaulty) good.current = result;
  return result && { ...(isFaulty && good.current), ...result };
}

const FaultList = ({ faults }: { faults: readonly PreviewFault[] }) =>
  faults.length > 0 && (
    <ul className={css.faults} aria-label={words.faults}>
      {faults.map(({ field, message, line, column }) => (
        <li key={`${field} ${line} ${message}`}>
          <strong>{field}</strong> {message}
          {line !== undefined && <span className={css.weak}> ({words.place(line, column)})</span>}
        </li>
      ))}
    </ul>
  );

// What the chosen step would send, with a real person and payload, from what is typed and not saved.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { PreviewFault, PreviewResult } from "@tidings/contract";
import { useEffect, useMemo } from "react";
import type { ApiError } from "../../../api/api-error.ts";
import { callOperation } from "../../../api/client.ts";
import { useEnvironment } from "../../../app/session.tsx";
import { ErrorPanel, Skeleton } from "../../../kit/states.tsx";
import { useSettled } from "../../../kit/use-settled.ts";
import type { DraftStep } from "../editor/model.ts";
import type { Editor } from "../editor/use-editor.ts";
import css from "./preview.module.css";
import { Rendered } from "./rendered.tsx";
import { SampleBar } from "./sample-bar.tsx";
import type { Sample } from "./use-sample.ts";
import { words } from "./words.ts";

const sending = ["in_app", "email", "sms", "chat", "push"];

type PreviewPaneProps = { editor: Editor; step: DraftStep; sample: Sample };

export function PreviewPane({ editor, step, sample }: PreviewPaneProps) {
  const { data, error } = usePreview(editor, step, sample);
  const { setFaults } = editor;
  const faults = data?.faults;
  // biome-ignore lint/correctness/useExhaustiveDependencies: setFaults is the setter of a state
  useEffect(() => {
    setFaults(faults && faults.length > 0 ? { key: step.key, faults } : null);
    return () => setFaults(null);
  }, [faults, step.key]);
  const isSending = sending.includes(step.type);
  return (
    <section className={css.pane} aria-label={words.title}>
      <h2>{words.title}</h2>
      <SampleBar sample={sample} />
      {error && <ErrorPanel error={error} />}
      {!data && !error && isSending && <Skeleton rows={4} />}
      {faults && faults.length > 0 && <FaultList faults={faults} />}
      {data && isSending && (
        <Rendered
          type={step.type}
          result={data.result}
          person={sample.person}
          isFaulty={faults !== undefined && faults.length > 0}
        />
      )}
      {!isSending && <p className={css.weak}>{words.noPreview}</p>}
    </section>
  );
}

type Preview = { result: PreviewResult; faults: PreviewFault[] };

function usePreview({ workflow, draft }: Editor, step: DraftStep, { person, payload }: Sample) {
  const { _id: environmentId } = useEnvironment();
  const body = useMemo(() => {
    const before = draft.steps.slice(
      0,
      draft.steps.findIndex(({ key }) => key === step.key),
    );
    return {
      step: { type: step.type, stepId: step.stepId, controlValues: step.controlValues },
      workflowId: workflow._id,
      ...(person && { subscriberId: person.subscriberId }),
      payload: payload ?? {},
      ...(before.some(({ type }) => type === "digest") && { steps: digestResults(before, payload ?? {}) }),
    };
  }, [draft.steps, step.key, step.type, step.stepId, step.controlValues, workflow._id, person, payload]);
  const settled = useSettled(body);
  return useQuery<Preview, ApiError>({
    queryKey: [environmentId, "workflows.preview", settled],
    queryFn: async ({ signal }) =>
      (await callOperation("workflows.preview", { body: settled, signal }, environmentId)).data,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
}

/** A digest that has collected this event once, so that templates behind it have something to show. */
function digestResults(before: readonly DraftStep[], payload: object): Record<string, unknown> {
  const events = [{ id: "preview", time: new Date(0).toISOString(), payload }];
  return Object.fromEntries(
    before.filter(({ type }) => type === "digest").map(({ stepId }) => [stepId, { events, eventCount: 1 }]),
  );
}

const FaultList = ({ faults }: { faults: readonly PreviewFault[] }) => (
  <ul className={css.faults} aria-label={words.faults}>
    {faults.map(({ field, message, line, column }) => (
      <li key={`${field} ${line} ${message}`}>
        <strong>{field}</strong> {message}
        {line !== undefined && <span className={css.weak}> ({words.place(line, column)})</span>}
      </li>
    ))}
  </ul>
);

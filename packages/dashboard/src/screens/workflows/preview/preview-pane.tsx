// What the chosen step would send, with a real subscriber and payload, from what is typed and not saved.
import type { PreviewFault } from "@tidings/contract";
import { useEffect } from "react";
import { ErrorPanel, Skeleton } from "../../../kit/feedback/states.tsx";
import { stepKinds } from "../../../steps/facts.gen.ts";
import type { DraftStep } from "../editor/model.ts";
import type { Editor } from "../editor/use-editor.ts";
import css from "./preview.module.css";
import { Rendered } from "./rendered.tsx";
import { SampleBar } from "./sample-bar.tsx";
import type { Preview } from "./use-preview.ts";
import type { Sample } from "./use-sample.ts";
import { words } from "./words.ts";

type PreviewPaneProps = { editor: Editor; step: DraftStep; sample: Sample; preview: Preview };

export function PreviewPane({ editor, step, sample, preview: { data, error } }: PreviewPaneProps) {
  const { setFaults } = editor;
  const faults = data?.faults;
  // biome-ignore lint/correctness/useExhaustiveDependencies: setFaults is the setter of a state
  useEffect(() => {
    setFaults(faults && faults.length > 0 ? { key: step.key, faults } : null);
    return () => setFaults(null);
  }, [faults, step.key]);
  const isSending = stepKinds[step.type] === "channel";
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
          subscriber={sample.subscriber}
          isFaulty={faults !== undefined && faults.length > 0}
        />
      )}
      {!isSending && <p className={css.weak}>{words.noPreview}</p>}
    </section>
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

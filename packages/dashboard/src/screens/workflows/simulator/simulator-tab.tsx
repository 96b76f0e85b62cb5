// The simulator: a dry-run of what is in the editor, on an axis of time.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { DryRun, TriggerEvent } from "@tidings/contract";
import { useMemo, useState } from "react";
import type { ApiError } from "../../../api/api-error.ts";
import { callOperation } from "../../../api/client.ts";
import { useEnvironment } from "../../../api/session.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../../kit/feedback/states.tsx";
import { useSettled } from "../../../kit/use-settled.ts";
import { type DraftStep, toDryRun, type Values } from "../editor/model.ts";
import type { Editor } from "../editor/use-editor.ts";
import type { Sample } from "../preview/use-sample.ts";
import { ArmSample } from "./arm-sample.tsx";
import { Assume } from "./assume.tsx";
import { momentsOf } from "./axis.ts";
import { type Addressee, Recipients } from "./recipients.tsx";
import { Scrubber } from "./scrubber.tsx";
import css from "./simulator.module.css";
import { Subscribers } from "./subscribers.tsx";
import { words } from "./words.ts";

/** The values of all steps in one object. */
const valuesOf = (steps: readonly DraftStep[]): Values =>
  Object.fromEntries(
    steps.flatMap(({ key, controlValues }) =>
      Object.entries(controlValues).map(([name, value]) => [`${key} ${name}`, value]),
    ),
  );

type SimulatorTabProps = { editor: Editor; sample: Sample };

export function SimulatorTab({ editor, sample }: SimulatorTabProps) {
  const [own, setOwn] = useState<readonly Addressee[] | null>(null);
  const { subscriber } = sample;
  const to = useMemo(
    (): readonly Addressee[] => own ?? (subscriber ? [{ kind: "subscriber", ...subscriber }] : []),
    [own, subscriber],
  );
  const { steps } = editor.draft;
  const values = useMemo(() => valuesOf(steps), [steps]);
  const nameOf = (id: string) => to.find((one) => one.kind === "subscriber" && one.subscriberId === id)?.name ?? id;
  const { data, error, isFetching } = useDryRun(editor, sample, to);
  return (
    <div className={css.simulator}>
      <p className={css.weak}>{words.lead}</p>
      <Recipients to={to} sample={sample} values={values} onChange={setOwn} />
      <Assume steps={steps} sample={sample} />
      <ArmSample editor={editor} sample={sample} />
      {error && <ErrorPanel error={error} />}
      {to.length === 0 && <EmptyState icon="users" title={words.noRecipient} text={words.noneText} />}
      {to.length > 0 && !data && !error && <Skeleton />}
      {to.length > 0 && data && !error && (
        <div className={css.answer} aria-busy={isFetching}>
          <Answer run={data} nameOf={nameOf} workflowId={editor.workflow.workflowId} />
        </div>
      )}
    </div>
  );
}

type AnswerProps = { run: DryRun; nameOf: (subscriberId: string) => string; workflowId: string };

function Answer({ run, nameOf, workflowId }: AnswerProps) {
  const moments = useMemo(() => momentsOf(run), [run]);
  const [chosen, setChosen] = useState<number | null>(null);
  // Without a choice, the end is shown: the complete result.
  const index = Math.min(chosen ?? moments.length - 1, moments.length - 1);
  if (run.error && run.error.length > 0)
    return (
      <div className={css.refused} role="alert">
        <strong>{words.status.title}</strong>
        {run.error.map((message) => (
          <p key={message}>{message}</p>
        ))}
      </div>
    );
  return (
    <>
      <Scrubber run={run} nameOf={nameOf} moments={moments} index={index} onChange={setChosen} />
      <Subscribers run={run} nameOf={nameOf} moment={moments[index]!} workflowId={workflowId} />
      <p className={css.faint}>{words.assumption}</p>
    </>
  );
}

function useDryRun({ draft, workflow }: Editor, { payload, assume }: Sample, to: readonly Addressee[]) {
  const { _id: environmentId } = useEnvironment();
  const body = useMemo(
    () => ({
      workflow: toDryRun(draft, workflow.workflowId),
      to: to.map((one) =>
        one.kind === "subscriber" ? one.subscriberId : { type: "Topic" as const, topicKey: one.topicKey },
      ) as TriggerEvent["to"],
      payload: payload ?? {},
      assume,
    }),
    [draft, workflow.workflowId, payload, to, assume],
  );
  const settled = useSettled(body, 500);
  return useQuery<DryRun, ApiError>({
    queryKey: [environmentId, "explain.dryRun", settled],
    queryFn: ({ signal }) =>
      callOperation("explain.dryRun", { query: { limit: 50 }, body: settled, signal }, environmentId),
    enabled: (settled.to as unknown[]).length > 0,
    placeholderData: keepPreviousData,
    // The response is for now: a later look asks again.
    staleTime: 15_000,
    retry: false,
  });
}

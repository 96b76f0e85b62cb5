// How far a report can be trusted: where the replay of what is unchanged differs from what happened, and what was left
// out.
import { Link } from "@tanstack/react-router";
import type { BacktestReport } from "@tidings/contract";
import { Badge } from "../kit/feedback/verdict.tsx";
import { Disclosure, DisclosureList } from "../kit/layout/disclosure.tsx";
import { Muted } from "../kit/layout/layout.tsx";
import css from "./backtests.module.css";
import { words } from "./words.ts";

const say = words.calibration;

type CalibrationOf = BacktestReport["calibration"];
type Deviation = CalibrationOf["deviations"][number];

/** Below, deviations are shown at once (percent). */
const goodPercent = 99.5;

export function Calibration({ of, isOpen }: { of: CalibrationOf; isOpen: boolean }) {
  const { percent, isTrusted, compared, equal, deviations } = of;
  if (percent === null) return <Muted>{say.none}</Muted>;
  const tone = !isTrusted ? "bad" : percent < goodPercent ? "warn" : "good";
  return (
    <DisclosureList label={say.title}>
      <Disclosure
        isInitiallyOpen={isOpen || percent < goodPercent}
        title={<strong>{say.title}</strong>}
        note={say.good(percent.toLocaleString())}
        end={
          <>
            <span className={css.wide}>{say.compared(equal, compared)}</span>
            <Badge tone={tone}>{percent.toLocaleString()} %</Badge>
          </>
        }
      >
        {() => (deviations.length === 0 ? <Muted>{say.allEqual}</Muted> : <Deviations of={deviations} />)}
      </Disclosure>
    </DisclosureList>
  );
}

const Deviations = ({ of }: { of: readonly Deviation[] }) => (
  <ul className={css.deviations}>
    {of.map(({ cause, sentence, examples }) => (
      <li key={cause}>
        <p>
          <strong>{say.causes[cause]}</strong>
          <span className={css.breaking}>{sentence}.</span>
        </p>
        {examples.length > 0 && (
          <ul className={css.examples} aria-label={say.examples(say.causes[cause])}>
            {examples.map((example) => (
              <li key={`${example.transactionId} ${example.subscriberId} ${example.stepId}`}>
                <Example of={example} />
              </li>
            ))}
          </ul>
        )}
      </li>
    ))}
  </ul>
);

const Example = ({
  of: { transactionId, subscriberId, workflowId, stepId, was, replayed },
}: {
  of: Deviation["examples"][number];
}) => (
  <>
    <Link to="/activity/$transactionId" params={{ transactionId }} search={{}}>
      {subscriberId} · {workflowId} · {stepId}
    </Link>
    <dl>
      <dt>{say.was}</dt>
      <dd>{was}</dd>
      <dt>{say.replayed}</dt>
      <dd>{replayed}</dd>
    </dl>
  </>
);

export function Skipped({ of: { skipped, limits } }: { of: Pick<BacktestReport, "skipped" | "limits"> }) {
  const { deletedWorkflows, erasedPayloads, deletedPeople, storedAnswers, assumedAnswers } = skipped;
  const told = words.skipped;
  const lines = [
    ...deletedWorkflows.map(({ workflowId, notifications }) => told.deleted(workflowId, notifications)),
    ...(erasedPayloads > 0 ? [told.erased(erasedPayloads)] : []),
    ...(deletedPeople > 0 ? [told.people(deletedPeople)] : []),
    ...(storedAnswers > 0 ? [told.stored(storedAnswers)] : []),
    ...(assumedAnswers > 0 ? [told.assumed(assumedAnswers)] : []),
    ...limits,
  ];
  if (lines.length === 0) return null;
  return (
    <section className={css.section}>
      <h2>{told.title}</h2>
      <ul className={css.limits}>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </section>
  );
}

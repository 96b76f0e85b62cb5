// The steps of a run from top to bottom. Time in which nothing happened takes one line, however long it was.
import type { ExplainedStep, Explanation } from "@tidings/contract";
import { Fragment } from "react";
import { formatDuration, Time } from "../../kit/data/time.tsx";
import { Timeline as Line, TimelineHead, TimelineIdle, TimelineItem } from "../../kit/data/timeline.tsx";
import { StepCard } from "./step-card.tsx";
import { words } from "./words.ts";

/** Shorter gaps are not worth a line. */
const minIdleMs = 30_000;

export function Timeline({ explanation, subscriber }: { explanation: Explanation; subscriber?: string }) {
  const { event, steps } = explanation;
  let last = Date.parse(event.time);
  return (
    <Line>
      <TimelineItem icon="zap" tone="accent">
        <TimelineHead isAlone time={<Time at={event.time} />}>
          <strong>{words.event}</strong>
        </TimelineHead>
      </TimelineItem>
      {steps.map((step) => {
        const begin = beginOf(step);
        const idle = begin === null ? 0 : begin - last;
        last = Math.max(last, endOf(step) ?? last);
        return (
          <Fragment key={step.stepId}>
            {idle >= minIdleMs && <Idle ms={idle} />}
            <StepCard step={step} explanation={explanation} subscriber={subscriber} />
            {step.outcome === "done" && waitOf(step) >= minIdleMs && <Idle ms={waitOf(step)} />}
          </Fragment>
        );
      })}
    </Line>
  );
}

const Idle = ({ ms }: { ms: number }) => <TimelineIdle>{words.idle(formatDuration(ms))}</TimelineIdle>;

const timesOf = ({ details = [] }: ExplainedStep): number[] =>
  details
    .slice(1)
    .map(({ createdAt }) => Date.parse(createdAt ?? ""))
    .filter((time) => !Number.isNaN(time));

/** The first detail says that the step was created, which is when the event came. */
const beginOf = (step: ExplainedStep): number | null => timesOf(step)[0] ?? (step.at ? Date.parse(step.at) : null);
const endOf = (step: ExplainedStep): number | null => timesOf(step).at(-1) ?? (step.at ? Date.parse(step.at) : null);

/** How long a delay or a digest waited. */
function waitOf(step: ExplainedStep): number {
  const begin = beginOf(step);
  const end = endOf(step);
  return begin === null || end === null ? 0 : end - begin;
}

// What waits in a source's outbox, for how long and how fast it is emptied: large, with the course since the page was
// opened.
import { Link } from "@tanstack/react-router";
import type { Source } from "@tidings/contract";
import type { ReactNode } from "react";
import { formatDuration, Time } from "../../kit/data/time.tsx";
import { Muted, Stack } from "../../kit/layout/layout.tsx";
import { Card } from "../../kit/layout/page.tsx";
import type { Sample } from "./samples.ts";
import css from "./sources.module.css";
import { formatCount, formatRate, words } from "./words.ts";

const text = words.one;

export const formatLag = (seconds: number): string => (seconds === 0 ? "0 s" : formatDuration(seconds * 1_000));

export function Figures({ source, samples }: { source: Source; samples: readonly Sample[] }) {
  const { waiting, lagSeconds, accepted, refused, lastAcceptedAt, measuredAt, state } = source;
  const rate = samples.at(-1)?.rate;
  const isOld = state === "paused" || state === "failing";
  return (
    <Card title={text.figures} actions={<span className={css.muted}>{text.course}</span>}>
      <Stack>
        <dl className={css.figures}>
          <Figure name={words.waiting} values={samples.map((sample) => sample.waiting)}>
            {formatCount(waiting)}
          </Figure>
          <Figure name={words.lag} values={samples.map((sample) => sample.lagSeconds)}>
            {formatLag(lagSeconds)}
          </Figure>
          <Figure name={words.rate} values={samples.flatMap((sample) => sample.rate ?? [])}>
            {formatRate(rate)}
          </Figure>
        </dl>
        <dl className={css.counts}>
          <Count name={words.accepted}>{accepted.toLocaleString()}</Count>
          <Count name={words.refused}>
            {refused.toLocaleString()}
            {refused > 0 && (
              <Link to="/dead-letters" search={{ tab: "tasks" }}>
                {text.failedTasks}
              </Link>
            )}
          </Count>
          <Count name={words.lastAccepted}>
            {lastAcceptedAt ? <Time at={lastAcceptedAt} isRelative /> : words.never}
          </Count>
        </dl>
        {isOld && (
          <Muted>
            {measuredAt ? (
              <>
                {text.measured} <Time at={measuredAt} />.{" "}
              </>
            ) : null}
            {text.old[state]}
          </Muted>
        )}
      </Stack>
    </Card>
  );
}

const Figure = ({ name, values, children }: { name: string; values: readonly number[]; children: ReactNode }) => (
  <div className={css.figure}>
    <dt>{name}</dt>
    <dd>{children}</dd>
    <Course values={values} />
  </div>
);

const Count = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

const size = { width: 120, height: 28 };

/** A line from the first value to the last. The figure above it says where it ended. */
function Course({ values }: { values: readonly number[] }) {
  const most = Math.max(...values, 1);
  const step = size.width / Math.max(1, values.length - 1);
  const points = values.map(
    (value, index) => `${index * step},${size.height - 1 - (value / most) * (size.height - 2)}`,
  );
  return (
    <svg
      className={css.course}
      viewBox={`0 0 ${size.width} ${size.height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      {values.length > 1 && <polyline points={points.join(" ")} vectorEffect="non-scaling-stroke" />}
    </svg>
  );
}

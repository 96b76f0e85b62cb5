// The timeline: messages that were created, the present, and what waits.
import { useState } from "react";
import { useMay } from "../../api/permissions.ts";
import { formatDuration, formatMoment } from "../../kit/data/time.tsx";
import { Timeline, TimelineHead, TimelineIdle, TimelineItem } from "../../kit/data/timeline.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import css from "./clock.module.css";
import { ResultEntry, WaitEntry } from "./entries.tsx";
import { gapOf } from "./moments.ts";
import type { ClockState, EnvironmentTimeline } from "./use-clock.ts";
import { words } from "./words.ts";

/** Entries before now that are shown at first. */
const shownResults = 4;
/** Shorter gaps are not worth a line. */
const minIdleMs = 60_000;

type ClockTimelineProps = { clock: ClockState; timeline: EnvironmentTimeline };

export function ClockTimeline({ clock, timeline }: ClockTimelineProps) {
  const [isWhole, setWhole] = useState(false);
  const may = useMay();
  const { results, waiting, next } = timeline;
  const { now, isTestClock } = timeline.clock;
  const fresh = clock.movedFrom === null ? Number.POSITIVE_INFINITY : Date.parse(clock.movedFrom);
  // What the last move did is shown in full.
  const firstFresh = results.findIndex(({ until }) => Date.parse(until) > fresh);
  const from = isWhole
    ? 0
    : Math.max(0, Math.min(results.length - shownResults, firstFresh < 0 ? results.length : firstFresh));
  const canMove = isTestClock && may("environments.updateClock");
  return (
    <section className={css.timeline} aria-label={words.timeline}>
      <h2>{words.timeline}</h2>
      {from > 0 && (
        <Button size="small" look="plain" icon="arrowUp" onClick={() => setWhole(true)}>
          {words.earlier(from)}
        </Button>
      )}
      <Timeline label={words.timeline}>
        {results.slice(from).map((result) => (
          <ResultEntry key={keyOf(result)} result={result} now={now} isFresh={Date.parse(result.until) > fresh} />
        ))}
        <TimelineItem icon="clock" tone="accent">
          <TimelineHead isAlone time={formatMoment(now, now)}>
            <strong>{words.now}</strong>
            {waiting.length === 0 && !next && <span className={css.weak}>{words.nothingWaits}</span>}
          </TimelineHead>
        </TimelineItem>
        {waiting.map((wait, index) => {
          const gap = gapOf(waiting[index - 1]?.at ?? now, wait.at);
          return [
            gap >= minIdleMs && (
              <TimelineIdle key={`gap ${keyOf(wait)}`}>{words.later(formatDuration(gap))}</TimelineIdle>
            ),
            <WaitEntry
              key={keyOf(wait)}
              wait={wait}
              now={now}
              isMoving={clock.isMoving}
              onAdvance={canMove ? () => clock.move({ now: wait.until }) : undefined}
            />,
          ];
        })}
      </Timeline>
      {waiting.length === 0 && !next && <p className={css.weak}>{words.nothingWaitsText}</p>}
      {next && <p className={css.weak}>{words.more}</p>}
    </section>
  );
}

type Entry = EnvironmentTimeline["results"][number] | EnvironmentTimeline["waiting"][number];

const keyOf = (entry: Entry): string =>
  [entry.at, entry.step._id, "kind" in entry ? entry.kind : entry.outcome, entry.people[0]?.transactionId].join(" ");

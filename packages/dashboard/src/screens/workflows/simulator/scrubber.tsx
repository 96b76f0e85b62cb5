// The axis of time: one stop for each moment at which something is decided, with the idle time between them left out.
import type { DryRun } from "@tidings/contract";
import { useEffect, useState } from "react";
import { Icon } from "../../../icons.tsx";
import { formatDuration, formatTime } from "../../../kit/data/time.tsx";
import { Verdict } from "../../../kit/feedback/verdict.tsx";
import { IconButton } from "../../../kit/inputs/button.tsx";
import { stepIcons, stepTones } from "../../../outcomes/tones.ts";
import css from "./simulator.module.css";
import { words } from "./words.ts";

type ScrubberProps = {
  run: DryRun;
  nameOf: (subscriberId: string) => string;
  moments: readonly number[];
  index: number;
  onChange: (index: number) => void;
};

const maxStops = 12;
const playMs = 900;

export function Scrubber({ run, nameOf, moments, index, onChange }: ScrubberProps) {
  const [isPlaying, setPlaying] = useState(false);
  const last = moments.length - 1;
  useEffect(() => {
    if (!isPlaying) return;
    const timer = setTimeout(() => (index < last ? onChange(index + 1) : setPlaying(false)), playMs);
    return () => clearTimeout(timer);
  }, [isPlaying, index, last, onChange]);
  const labelOf = (at: number) =>
    at - moments[0]! < 1_000 ? words.atOnce : words.later(formatDuration(at - moments[0]!));
  const moment = moments[index]!;
  const play = () => {
    if (!isPlaying && index === last) onChange(0);
    setPlaying(!isPlaying && last > 0);
  };
  return (
    <section className={css.axis} aria-label={words.axis}>
      <div className={css.track}>
        <IconButton
          label={isPlaying ? words.pause : words.play}
          icon={isPlaying ? "circleSlash" : "play"}
          disabled={last === 0}
          onClick={play}
        />
        <div className={css.range}>
          <input
            type="range"
            min={0}
            max={last}
            step={1}
            value={index}
            disabled={last === 0}
            aria-label={words.scrubber}
            aria-valuetext={words.valueText(labelOf(moment), formatTime(new Date(moment).toISOString()))}
            onChange={({ target }) => onChange(target.valueAsNumber)}
          />
          <ol className={css.stops} aria-hidden="true">
            {moments.length <= maxStops &&
              moments.map((at, stop) => (
                <li key={at} data-on={stop <= index}>
                  <span className={css.stopIcons}>
                    {typesAt(run, at, moments[0]!).map((type) => (
                      <Icon key={type} name={stepIcons[type]} size={13} />
                    ))}
                  </span>
                  {labelOf(at)}
                </li>
              ))}
          </ol>
        </div>
      </div>
      <div className={css.now} aria-live="polite">
        <p>
          <strong>{labelOf(moment)}</strong>{" "}
          <span className={css.weak}>{formatTime(new Date(moment).toISOString())}</span>
        </p>
        <Happenings run={run} nameOf={nameOf} moment={moment} start={moments[0]!} />
      </div>
    </section>
  );
}

const isAt = (at: string | undefined, moment: number, start: number): boolean =>
  at !== undefined && Math.max(Date.parse(at), start) === moment;

const typesAt = ({ recipients }: DryRun, moment: number, start: number) => [
  ...new Set(
    recipients.flatMap(({ steps }) => steps.filter(({ at }) => isAt(at, moment, start)).map(({ type }) => type)),
  ),
];

const maxLines = 6;

type HappeningsProps = Pick<ScrubberProps, "run" | "nameOf"> & { moment: number; start: number };

function Happenings({ run, nameOf, moment, start }: HappeningsProps) {
  const lines = run.recipients.flatMap(({ subscriberId, steps }) =>
    steps
      .filter(({ at, outcome }) => isAt(at, moment, start) && outcome !== "pending")
      .map((step) => {
        const { messages, outcome, name, stepId } = step;
        const [message] = messages;
        const provider = message?.providerId === "svc" ? undefined : message?.integrationIdentifier;
        const text =
          outcome === "sent"
            ? words.goesOut(name, nameOf(subscriberId), provider)
            : outcome === "done" || outcome === "merged" || outcome === "waiting"
              ? words.ended(name, nameOf(subscriberId))
              : words.notSent(name, nameOf(subscriberId));
        return { key: `${subscriberId} ${stepId}`, text, tone: stepTones[outcome] };
      }),
  );
  if (lines.length === 0) return <p className={css.weak}>{words.nothing}</p>;
  return (
    <ul className={css.happenings}>
      {lines.slice(0, maxLines).map(({ key, text, tone }) => (
        <li key={key}>
          <Verdict tone={tone} size={14} />
          {text}
        </li>
      ))}
      {lines.length > maxLines && <li className={css.weak}>{words.andMore(lines.length - maxLines)}</li>}
    </ul>
  );
}

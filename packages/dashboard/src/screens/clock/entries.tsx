// One entry of the line of time, before or after now.
import { Link } from "@tanstack/react-router";
import type { TimelineResult, TimelineWait } from "@tidings/contract";
import { Fragment } from "react";
import type { IconName } from "../../icons.tsx";
import { formatMoment } from "../../kit/data/time.tsx";
import { TimelineCard, TimelineHead, TimelineItem } from "../../kit/data/timeline.tsx";
import { Badge } from "../../kit/feedback/verdict.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import type { Tone } from "../../kit/tone.ts";
import { channelNames } from "../../outcomes/channel-names.ts";
import { stepIcons } from "../../outcomes/tones.ts";
import css from "./clock.module.css";
import { words } from "./words.ts";

const waitIcons: Record<TimelineWait["kind"], IconName> = {
  ...stepIcons,
  schedule: "moon",
  budget: "clock",
  roll_up: "layers",
  retry: "refresh",
  snooze: "bell",
};

/** `now`: of the environment. */
type WaitEntryProps = { wait: TimelineWait; now: string; isMoving: boolean; onAdvance: (() => void) | undefined };

export function WaitEntry({ wait, now, isMoving, onAdvance }: WaitEntryProps) {
  const { kind, step, count, events, until } = wait;
  const time = formatMoment(until, now);
  return (
    <TimelineItem icon={waitIcons[kind]} tone="info">
      <TimelineCard isPending>
        <TimelineHead time={<time dateTime={until}>{time}</time>}>
          <strong>{words.kinds[kind]}</strong>
          {count > 1 && <Badge tone="info">{words.subscribers(count)}</Badge>}
          {events !== undefined && <Badge tone="info">{words.events(events)}</Badge>}
        </TimelineHead>
        <div className={css.entry}>
          <div className={css.entryText}>
            <p>
              <WorkflowLink entry={wait} /> · {step.name}
            </p>
            <p className={css.weak}>
              <Subscribers entry={wait} />
            </p>
          </div>
          {onAdvance && (
            <Button size="small" icon="play" aria-label={words.advanceTo(time)} disabled={isMoving} onClick={onAdvance}>
              {words.advance}
            </Button>
          )}
        </div>
      </TimelineCard>
    </TimelineItem>
  );
}

const outcomeTones: Record<TimelineResult["outcome"], Tone> = { sent: "good", sending: "info", failed: "bad" };

type ResultEntryProps = { result: TimelineResult; now: string; isFresh: boolean };

export function ResultEntry({ result, now, isFresh }: ResultEntryProps) {
  const { channel, outcome, title, until, count } = result;
  return (
    <TimelineItem icon={stepIcons[channel]} tone={outcomeTones[outcome]}>
      <div className={css.result} data-fresh={isFresh}>
        <TimelineHead time={<time dateTime={until}>{formatMoment(until, now)}</time>}>
          <strong className={css.title}>{title || words.noTitle}</strong>
          <Badge tone={outcomeTones[outcome]}>{words.outcomes[outcome]}</Badge>
          {count > 1 && <Badge>{words.subscribers(count)}</Badge>}
        </TimelineHead>
        <p className={css.weak}>
          <WorkflowLink entry={result} /> · {channelNames[channel]} · <Subscribers entry={result} />
        </p>
      </div>
    </TimelineItem>
  );
}

type Entry = Pick<TimelineWait, "workflow" | "people" | "count">;

const WorkflowLink = ({ entry: { workflow } }: { entry: Entry }) => (
  <Link to="/workflows/$workflowId" params={{ workflowId: workflow.workflowId }} className={css.link}>
    {workflow.name}
  </Link>
);

/** Each subscriber links to the run. */
const Subscribers = ({ entry: { people, count } }: { entry: Entry }) => (
  <>
    {people.map(({ subscriberId, transactionId }, index) => (
      <Fragment key={`${transactionId} ${subscriberId}`}>
        {index > 0 && ", "}
        <Link
          to="/activity/$transactionId"
          params={{ transactionId }}
          search={subscriberId === null ? {} : { subscriber: subscriberId }}
          className={css.link}
        >
          {subscriberId ?? words.gone}
        </Link>
      </Fragment>
    ))}
    {count > people.length && ` ${words.andMore(count - people.length)}`}
  </>
);

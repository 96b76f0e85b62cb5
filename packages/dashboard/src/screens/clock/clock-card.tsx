// What time it is in the environment, and everything that moves it.
import { type FormEvent, useState } from "react";
import { requiredRole, useMay } from "../../api/permissions.ts";
import { useEnvironment } from "../../api/session.tsx";
import { formatDuration, formatMoment } from "../../kit/data/time.tsx";
import { Notice } from "../../kit/feedback/notice.tsx";
import { Badge, Dot } from "../../kit/feedback/verdict.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { TextField } from "../../kit/inputs/field.tsx";
import { fromLocalInput, toLocalInput } from "../../kit/inputs/local-time.ts";
import { useConfirm } from "../../kit/overlays/confirm.tsx";
import { showToast } from "../../kit/overlays/toast.tsx";
import { words as kitWords } from "../../words.ts";
import css from "./clock.module.css";
import { gapOf, progressOf } from "./moments.ts";
import { type ClockState, countMade, type EnvironmentTimeline } from "./use-clock.ts";
import { words } from "./words.ts";

type ClockCardProps = { clock: ClockState; timeline: EnvironmentTimeline };

export function ClockCard({ clock, timeline }: ClockCardProps) {
  const { type } = useEnvironment();
  const may = useMay();
  const { now, isTestClock, status } = timeline.clock;
  const canMove = type !== "prod" && may("environments.updateClock");
  return (
    <section className={css.card} data-test={isTestClock}>
      <div className={css.face}>
        <time dateTime={now} className={css.now}>
          {formatMoment(now)}
        </time>
        <Badge tone={isTestClock ? "accent" : "quiet"}>
          <Dot tone={isTestClock ? "accent" : "quiet"} isMoving={status !== "standing"} />
          {words.states[status]}
        </Badge>
      </div>
      <div role="status" className={css.status}>
        {clock.isMoving ? (
          <Progress clock={clock} timeline={timeline} />
        ) : (
          isTestClock && <Moved clock={clock} timeline={timeline} />
        )}
      </div>
      {type === "prod" && <Notice icon="clock">{words.production}</Notice>}
      {type !== "prod" && !canMove && (
        <Notice icon="clock">{kitWords.needsRole(requiredRole("environments.updateClock"))}</Notice>
      )}
      {canMove && !isTestClock && <Start clock={clock} now={now} />}
      {canMove && isTestClock && <Moves clock={clock} timeline={timeline} />}
    </section>
  );
}

function Progress({ clock: { movedFrom }, timeline }: ClockCardProps) {
  const { now, target } = timeline.clock;
  const held = timeline.waiting.find(({ until }) => Date.parse(until) <= Date.parse(now));
  const value = movedFrom !== null && target !== undefined ? progressOf(movedFrom, now, target) : undefined;
  return (
    <div className={css.progress}>
      {target && <strong>{words.moving(formatMoment(target))}</strong>}
      <progress aria-label={words.progress} value={value} />
      <span className={css.weak}>
        {held ? words.waitingFor(words.kinds[held.kind], held.workflow.name) : words.movingNote}
      </span>
    </div>
  );
}

/** What the last move did. */
function Moved({ clock: { movedFrom, madeBefore }, timeline: { clock, results } }: ClockCardProps) {
  if (movedFrom === null || gapOf(movedFrom, clock.now) <= 0) return null;
  const made = Math.max(0, countMade(results, movedFrom) - madeBefore);
  return <p className={css.moved}>{words.moved(formatDuration(gapOf(movedFrom, clock.now)), made)}</p>;
}

function Start({ clock, now }: { clock: ClockState; now: string }) {
  const [text, setText] = useState(() => toLocalInput(now));
  const time = fromLocalInput(text);
  const start = (event: FormEvent) => {
    event.preventDefault();
    if (time !== null) clock.move({ now: time });
  };
  return (
    <>
      <p className={css.about}>{words.aboutReal}</p>
      <form className={css.form} onSubmit={start}>
        <TextField
          label={words.startAt}
          type="datetime-local"
          value={text}
          required
          onChange={({ target }) => setText(target.value)}
        />
        <Button type="submit" look="primary" icon="timer" disabled={time === null || clock.isMoving}>
          {words.start}
        </Button>
      </form>
      <p className={css.hint}>{words.startHint}</p>
    </>
  );
}

function Moves({ clock, timeline }: ClockCardProps) {
  const { now } = timeline.clock;
  const [text, setText] = useState("");
  const { confirm, dialog } = useConfirm();
  const { isMoving, move } = clock;
  const first = timeline.waiting[0];
  const time = fromLocalInput(text);
  const go = (event: FormEvent) => {
    event.preventDefault();
    if (time !== null) move({ now: time }, () => setText(""));
  };
  const stop = () =>
    confirm({ title: words.stopTitle, text: words.stopText, label: words.stop, isAlways: true }, () =>
      move({ now: null }, () => showToast({ title: words.stopped })),
    );
  return (
    <div className={css.moves}>
      <div className={css.buttons}>
        {first && (
          <Button look="primary" icon="play" disabled={isMoving} onClick={() => move({ now: first.until })}>
            {words.next}
          </Button>
        )}
        <Button disabled={isMoving} onClick={() => move({ advance: { amount: 1, unit: "hours" } })}>
          {words.hour}
        </Button>
        <Button disabled={isMoving} onClick={() => move({ advance: { amount: 1, unit: "days" } })}>
          {words.day}
        </Button>
        <span className={css.end}>
          <Button look="plain" onClick={stop}>
            {words.stop}
          </Button>
        </span>
      </div>
      <form className={css.form} onSubmit={go}>
        <TextField
          label={words.goTo}
          type="datetime-local"
          value={text}
          min={toLocalInput(now)}
          required
          onChange={({ target }) => setText(target.value)}
        />
        <Button type="submit" disabled={time === null || isMoving}>
          {words.go}
        </Button>
      </form>
      {dialog}
    </div>
  );
}

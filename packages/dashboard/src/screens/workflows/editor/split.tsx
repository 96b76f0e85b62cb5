// Two panes with a divider that is moved by mouse, finger or keyboard; the browser keeps where it was left.
import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from "react";
import css from "./split.module.css";
import { words } from "./words.ts";

const storageKey = "tidings.divider";
/** Percent of the width that the first pane has. */
const least = 25;
const most = 75;
const usual = 46;
const stepPercent = 2;

const within = (percent: number): number => Math.min(most, Math.max(least, Math.round(percent)));

function readPlace(): number {
  try {
    return within(Number(localStorage.getItem(storageKey) ?? usual) || usual);
  } catch {
    return usual;
  }
}

function keepPlace(percent: number): void {
  try {
    localStorage.setItem(storageKey, String(percent));
  } catch {}
}

type SplitProps = {
  start: ReactNode;
  end: ReactNode;
  /** On a narrow screen there is room for one pane. */
  side: "start" | "end";
};

export function Split({ start, end, side }: SplitProps) {
  const [place, setPlace] = useState(readPlace);
  const [isMoving, setMoving] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const move = (percent: number) => {
    setPlace(within(percent));
    keepPlace(within(percent));
  };
  const onPointerMove = (event: PointerEvent) => {
    if (!isMoving) return;
    const { left, width } = box.current!.getBoundingClientRect();
    move(((event.clientX - left) / width) * 100);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const wanted = { ArrowLeft: place - stepPercent, ArrowRight: place + stepPercent, Home: least, End: most }[
      event.key
    ];
    if (wanted === undefined) return;
    event.preventDefault();
    move(wanted);
  };
  return (
    <div
      ref={box}
      className={css.split}
      data-side={side}
      // A frame would swallow the movements of the pointer over it.
      data-moving={isMoving}
      style={{ "--place": `${place}%` } as React.CSSProperties}
    >
      <div className={css.start}>{start}</div>
      {/* biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved; this separator is a control */}
      <div
        role="separator"
        aria-orientation="vertical"
        aria-label={words.divider}
        aria-valuemin={least}
        aria-valuemax={most}
        aria-valuenow={place}
        title={words.dividerHint}
        tabIndex={0}
        className={css.divider}
        onKeyDown={onKeyDown}
        onDoubleClick={() => move(usual)}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setMoving(true);
        }}
        onPointerMove={onPointerMove}
        onPointerUp={() => setMoving(false)}
        onPointerCancel={() => setMoving(false)}
      />
      <div className={css.end}>{end}</div>
    </div>
  );
}

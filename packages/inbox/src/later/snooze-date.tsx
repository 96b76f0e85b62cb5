// The form for a custom snooze date.

import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { usePopover } from "../ui/popover.tsx";
import { shortTime } from "../ui/time.ts";
import { useUi } from "../ui/ui.ts";
import { adoptStyle } from "./adopt.ts";
import { snoozeRange, toFieldDate } from "./snooze-range.ts";
import { useLabels } from "./use-labels.ts";

const minuteMs = 60_000;

export type SnoozeDateProps = {
  id: string;
  maxHours: number;
  opener: RefObject<HTMLButtonElement | null>;
  onClose: () => void;
};

export function SnoozeDate({ id, maxHours, opener, onClose }: SnoozeDateProps) {
  const { inbox, locale, attempt } = useUi();
  const labels = useLabels();
  const popover = usePopover(opener, onClose);
  const field = useRef<HTMLInputElement>(null);
  const [range] = useState(() => snoozeRange(Date.now(), maxHours));
  const [fault, setFault] = useState<string | null>(null);
  useLayoutEffect(() => {
    adoptStyle(field.current!);
    field.current!.focus();
  }, []);
  const save = (event: Event) => {
    event.preventDefault();
    const until = new Date(field.current!.value);
    const { from, to } = snoozeRange(Date.now(), maxHours);
    if (Number.isNaN(until.getTime()) || until < from || until > to) {
      const text = (time: Date) => shortTime(time.toISOString(), locale);
      setFault(labels.snoozeRange(text(from), text(to)));
      return field.current!.focus();
    }
    popover.current!.hidePopover();
    attempt(inbox.snooze(id, until));
  };
  // Keys of the list, such as `e`, are letters and digits here.
  const keepKeys = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key !== "Escape") return;
    // Browsers close a popover that was not opened at once by a press together with the one before it, here the panel.
    event.preventDefault();
    popover.current!.hidePopover();
  };
  return (
    <div
      ref={popover}
      class="menu form"
      part="menu"
      popover="auto"
      role="dialog"
      aria-label={labels.snooze}
      tabIndex={-1}
    >
      <form noValidate onSubmit={save} onKeyDown={keepKeys}>
        <label>
          <span>{labels.snoozeField}</span>
          <input
            ref={field}
            type="datetime-local"
            required
            min={toFieldDate(range.from)}
            max={toFieldDate(range.to)}
            defaultValue={toFieldDate(new Date(Math.min(range.to.getTime(), range.from.getTime() + 180 * minuteMs)))}
            aria-invalid={fault !== null}
          />
        </label>
        {fault && <p role="alert">{fault}</p>}
        <button type="submit" class="action primary">
          {labels.snooze}
        </button>
      </form>
    </div>
  );
}

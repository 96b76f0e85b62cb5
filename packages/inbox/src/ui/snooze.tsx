// The snooze of an item: a menu of times, and a custom date, whose form is loaded on first use.
import type { ComponentType } from "preact";
import { useRef, useState } from "preact/hooks";
import type { SnoozeDateProps } from "../later/snooze-date.tsx";
import { Menu } from "./popover.tsx";
import { clockTime, shortTime, snoozeTimes } from "./time.ts";
import { useUi } from "./ui.ts";

export function Snooze({ id, tabIndex, maxHours }: { id: string; tabIndex: number; maxHours: number }) {
  const { inbox, labels, locale, attempt } = useUi();
  const button = useRef<HTMLButtonElement>(null);
  const [Form, setForm] = useState<ComponentType<SnoozeDateProps> | null>(null);
  if (maxHours <= 0) return null;
  const pick = async () => {
    const { SnoozeDate } = await import("../later/later.tsx");
    setForm(() => SnoozeDate);
  };
  const entries = () => [
    ...snoozeTimes(new Date(), maxHours).map(({ kind, until }) => ({
      label: labels.snoozeUntil[kind],
      note: kind === "hour" ? clockTime(until, locale) : shortTime(until.toISOString(), locale),
      run: () => attempt(inbox.snooze(id, until)),
    })),
    { label: labels.snoozeOwn, run: () => attempt(pick()) },
  ];
  return (
    <>
      <Menu label={labels.snooze} icon="clock" tabIndex={tabIndex} entries={entries} button={button} />
      {Form && <Form id={id} maxHours={maxHours} opener={button} onClose={() => setForm(null)} />}
    </>
  );
}

// The hours in which a subscriber may be disturbed. Stored times read "09:00 AM"; a field of the browser reads "09:00".
import type { Schedule, Subscriber } from "@tidings/contract";
import { useState } from "react";
import { useChange, useOperation } from "../../api/hooks.ts";
import { requiredRole, useMay } from "../../api/permissions.ts";
import { LeaveGuard } from "../../drafts/leave-guard.tsx";
import { type Base, useDraft } from "../../drafts/use-draft.ts";
import { useShortcuts } from "../../drafts/use-shortcuts.ts";
import { Notice } from "../../kit/feedback/notice.tsx";
import { ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Button, IconButton } from "../../kit/inputs/button.tsx";
import { Switch } from "../../kit/inputs/switch.tsx";
import { useConfirm } from "../../kit/overlays/confirm.tsx";
import { showToast } from "../../kit/overlays/toast.tsx";
import { words as kitWords } from "../../words.ts";
import { addHours, type Day, days, fromField, toField, type Week, weekOf, withDay } from "./schedule-hours.ts";
import css from "./subscribers.module.css";
import { words } from "./words.ts";

const text = words.schedule;

type ScheduleDraft = { isOn: boolean; week: Week };

export function SubscriberSchedule({ subscriber }: { subscriber: Subscriber }) {
  const params = { subscriberId: subscriber.subscriberId };
  const { data, error, refetch } = useOperation("subscribers.retrievePreferences", { params, query: {} });
  if (error) return <ErrorPanel error={error} onRetry={refetch} />;
  if (!data) return <Skeleton />;
  return (
    <ScheduleForm key={JSON.stringify(data.global.schedule)} stored={data.global.schedule} subscriber={subscriber} />
  );
}

function ScheduleForm({ stored, subscriber }: { stored: Schedule | undefined; subscriber: Subscriber }) {
  const update = useChange("subscribers.updatePreferences", ["subscribers.retrievePreferences"]);
  const { confirm, dialog } = useConfirm();
  const may = useMay();
  const mayChange = may("subscribers.updatePreferences");
  const [saved] = useState<Base<ScheduleDraft>>(() => ({
    draft: { isOn: stored?.isEnabled ?? false, week: weekOf(stored) },
    version: undefined,
  }));
  const held = useDraft<ScheduleDraft>({
    recordId: `schedule.${subscriber.subscriberId}`,
    saved,
    isReadOnly: !mayChange,
    isDraft: (found) => typeof found?.isOn === "boolean" && typeof found.week === "object",
  });
  const { isChanged, draft } = held;
  const { isOn, week } = draft;
  const save = () =>
    confirm({ title: text.changeTitle, label: kitWords.save }, () =>
      update.mutate(
        {
          params: { subscriberId: subscriber.subscriberId },
          body: { schedule: { isEnabled: isOn, weeklySchedule: week } },
        },
        {
          onSuccess: () => {
            held.adopt({ draft, version: undefined });
            showToast({ title: kitWords.saved });
          },
        },
      ),
    );
  const editor = {
    ...held,
    isSaving: update.isPending,
    isReadOnly: !mayChange,
    save,
    discard: () => held.restart(saved),
  };
  useShortcuts(editor);
  return (
    <div className={css.stack}>
      {dialog}
      <LeaveGuard editor={editor} />
      <p className={css.muted}>{text.text}</p>
      {!mayChange && <Notice icon="key">{kitWords.needsRole(requiredRole("subscribers.updatePreferences"))}</Notice>}
      {update.error && <ErrorPanel error={update.error} />}
      <div className={css.switchLine}>
        <Switch
          label={text.isOn}
          checked={isOn}
          disabled={!mayChange}
          onChange={({ target }) => held.change({ ...draft, isOn: target.checked })}
        />
        <span>{text.isOn}</span>
        <span className={css.muted}>
          {isOn ? (subscriber.timezone ? text.zone(subscriber.timezone) : text.noZone) : text.off}
        </span>
      </div>
      {isOn && (
        <ul className={css.box}>
          {days.map((day) => (
            <DayRow
              key={day}
              day={day}
              week={week}
              disabled={!mayChange}
              onChange={(changed) => held.change({ ...draft, week: changed })}
            />
          ))}
        </ul>
      )}
      {mayChange && (isOn || isChanged) && (
        <div>
          <Button look="primary" onClick={save} disabled={update.isPending || !isChanged}>
            {kitWords.save}
          </Button>
        </div>
      )}
    </div>
  );
}

type DayProps = { day: Day; week: Week; disabled: boolean; onChange: (week: Week) => void };

function DayRow({ day, week, disabled, onChange }: DayProps) {
  const { isEnabled, hours = [] } = week[day] ?? { isEnabled: false };
  const name = text.days[day];
  const change = (changed: Partial<NonNullable<Week[Day]>>) => onChange(withDay(week, day, changed));
  const changeHours = (index: number, name: "start" | "end", value: string) => {
    const time = fromField(value);
    if (time === null) return;
    change({ hours: hours.map((range, at) => (at === index ? { ...range, [name]: time } : range)) });
  };
  return (
    <li className={css.day}>
      <Switch
        label={text.dayIsOpen(name)}
        checked={isEnabled}
        disabled={disabled}
        onChange={({ target }) => change({ isEnabled: target.checked })}
      />
      <span className={css.dayName}>{name}</span>
      {!isEnabled && <span className={css.muted}>{text.closed}</span>}
      {isEnabled && hours.length === 0 && <span className={css.muted}>{text.allDay}</span>}
      {isEnabled && (
        <span className={css.ranges}>
          {hours.map((range, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a range has no identity but its place
            <span key={index} className={css.range}>
              <input
                type="time"
                aria-label={text.from(name)}
                value={toField(range.start)}
                disabled={disabled}
                onChange={({ target }) => changeHours(index, "start", target.value)}
              />
              –
              <input
                type="time"
                aria-label={text.to(name)}
                value={toField(range.end)}
                disabled={disabled}
                onChange={({ target }) => changeHours(index, "end", target.value)}
              />
              {!disabled && (
                <IconButton
                  label={text.removeHours(name)}
                  icon="x"
                  size="small"
                  onClick={() => change({ hours: hours.filter((_, at) => at !== index) })}
                />
              )}
            </span>
          ))}
          {!disabled && (
            <Button size="small" look="plain" icon="plus" onClick={() => change({ hours: addHours(hours) })}>
              {text.addHours}
            </Button>
          )}
        </span>
      )}
    </li>
  );
}

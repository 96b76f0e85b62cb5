// Quiet hours: the hours of each day in which messages are delivered.

import type { Schedule, ScheduleDay, WeekDay } from "../client/types.ts";
import { Icon } from "../ui/icons.tsx";
import { fromFieldTime, toFieldTime, weekdayName, workingDay } from "../ui/time.ts";
import { useUi } from "../ui/ui.ts";
import { type Hours, nextHours } from "./hours.ts";
import { Switch } from "./switch.tsx";
import { useLabels } from "./use-labels.ts";

const days: WeekDay[] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const maxRanges = 4;

export function ScheduleForm({ schedule, timezone }: { schedule: Schedule; timezone: string | undefined }) {
  const { inbox, locale, attempt } = useUi();
  const labels = useLabels();
  const save = (next: Schedule) => attempt(inbox.updateSchedule(next));
  const weekly = schedule.weeklySchedule;
  const toggle = (isEnabled: boolean) => {
    const week = Object.fromEntries(days.slice(0, 5).map((day) => [day, workingDay]));
    // Hours of a first schedule: a week without any would deliver nothing at all.
    save({ isEnabled, weeklySchedule: weekly && Object.keys(weekly).length > 0 ? weekly : week });
  };
  const setDay = (day: WeekDay, value: ScheduleDay) =>
    save({ ...schedule, weeklySchedule: { ...weekly, [day]: value } });
  return (
    <section>
      <h3>{labels.schedule}</h3>
      <p>
        {labels.scheduleText} {timezone && labels.scheduleZone(timezone.replaceAll("_", " "))}
      </p>
      <div class="rows">
        <Switch label={labels.scheduleSwitch} isOn={schedule.isEnabled} onChange={toggle} />
        {schedule.isEnabled &&
          days.map((day, index) => (
            <Day
              key={day}
              name={weekdayName(index, locale)}
              value={weekly?.[day] ?? { isEnabled: false }}
              onChange={(value) => setDay(day, value)}
            />
          ))}
      </div>
    </section>
  );
}

function Day({ name, value, onChange }: { name: string; value: ScheduleDay; onChange: (value: ScheduleDay) => void }) {
  const labels = useLabels();
  const hours = value.hours?.length ? value.hours : workingDay.hours!;
  const setHours = (next: Hours) => onChange({ ...value, hours: next });
  const field = (index: number, side: "start" | "end", label: string) => (
    <input
      type="time"
      aria-label={[name, index > 0 && index + 1, label].filter(Boolean).join(", ")}
      value={toFieldTime(hours[index]![side])}
      onChange={({ currentTarget }) =>
        currentTarget.value &&
        setHours(hours.with(index, { ...hours[index]!, [side]: fromFieldTime(currentTarget.value) }))
      }
    />
  );
  const tool = (label: string, icon: "plus" | "close", run: () => void) => (
    <button type="button" class="tool" title={label} aria-label={`${label}, ${name}`} onClick={run}>
      <Icon name={icon} />
    </button>
  );
  return (
    <div class="row day">
      <label>
        <input
          type="checkbox"
          checked={value.isEnabled}
          onChange={({ currentTarget }) => onChange({ isEnabled: currentTarget.checked, hours })}
        />
        <span>{name}</span>
      </label>
      {value.isEnabled && (
        <div>
          {hours.map((_, index) => (
            <span key={index} class="hours">
              {field(index, "start", labels.from)}
              <span aria-hidden="true">–</span>
              {field(index, "end", labels.to)}
              {index === 0
                ? hours.length < maxRanges &&
                  tool(labels.addHours, "plus", () => setHours([...hours, nextHours(hours)]))
                : tool(labels.removeHours, "close", () => setHours(hours.filter((_, at) => at !== index)))}
            </span>
          ))}
        </div>
      )}
    </div>
  );
}

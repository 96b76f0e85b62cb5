// Preferences: channels for everything, channels by type of notification, and quiet hours.
import { useEffect, useState } from "preact/hooks";
import type { Channel, Preference, Schedule, ScheduleDay, WeekDay } from "../client/types.ts";
import { Icon } from "./icons.tsx";
import { fromFieldTime, toFieldTime, weekdayName, workingDay } from "./time.ts";
import { useUi } from "./ui.ts";

const channelOrder: Channel[] = ["in_app", "email", "push", "sms", "chat"];
const days: WeekDay[] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

export function Preferences({ preferences }: { preferences: Preference[] | null }) {
  const { inbox, labels } = useUi();
  const [hasFailed, setFailed] = useState(false);
  const load = () => {
    setFailed(false);
    inbox.loadPreferences().catch(() => setFailed(true));
  };
  useEffect(load, [inbox]);
  if (!preferences && hasFailed) {
    return (
      <div class="empty" role="alert">
        <h3>{labels.errorTitle}</h3>
        <button type="button" class="action secondary" onClick={load}>
          {labels.retry}
        </button>
      </div>
    );
  }
  if (!preferences)
    return (
      <div class="more">
        <span class="spinner" />
      </div>
    );
  const [global, ...workflows] = preferences;
  const hasChannels = Object.keys(global?.channels ?? {}).length > 0;
  return (
    <div class="scroller preferences" part="preferences" tabIndex={-1}>
      {global && hasChannels && (
        <section>
          <h3>{labels.everything}</h3>
          <p>{labels.everythingText}</p>
          <Channels entry={global} name={labels.everything} />
        </section>
      )}
      {workflows.length > 0 && (
        <section>
          <h3>{labels.byType}</h3>
          {workflows.map((entry) => (
            <details key={entry.workflow?.id}>
              <summary>
                <span>{entry.workflow?.name}</span>
                <small>{summaryOf(entry, labels.channels) || labels.nothing}</small>
                <Icon name="down" />
              </summary>
              <Channels entry={entry} name={entry.workflow?.name ?? ""} />
            </details>
          ))}
        </section>
      )}
      <ScheduleForm schedule={global?.schedule ?? { isEnabled: false }} />
    </div>
  );
}

const channelsOf = ({ channels }: Preference): Channel[] => channelOrder.filter((name) => channels[name] !== undefined);

const summaryOf = (entry: Preference, names: Record<Channel, string>): string =>
  channelsOf(entry)
    .filter((name) => entry.channels[name])
    .map((name) => names[name])
    .join(", ");

function Channels({ entry, name }: { entry: Preference; name: string }) {
  const { inbox, labels, attempt } = useUi();
  const workflowId = entry.workflow?.id ?? null;
  return (
    <fieldset class="rows" aria-label={name}>
      {channelsOf(entry).map((channel) => (
        <Switch
          key={channel}
          label={labels.channels[channel]}
          isOn={entry.channels[channel] ?? false}
          isFixed={entry.workflow?.critical ?? false}
          onChange={(isOn) => attempt(inbox.updatePreference(workflowId, { [channel]: isOn }))}
        />
      ))}
    </fieldset>
  );
}

type SwitchProps = { label: string; isOn: boolean; isFixed?: boolean; onChange: (isOn: boolean) => void };

function Switch({ label, isOn, isFixed, onChange }: SwitchProps) {
  return (
    <label class="row">
      <span>{label}</span>
      <input
        type="checkbox"
        // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox has its state
        role="switch"
        checked={isOn}
        disabled={isFixed}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    </label>
  );
}

function ScheduleForm({ schedule }: { schedule: Schedule }) {
  const { inbox, labels, locale, attempt } = useUi();
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
      <p>{labels.scheduleText}</p>
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
  const { labels } = useUi();
  const hours = value.hours?.length ? value.hours : workingDay.hours!;
  const [first, ...others] = hours;
  const field = (side: "start" | "end", label: string) => (
    <input
      type="time"
      aria-label={`${name}, ${label}`}
      value={toFieldTime(first![side])}
      onChange={({ currentTarget }) =>
        currentTarget.value &&
        onChange({ ...value, hours: [{ ...first!, [side]: fromFieldTime(currentTarget.value) }, ...others] })
      }
    />
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
        <span class="hours">
          {field("start", labels.from)}
          <span aria-hidden="true">–</span>
          {field("end", labels.to)}
        </span>
      )}
    </div>
  );
}

// When it starts: at once, at a moment, or at an hour of each person's day; and over how many hours.
import type { Broadcast } from "@tidings/contract";
import { useRef } from "react";
import { TextField } from "../../../kit/inputs/field.tsx";
import { fromLocalInput, ownZone, toLocalInput } from "../../../kit/inputs/local-time.ts";
import { Segments } from "../../../kit/inputs/segments.tsx";
import { Muted, Stack } from "../../../kit/layout/layout.tsx";
import { Card } from "../../../kit/layout/page.tsx";
import { startText } from "../moments.ts";
import { words } from "../words.ts";
import css from "./draft.module.css";
import type { DraftEditor } from "./use-broadcast-draft.ts";

const say = words.time;
type Time = Broadcast["time"];

/** What a kind begins with. */
function startOf(kind: Time["kind"], { spreadHours }: Time): Time {
  const spread = spreadHours === undefined ? {} : { spreadHours };
  if (kind === "now") return { kind, ...spread };
  const tomorrow = new Date(Date.now() + 86_400_000);
  tomorrow.setHours(9, 0, 0, 0);
  if (kind === "at") return { kind, at: tomorrow.toISOString(), ...spread };
  return {
    kind,
    date: toLocalInput(tomorrow.toISOString()).slice(0, 10),
    localTime: "09:00",
    timezone: ownZone(),
    ...spread,
  };
}

export function TimeSection({ editor: { draft, isReadOnly, errors, change } }: { editor: DraftEditor }) {
  const { time } = draft;
  const set = (changed: Partial<Time>, field: string) => change({ time: present({ ...time, ...changed }) }, field);
  // What the other kinds had: a look at one loses nothing.
  const kept = useRef<Partial<Record<Time["kind"], Time>>>({});
  const choose = (kind: Time["kind"]) => {
    if (kind === time.kind) return;
    kept.current[time.kind] = time;
    const before = kept.current[kind];
    const { spreadHours } = time;
    change({ time: before ? present({ ...before, spreadHours }) : startOf(kind, time) }, "time.kind");
  };
  const errorOf = (field: keyof Time) => errors[`time.${field}`];
  return (
    <Card title={say.title}>
      <Stack>
        <Segments label={say.kind} value={time.kind} choices={say.kinds} isDisabled={isReadOnly} onChoose={choose} />
        {time.kind === "at" && (
          <TextField
            label={say.at}
            type="datetime-local"
            value={toLocalInput(time.at)}
            readOnly={isReadOnly}
            hint={say.atHint(ownZone())}
            error={errorOf("at")}
            onChange={({ target }) => set({ at: fromLocalInput(target.value) ?? undefined }, "time.at")}
          />
        )}
        {time.kind === "local" && (
          <>
            <div className={css.fields}>
              <TextField
                label={say.date}
                type="date"
                value={time.date ?? ""}
                readOnly={isReadOnly}
                error={errorOf("date")}
                onChange={({ target }) => set({ date: target.value || undefined }, "time.date")}
              />
              <TextField
                label={say.localTime}
                type="time"
                value={time.localTime ?? ""}
                readOnly={isReadOnly}
                error={errorOf("localTime")}
                onChange={({ target }) => set({ localTime: target.value.slice(0, 5) || undefined }, "time.localTime")}
              />
              <TextField
                label={say.timezone}
                value={time.timezone ?? ""}
                readOnly={isReadOnly}
                spellCheck={false}
                autoComplete="off"
                placeholder="UTC"
                list="broadcast-zones"
                error={errorOf("timezone")}
                onChange={({ target }) => set({ timezone: target.value.trim() || undefined }, "time.timezone")}
              />
            </div>
            <datalist id="broadcast-zones">
              {Intl.supportedValuesOf("timeZone").map((zone) => (
                <option key={zone} value={zone} />
              ))}
            </datalist>
            <Muted>{say.localHint}</Muted>
          </>
        )}
        <TextField
          label={say.spread}
          type="number"
          min={0}
          max={168}
          step="any"
          inputMode="decimal"
          value={time.spreadHours ?? ""}
          readOnly={isReadOnly}
          hint={say.spreadHint}
          error={errorOf("spreadHours")}
          onChange={({ target }) =>
            set({ spreadHours: Number.isNaN(target.valueAsNumber) ? undefined : target.valueAsNumber }, "time.spread")
          }
        />
        <Muted>{startText(time)}</Muted>
      </Stack>
    </Card>
  );
}

/** Without the members that have no value. */
const present = (time: Partial<Time> & Pick<Time, "kind">): Time =>
  Object.fromEntries(Object.entries(time).filter(([, value]) => value !== undefined)) as Time;

// A time that repeats: days and a time of day, over a cron expression that can be edited itself.
import { useId, useState } from "react";
import { Button } from "../kit/inputs/button.tsx";
import { choicesOf } from "../kit/inputs/choices.ts";
import { Select } from "../kit/inputs/select.tsx";
import { cronText, newPlan, nextTimes, type Plan, type Repeat, readPlan, timeText, writePlan } from "./cron.ts";
import css from "./cron-field.module.css";
import inputs from "./fields.module.css";
import { words } from "./words.ts";

const say = words.cron;

type CronFieldProps = {
  label: string;
  hint?: string;
  value: string;
  error?: string;
  isReadOnly: boolean;
  onChange: (cron: string) => void;
};

export function CronField({ label, hint, value, error, isReadOnly, onChange }: CronFieldProps) {
  const id = useId();
  const plan = readPlan(value);
  const [isRaw, setRaw] = useState(false);
  const isBuilt = !isRaw && (plan !== null || value === "");
  const next = value === "" ? { times: [] } : nextTimes(value, localNow());
  // The service says the same when the workflow is saved.
  const fault = "fault" in next ? next.fault : error;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend that is seen
    <div className={css.field} role="group" aria-labelledby={`${id}-label`} aria-describedby={`${id}-note`}>
      <span id={`${id}-label`} className={css.label}>
        {label}
      </span>
      {isBuilt ? (
        <PlanFields plan={plan} isReadOnly={isReadOnly} onChange={(changed) => onChange(writePlan(changed))} />
      ) : (
        <input
          className={inputs.mono}
          aria-label={say.expression}
          aria-invalid={fault !== undefined || undefined}
          title={say.expressionHint}
          value={value}
          readOnly={isReadOnly}
          spellCheck={false}
          autoComplete="off"
          onChange={({ target }) => onChange(target.value)}
        />
      )}
      <div id={`${id}-note`} className={css.note}>
        {fault !== undefined ? (
          <p className={css.error} role="alert">
            {fault}
          </p>
        ) : (
          <>
            {value !== "" && <strong>{cronText(value) ?? value}</strong>}
            {"times" in next && next.times.length > 0 && <span>{say.next(next.times)}</span>}
            <span>{isBuilt ? hint : say.expressionHint}</span>
          </>
        )}
      </div>
      {!isReadOnly && (isBuilt || plan !== null || value === "") && (
        <div>
          <Button size="small" look="plain" icon={isBuilt ? "code" : "clock"} onClick={() => setRaw(!isRaw)}>
            {isBuilt ? say.raw : say.built}
          </Button>
        </div>
      )}
    </div>
  );
}

/** The time of this browser, read as if its zone were UTC: the recipient's day is about the same. */
const localNow = (): number => Date.now() - new Date().getTimezoneOffset() * 60_000;

type PlanFieldsProps = { plan: Plan | null; isReadOnly: boolean; onChange: (plan: Plan) => void };

function PlanFields({ plan, isReadOnly, onChange }: PlanFieldsProps) {
  const none = { value: "" as const, label: say.none };
  return (
    <div className={css.plan}>
      <Select<Repeat | "">
        name={say.repeat}
        isWide
        value={plan?.repeat ?? ""}
        choices={plan ? choicesOf<Repeat>(say.repeats) : [none, ...choicesOf<Repeat>(say.repeats)]}
        disabled={isReadOnly}
        onChange={(repeat) => repeat !== "" && onChange({ ...(plan ?? newPlan), repeat })}
      />
      {plan?.repeat === "weekly" && (
        <Weekdays
          chosen={plan.weekdays}
          isReadOnly={isReadOnly}
          onChange={(weekdays) => onChange({ ...plan, weekdays })}
        />
      )}
      {plan?.repeat === "monthly" && (
        <NumberInput
          label={say.day}
          value={plan.day}
          least={1}
          most={31}
          isReadOnly={isReadOnly}
          onChange={(day) => onChange({ ...plan, day })}
        />
      )}
      {plan?.repeat === "hourly" && (
        <NumberInput
          label={say.minute}
          value={plan.minute}
          least={0}
          most={59}
          isReadOnly={isReadOnly}
          onChange={(minute) => onChange({ ...plan, minute })}
        />
      )}
      {plan && plan.repeat !== "hourly" && (
        <input
          className={inputs.input}
          type="time"
          aria-label={say.at}
          value={timeText(plan)}
          readOnly={isReadOnly}
          onChange={({ target }) => {
            const [hour, minute] = target.value.split(":").map(Number);
            // An empty field while the time is typed.
            if (hour !== undefined && minute !== undefined) onChange({ ...plan, hour, minute });
          }}
        />
      )}
    </div>
  );
}

/** Monday first. At least one day stays chosen. */
const order = [1, 2, 3, 4, 5, 6, 0];

type WeekdaysProps = { chosen: readonly number[]; isReadOnly: boolean; onChange: (weekdays: number[]) => void };

const Weekdays = ({ chosen, isReadOnly, onChange }: WeekdaysProps) => (
  // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend that is seen
  <div className={css.weekdays} role="group" aria-label={say.weekdays}>
    {order.map((day) => {
      const isChosen = chosen.includes(day);
      const next = isChosen ? chosen.filter((one) => one !== day) : [...chosen, day].sort((a, b) => a - b);
      return (
        <button
          key={day}
          type="button"
          aria-pressed={isChosen}
          title={say.names[day]}
          disabled={isReadOnly || next.length === 0}
          onClick={() => onChange(next)}
        >
          {say.short[day]}
        </button>
      );
    })}
  </div>
);

type NumberInputProps = {
  label: string;
  value: number;
  least: number;
  most: number;
  isReadOnly: boolean;
  onChange: (value: number) => void;
};

const NumberInput = ({ label, value, least, most, isReadOnly, onChange }: NumberInputProps) => (
  <input
    className={inputs.input}
    type="number"
    aria-label={label}
    title={label}
    min={least}
    max={most}
    value={value}
    readOnly={isReadOnly}
    onChange={({ target }) => {
      const number = target.valueAsNumber;
      if (Number.isInteger(number) && number >= least && number <= most) onChange(number);
    }}
  />
);

// The quiet time of a rule: messages wait until it is over.
import { Checkbox, TextField } from "../../kit/inputs/field.tsx";
import { Stack } from "../../kit/layout/layout.tsx";
import css from "./alerts.module.css";
import type { QuietFields as Quiet } from "./rule-fields.ts";
import { words } from "./words.ts";

const text = words.rules;

type QuietFieldsProps = {
  quiet: Quiet;
  errors: Record<string, string | undefined>;
  onChange: (quiet: Quiet) => void;
};

export const QuietFields = ({ quiet, errors, onChange }: QuietFieldsProps) => (
  <fieldset className={css.group}>
    <legend>{text.quiet}</legend>
    <Stack isSmall>
      <Checkbox
        label={text.quietOn}
        checked={quiet.isOn}
        onChange={({ target }) => onChange({ ...quiet, isOn: target.checked })}
      />
      {quiet.isOn && (
        <>
          <div className={css.times}>
            {(["from", "to"] as const).map((name) => (
              <TextField
                key={name}
                label={text[name]}
                type="time"
                value={quiet[name]}
                error={errors[`quiet.${name}`]}
                onChange={({ target }) => onChange({ ...quiet, [name]: target.value })}
              />
            ))}
            <TextField
              label={text.timezone}
              value={quiet.timezone}
              error={errors["quiet.timezone"]}
              spellCheck={false}
              autoComplete="off"
              onChange={({ target }) => onChange({ ...quiet, timezone: target.value.trim() })}
            />
          </div>
          <fieldset className={css.days} aria-label={text.days}>
            {text.dayNames.map((name, index) => (
              <Checkbox
                key={name}
                label={name}
                checked={quiet.days.includes(index + 1)}
                onChange={({ target }) =>
                  onChange({
                    ...quiet,
                    days: target.checked
                      ? [...quiet.days, index + 1].sort((one, other) => one - other)
                      : quiet.days.filter((day) => day !== index + 1),
                  })
                }
              />
            ))}
          </fieldset>
        </>
      )}
    </Stack>
  </fieldset>
);

// How fast it goes, in all and while an integration is active, and when it is too late.
import type { Broadcast } from "@tidings/contract";
import { useOperation } from "../../../api/hooks.ts";
import { Button, IconButton } from "../../../kit/inputs/button.tsx";
import { Field, TextField } from "../../../kit/inputs/field.tsx";
import { fromLocalInput, ownZone, toLocalInput } from "../../../kit/inputs/local-time.ts";
import { Select } from "../../../kit/inputs/select.tsx";
import { Muted, Stack } from "../../../kit/layout/layout.tsx";
import { Card } from "../../../kit/layout/page.tsx";
import { words } from "../words.ts";
import css from "./draft.module.css";
import type { DraftEditor } from "./use-broadcast-draft.ts";

const say = words.pace;
const startLimit = 600;

export function PaceSection({ editor: { draft, isReadOnly, errors, change } }: { editor: DraftEditor }) {
  const { pace, expiresAt } = draft;
  const limits = Object.entries(pace.integrations ?? {});
  const { data } = useOperation("integrations.list", {}, { staleTime: 30_000 });
  const known = (data ?? []).map(({ identifier, name }) => ({ value: identifier, label: name, note: identifier }));
  const free = known.filter(({ value }) => !limits.some(([identifier]) => identifier === value));
  const set = (next: Broadcast["pace"], field: string) => change({ pace: next }, field);
  const setLimits = (next: readonly (readonly [string, number])[], field: string) => {
    const { integrations: _before, ...others } = pace;
    set(next.length === 0 ? others : { ...others, integrations: Object.fromEntries(next) }, field);
  };
  return (
    <Card title={say.title}>
      <Stack>
        <TextField
          label={say.perMinute}
          type="number"
          min={1}
          inputMode="numeric"
          value={pace.perMinute ?? ""}
          readOnly={isReadOnly}
          hint={say.perMinuteHint}
          error={errors["pace.perMinute"]}
          onChange={({ target }) => {
            const { perMinute: _before, ...others } = pace;
            const perMinute = target.valueAsNumber;
            set(Number.isInteger(perMinute) ? { ...others, perMinute } : others, "pace.perMinute");
          }}
        />
        {limits.length > 0 && <Muted>{`${say.integrations}. ${say.integrationsHint}`}</Muted>}
        {limits.map(([identifier, perMinute], index) => (
          <div key={identifier} className={css.limit}>
            <Field label={say.integration}>
              {({ id }) => (
                <Select
                  id={id}
                  name={say.integration}
                  isWide
                  value={identifier}
                  disabled={isReadOnly}
                  choices={[
                    known.find(({ value }) => value === identifier) ?? { value: identifier, label: identifier },
                    ...free,
                  ]}
                  onChange={(next) => setLimits(limits.with(index, [next, perMinute]), "pace.integrations")}
                />
              )}
            </Field>
            <TextField
              label={say.limit}
              type="number"
              min={1}
              inputMode="numeric"
              value={perMinute}
              readOnly={isReadOnly}
              error={errors[`pace.integrations.${identifier}`]}
              onChange={({ target }) =>
                Number.isInteger(target.valueAsNumber) &&
                setLimits(limits.with(index, [identifier, target.valueAsNumber]), `pace.${identifier}`)
              }
            />
            {!isReadOnly && (
              <IconButton
                label={say.removeOf(identifier)}
                icon="x"
                onClick={() => setLimits(limits.toSpliced(index, 1), "pace.integrations")}
              />
            )}
          </div>
        ))}
        {!isReadOnly && free.length > 0 && (
          <div>
            <Button
              size="small"
              look="plain"
              icon="plus"
              onClick={() =>
                setLimits([...limits, [free[0]!.value, pace.perMinute ?? startLimit]], "pace.integrations")
              }
            >
              {say.add}
            </Button>
          </div>
        )}
        <TextField
          label={words.expiry.at}
          type="datetime-local"
          value={toLocalInput(expiresAt)}
          readOnly={isReadOnly}
          hint={`${words.expiry.hint} ${words.time.atHint(ownZone())}`}
          error={errors.expiresAt}
          onChange={({ target }) => change({ expiresAt: fromLocalInput(target.value) }, "expiresAt")}
        />
      </Stack>
    </Card>
  );
}

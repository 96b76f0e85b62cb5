// A new variable, or new values of one. A stored secret is never shown: an empty field keeps it.
import type { EnvironmentVariable } from "@tidings/contract";
import { useState } from "react";
import { useChange } from "../../api/hooks.ts";
import { useEnvironment, useSession } from "../../api/session.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { Checkbox, TextArea, TextField } from "../../kit/inputs/field.tsx";
import { Stack } from "../../kit/layout/layout.tsx";
import { useConfirm } from "../../kit/overlays/confirm.tsx";
import { FormDialog } from "../../kit/overlays/form-dialog.tsx";
import { showToast } from "../../kit/overlays/toast.tsx";
import { words } from "./words.ts";

const text = words.variables;
const keyPattern = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
const maxLength = 8_192;

/** `value`: as typed. `isRemoved`: the stored value goes. */
type Draft = { value: string; isRemoved: boolean };
type Change = { _environmentId: string; value: string | null };

/** Without `variable`: a new one. */
export function VariableDialog({ variable, onClose }: { variable?: EnvironmentVariable; onClose: () => void }) {
  const { environments } = useSession();
  const chosen = useEnvironment();
  const stored = new Map(variable?.values.map(({ _environmentId, value }) => [_environmentId, value]));
  const wasSecret = variable?.isSecret ?? false;
  const [key, setKey] = useState(variable?.key ?? "");
  const [isSecret, setSecret] = useState(wasSecret);
  const [drafts, setDrafts] = useState<Record<string, Draft>>(() =>
    Object.fromEntries(
      environments.map(({ _id }) => [_id, { value: wasSecret ? "" : (stored.get(_id) ?? ""), isRemoved: false }]),
    ),
  );
  const create = useChange("environmentVariables.create", ["environmentVariables.list"]);
  const update = useChange("environmentVariables.update", ["environmentVariables.list"]);
  const set = (id: string, change: Partial<Draft>) =>
    setDrafts((before) => ({ ...before, [id]: { ...before[id]!, ...change } }));
  const changes = environments.flatMap(({ _id }): Change[] => {
    const { value, isRemoved } = drafts[_id]!;
    const before = stored.get(_id);
    // An empty field sets nothing; that of a stored plain value removes it.
    const isCleared = !wasSecret && value === "" && before !== undefined && before !== "";
    if (isRemoved || isCleared) return [{ _environmentId: _id, value: null }];
    return value === "" || (!wasSecret && value === before) ? [] : [{ _environmentId: _id, value }];
  });
  const changed = new Map(changes.map(({ _environmentId, value }) => [_environmentId, value]));
  const hasValue = environments.some(({ _id }) => (changed.has(_id) ? changed.get(_id) !== null : stored.has(_id)));
  const { confirm, dialog } = useConfirm();
  const error = create.error ?? update.error;
  const done = {
    onSuccess: () => {
      showToast({ title: text.saved(key) });
      onClose();
    },
  };
  const given = changes.map(({ _environmentId, value }) => ({ _environmentId, value: value ?? "" }));
  const save = () =>
    variable
      ? update.mutate({ params: { variableKey: variable.key }, body: { isSecret, values: changes } }, done)
      : create.mutate({ body: { key, isSecret, values: given } }, done);
  // What becomes a secret, or plain, changes wherever there is a value.
  const isConcerned = (id: string) => changed.has(id) || (isSecret !== wasSecret && stored.has(id));
  const environment =
    environments.find(({ _id, type }) => type === "prod" && isConcerned(_id)) ??
    environments.find(({ type }) => type !== "prod");
  const question = { title: text.confirmTitle(key), label: text.save, ...(environment && { environment }) };
  return (
    <FormDialog
      title={variable ? text.editTitle(variable.key) : text.createTitle}
      description={text.valuesHint}
      submit={variable ? text.save : text.add}
      isDisabled={create.isPending || update.isPending || !keyPattern.test(key) || !hasValue}
      error={error?.fields.key === undefined ? error : undefined}
      onClose={onClose}
      onSubmit={() => confirm(question, save)}
    >
      {dialog}
      {!variable && (
        <TextField
          label={text.name}
          hint={text.nameHint}
          value={key}
          maxLength={64}
          spellCheck={false}
          autoComplete="off"
          error={error?.fields.key}
          onChange={({ target }) => setKey(target.value.trim())}
        />
      )}
      <Checkbox label={text.secretField} checked={isSecret} onChange={({ target }) => setSecret(target.checked)} />
      {environments.map(({ _id, name }) => {
        const { value, isRemoved } = drafts[_id]!;
        const isKept = wasSecret && stored.has(_id);
        const hint = isRemoved ? text.removedHint : isKept ? (isSecret ? text.keptHint : text.newHint) : undefined;
        const field = {
          label: text.valueIn(name),
          hint,
          value,
          maxLength,
          spellCheck: false,
          autoComplete: "off",
          disabled: isRemoved,
          autoFocus: variable !== undefined && _id === chosen._id,
        };
        const change = ({ target }: { target: { value: string } }) => set(_id, { value: target.value });
        return (
          <Stack key={_id} isSmall>
            {isSecret ? (
              <TextField {...field} type="password" autoComplete="new-password" onChange={change} />
            ) : stored.get(_id)?.includes("\n") ? (
              <TextArea {...field} rows={4} onChange={change} />
            ) : (
              <TextField {...field} onChange={change} />
            )}
            {isKept && (
              <Button size="small" onClick={() => set(_id, { isRemoved: !isRemoved, value: "" })}>
                {isRemoved ? text.keepValue(name) : text.removeValue(name)}
              </Button>
            )}
          </Stack>
        );
      })}
    </FormDialog>
  );
}

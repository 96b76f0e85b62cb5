// A new API key, or what a key may do: its name and owner, scope, expiry and networks.
import type { ApiKey, KeyScope, NewApiKey } from "@tidings/contract";
import { useState } from "react";
import { faultBeside } from "../../../api/api-error.ts";
import type { Environment } from "../../../api/auth.ts";
import { useChange } from "../../../api/hooks.ts";
import { Checkbox, Field, TextArea, TextField } from "../../../kit/inputs/field.tsx";
import { fromLocalInput, ownZone, toLocalInput } from "../../../kit/inputs/local-time.ts";
import { Select } from "../../../kit/inputs/select.tsx";
import { useConfirm } from "../../../kit/overlays/confirm.tsx";
import { FormDialog } from "../../../kit/overlays/form-dialog.tsx";
import { showToast } from "../../../kit/overlays/toast.tsx";
import { OperationsField } from "./operations-field.tsx";
import { keyWords } from "./words.ts";

const text = keyWords.form;
const scopes = Object.entries(keyWords.scopes).map(([value, label]) => ({ value: value as KeyScope, label }));

type KeyFormProps = {
  environment: Environment;
  /** Absent: a new one. */
  stored?: ApiKey;
  onMade: (key: string) => void;
  onClose: () => void;
};

export function KeyForm({ environment, stored, onMade, onClose }: KeyFormProps) {
  const { _id: environmentId, name: environmentName } = environment;
  const [name, setName] = useState(stored?.name ?? "");
  const [owner, setOwner] = useState(stored?.owner ?? "");
  const [scope, setScope] = useState<KeyScope>(stored?.scope ?? "full");
  const [operations, setOperations] = useState<string[]>(stored?.operations ?? []);
  const [expiry, setExpiry] = useState(toLocalInput(stored?.expiresAt));
  const [mayRaise, setMayRaise] = useState(stored?.mayRaisePriority ?? false);
  const [networks, setNetworks] = useState((stored?.allowedNetworks ?? []).join("\n"));
  const make = useChange("environments.createApiKey", ["environments.list"], environmentId);
  const update = useChange("environments.updateApiKey", ["environments.list"], environmentId);
  const { confirm, dialog } = useConfirm();
  const error = make.error ?? update.error;
  const faultOf = (field: string): string | undefined => {
    const found = Object.entries(error?.fields ?? {}).find(([at]) => at === field || at.startsWith(`${field}.`));
    return found && faultBeside(...found);
  };
  const hasFault = ["name", "owner", "operations", "expiresAt", "allowedNetworks"].some(faultOf);

  const lines = networks.split(/[\s,]+/).filter(Boolean);
  const chosen = scope === "operations" ? { operations } : {};
  const params = { environmentId };
  const create = () => {
    const body: NewApiKey = {
      name: name.trim(),
      ...(owner.trim() && { owner: owner.trim() }),
      ...{ scope, ...chosen, expiresAt: fromLocalInput(expiry) ?? undefined },
      ...(lines.length > 0 && { allowedNetworks: lines }),
    };
    make.mutate({ params, body }, { onSuccess: ({ key }) => onMade(key) });
  };
  const change = (key: ApiKey) => {
    // The field has minutes: a time that was not touched stays as it is stored.
    const isMoved = expiry !== toLocalInput(key.expiresAt);
    const body = {
      ...(name.trim() && { name: name.trim() }),
      ...{ owner: owner.trim() || null, scope, ...chosen },
      ...(isMoved && { expiresAt: fromLocalInput(expiry) }),
      allowedNetworks: lines.length > 0 ? lines : null,
      mayRaisePriority: mayRaise,
    };
    update.mutate(
      { params: { environmentId, keyId: key._id! }, body },
      {
        onSuccess: () => {
          showToast({ title: text.saved });
          onClose();
        },
      },
    );
  };
  const label = stored ? text.save : text.create;
  const title = stored ? text.confirmTitle : text.createTitle(environmentName);
  const isIncomplete = (!stored && name.trim() === "") || (scope === "operations" && operations.length === 0);
  return (
    <FormDialog
      title={stored ? text.editTitle : text.createTitle(environmentName)}
      submit={label}
      isDisabled={make.isPending || update.isPending || isIncomplete}
      error={hasFault ? undefined : error}
      onClose={onClose}
      onSubmit={() => confirm({ title, label, environment }, () => (stored ? change(stored) : create()))}
    >
      {dialog}
      <TextField
        label={text.name}
        hint={text.nameHint}
        value={name}
        maxLength={128}
        autoComplete="off"
        error={faultOf("name")}
        onChange={({ target }) => setName(target.value)}
      />
      <TextField
        label={text.owner}
        hint={stored ? undefined : text.ownerHint}
        value={owner}
        maxLength={128}
        autoComplete="off"
        error={faultOf("owner")}
        onChange={({ target }) => setOwner(target.value)}
      />
      <Field label={text.scope} hint={keyWords.scopeHints[scope]}>
        {(described) => (
          <Select {...described} name={text.scope} value={scope} choices={scopes} onChange={setScope} isWide />
        )}
      </Field>
      {scope === "operations" && (
        <OperationsField chosen={operations} error={faultOf("operations")} onChange={setOperations} />
      )}
      <TextField
        label={text.expiry}
        hint={text.expiryHint(ownZone())}
        type="datetime-local"
        value={expiry}
        error={faultOf("expiresAt")}
        onChange={({ target }) => setExpiry(target.value)}
      />
      <TextArea
        label={text.networks}
        hint={text.networksHint}
        rows={3}
        value={networks}
        spellCheck={false}
        error={faultOf("allowedNetworks")}
        onChange={({ target }) => setNetworks(target.value)}
      />
      {stored && (
        <Checkbox label={text.mayRaise} checked={mayRaise} onChange={({ target }) => setMayRaise(target.checked)} />
      )}
    </FormDialog>
  );
}

// The name and the description of a fixed list. Those of a rule are part of its form.
import type { Audience } from "@tidings/contract";
import { useState } from "react";
import { useChange } from "../../api/hooks.ts";
import { TextField } from "../../kit/inputs/field.tsx";
import { FormDialog } from "../../kit/overlays/form-dialog.tsx";
import { showToast } from "../../kit/overlays/toast.tsx";
import { words } from "./words.ts";

export function AboutDialog({ audience, onClose }: { audience: Audience; onClose: () => void }) {
  const { audienceId } = audience;
  const [name, setName] = useState(audience.name);
  const [description, setDescription] = useState(audience.description ?? "");
  const update = useChange("audiences.update", ["audiences.list", "audiences.retrieve"]);
  const submit = () =>
    update.mutate(
      { params: { audienceId }, body: { name: name.trim(), description: description.trim() || null } },
      {
        onSuccess: () => {
          showToast({ title: words.form.saved });
          onClose();
        },
      },
    );
  return (
    <FormDialog
      title={words.menu.rename}
      submit={words.form.save}
      isDisabled={name.trim() === "" || update.isPending}
      error={update.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={words.name}
        value={name}
        maxLength={128}
        autoFocus
        onChange={({ target }) => setName(target.value)}
      />
      <TextField
        label={words.form.description}
        value={description}
        maxLength={1_000}
        hint={words.form.descriptionHint}
        onChange={({ target }) => setDescription(target.value)}
      />
    </FormDialog>
  );
}

// A new draft needs a name only.
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useChange } from "../../api/hooks.ts";
import { TextField } from "../../kit/inputs/field.tsx";
import { FormDialog } from "../../kit/overlays/form-dialog.tsx";
import { words } from "./words.ts";

/** `audienceId`: the audience that it goes to, where it was begun there. */
export function CreateDialog({ audienceId, onClose }: { audienceId?: string; onClose: () => void }) {
  const [name, setName] = useState("");
  const navigate = useNavigate();
  const create = useChange("broadcasts.create", ["broadcasts.list"]);
  const submit = () =>
    create.mutate(
      { body: { name: name.trim(), ...(audienceId !== undefined && { audience: { include: [audienceId] } }) } },
      {
        onSuccess: ({ _id }) => void navigate({ to: "/broadcasts/$broadcastId", params: { broadcastId: _id } }),
      },
    );
  return (
    <FormDialog
      title={words.createTitle}
      description={words.createText}
      submit={words.createAction}
      isDisabled={name.trim() === "" || create.isPending}
      error={create.error?.fields.name ? undefined : create.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={words.name}
        value={name}
        maxLength={128}
        autoFocus
        hint={words.nameHint}
        error={create.error?.fields.name}
        onChange={({ target }) => setName(target.value)}
      />
    </FormDialog>
  );
}

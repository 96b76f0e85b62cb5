// A name and an id for a new audience that is a list: an empty one, or the people whom another audience has now.
import { useNavigate } from "@tanstack/react-router";
import type { Audience } from "@tidings/contract";
import { useState } from "react";
import { useChange } from "../../api/hooks.ts";
import { identifierFrom } from "../../fields/identifier.ts";
import { formatDay } from "../../kit/data/time.tsx";
import { TextField } from "../../kit/inputs/field.tsx";
import { FormDialog } from "../../kit/overlays/form-dialog.tsx";
import { showToast } from "../../kit/overlays/toast.tsx";
import { isUsableId } from "./usable-id.ts";
import { words } from "./words.ts";

/** `of`: the audience whose people the list gets. */
export function FixedDialog({ of, onClose }: { of?: Audience; onClose: () => void }) {
  const day = formatDay(new Date().toISOString());
  const [name, setName] = useState(of ? words.menu.snapshotName(of.name, day) : "");
  const [ownId, setOwnId] = useState<string | null>(null);
  const navigate = useNavigate();
  const create = useChange("audiences.create", ["audiences.list"]);
  const snapshot = useChange("audiences.snapshot", ["audiences.list"]);
  const audienceId = ownId ?? identifierFrom(name);
  const error = create.error ?? snapshot.error;
  const isTaken = error?.code === "AUDIENCE_EXISTS";
  const forget = () => {
    create.reset();
    snapshot.reset();
  };
  const onSuccess = (made: Audience) => {
    showToast({ title: words.form.created });
    onClose();
    void navigate({ to: "/audiences/$audienceId", params: { audienceId: made.audienceId } });
  };
  const body = { audienceId, name: name.trim() };
  const submit = () =>
    of
      ? snapshot.mutate({ params: { audienceId: of.audienceId }, body }, { onSuccess })
      : create.mutate({ body }, { onSuccess });
  return (
    <FormDialog
      title={of ? words.menu.snapshotTitle : words.fixed.title}
      description={of ? words.menu.snapshotText : words.fixed.text}
      submit={of ? words.menu.snapshotAction : words.fixed.action}
      isDisabled={name.trim() === "" || !isUsableId(audienceId) || create.isPending || snapshot.isPending}
      error={isTaken || error?.fields.audienceId ? undefined : error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={words.name}
        value={name}
        maxLength={128}
        autoFocus
        onChange={({ target }) => {
          forget();
          setName(target.value);
        }}
      />
      <TextField
        label={words.id}
        value={audienceId}
        maxLength={100}
        spellCheck={false}
        hint={words.form.idHint}
        error={
          isTaken
            ? words.form.taken
            : audienceId !== "" && !isUsableId(audienceId)
              ? words.form.badId
              : error?.fields.audienceId
        }
        onChange={({ target }) => {
          forget();
          setOwnId(target.value);
        }}
      />
    </FormDialog>
  );
}

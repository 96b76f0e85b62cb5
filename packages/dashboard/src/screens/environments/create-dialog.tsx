// A new environment, then its key, which is shown once.
import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { type FormEvent, useId, useState } from "react";
import { useChange } from "../../api/hooks.ts";
import { sessionQuery } from "../../api/session.tsx";
import { ErrorPanel } from "../../kit/feedback/states.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { TextField } from "../../kit/inputs/field.tsx";
import { Stack } from "../../kit/layout/layout.tsx";
import { Dialog } from "../../kit/overlays/dialog.tsx";
import { showToast } from "../../kit/overlays/toast.tsx";
import { words as kitWords } from "../../words.ts";
import { KeyDialog } from "./keys/key-dialog.tsx";
import { words } from "./words.ts";

const text = words.create;
/** Editors of other products show it; this dashboard does not. */
const color = "#0f766e";

export function CreateDialog({ onClose }: { onClose: () => void }) {
  const form = useId();
  const [name, setName] = useState("");
  const client = useQueryClient();
  const router = useRouter();
  const create = useChange("environments.create");
  // The list of environments is part of the session. It is read when the key was seen: reading it draws the page anew.
  const finish = async () => {
    onClose();
    await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
    await client.fetchQuery(sessionQuery);
    await router.invalidate();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate(
      { body: { name: name.trim(), color } },
      {
        onSuccess: (made) => {
          // Keys are only shown to owners: an editor who creates an environment sees none.
          if (made.apiKeys) return;
          showToast({ title: text.done(made.name) });
          void finish();
        },
      },
    );
  };
  const key = create.data?.apiKeys?.[0]?.key;
  if (key !== undefined)
    return <KeyDialog title={text.done(create.data!.name)} value={key} onClose={() => void finish()} />;
  const nameError = create.error?.fields.name;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={text.title}
      description={text.text}
      actions={
        <>
          <Button onClick={onClose}>{kitWords.cancel}</Button>
          <Button type="submit" form={form} look="primary" disabled={create.isPending || name.trim() === ""}>
            {text.submit}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit}>
        <Stack>
          {create.error && nameError === undefined && <ErrorPanel error={create.error} />}
          <TextField
            label={text.name}
            hint={text.nameHint}
            value={name}
            maxLength={128}
            error={nameError}
            onChange={({ target }) => setName(target.value)}
          />
        </Stack>
      </form>
    </Dialog>
  );
}

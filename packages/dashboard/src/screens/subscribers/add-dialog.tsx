// A new subscriber, by hand: to test with, or to fix what an import left out.
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useChange } from "../../api/hooks.ts";
import { TextField } from "../../kit/inputs/field.tsx";
import { FormDialog } from "../../kit/overlays/form-dialog.tsx";
import { showToast } from "../../kit/overlays/toast.tsx";
import { words } from "./words.ts";

const say = words.add;
const names = ["email", "firstName", "lastName", "phone"] as const;
type Name = (typeof names)[number];

const maxLength = 255;

export function AddDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const create = useChange("subscribers.create", ["subscribers.list"]);
  const [ownId, setOwnId] = useState<string | null>(null);
  const [values, setValues] = useState<Record<Name, string>>({ email: "", firstName: "", lastName: "", phone: "" });
  const subscriberId = ownId ?? values.email.trim();
  const isTaken = create.error?.code === "SUBSCRIBER_EXISTS";
  const fields = create.error?.fields ?? {};
  const isShown = isTaken || ["subscriberId", ...names].some((name) => fields[name] !== undefined);
  const save = () => {
    const given = names.flatMap((name) => (values[name].trim() === "" ? [] : [[name, values[name].trim()] as const]));
    create.mutate(
      { query: { failIfExists: true }, body: { subscriberId: subscriberId.trim(), ...Object.fromEntries(given) } },
      {
        onSuccess: (made) => {
          showToast({ title: say.done(made.subscriberId) });
          void navigate({ to: "/subscribers/$subscriberId", params: { subscriberId: made.subscriberId } });
        },
      },
    );
  };
  return (
    <FormDialog
      title={say.title}
      description={say.text}
      submit={say.submit}
      isDisabled={create.isPending || subscriberId.trim() === ""}
      error={isShown ? undefined : create.error}
      onSubmit={save}
      onClose={onClose}
    >
      {names.map((name) => (
        <TextField
          key={name}
          label={words.profile[name]}
          hint={name === "phone" ? words.profile.phoneHint : undefined}
          error={fields[name]}
          value={values[name]}
          maxLength={maxLength}
          spellCheck={false}
          autoComplete="off"
          onChange={({ target }) => setValues({ ...values, [name]: target.value })}
        />
      ))}
      <TextField
        label={say.id}
        hint={say.idHint}
        error={isTaken ? say.taken : fields.subscriberId}
        value={subscriberId}
        maxLength={maxLength}
        required
        spellCheck={false}
        autoComplete="off"
        onChange={({ target }) => setOwnId(target.value)}
      />
    </FormDialog>
  );
}

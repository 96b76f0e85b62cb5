// An invitation: the address and the role, then the link.
import type { Role } from "@tidings/contract";
import { roles } from "@tidings/contract/roles";
import { type FormEvent, useState } from "react";
import { useChange } from "../../api/hooks.ts";
import { ErrorPanel } from "../../kit/feedback/states.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { Field, TextField } from "../../kit/inputs/field.tsx";
import { Select } from "../../kit/inputs/select.tsx";
import { Dialog } from "../../kit/overlays/dialog.tsx";
import { words as kitWords } from "../../words.ts";
import { LinkDialog } from "./link-dialog.tsx";
import css from "./settings.module.css";
import { words } from "./words.ts";

const text = words.members;

export function InviteDialog({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  const invite = useChange("people.createInvitation", ["people.listInvitations"]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    invite.mutate({ body: { email: email.trim(), role } });
  };
  if (invite.data)
    return (
      <LinkDialog
        title={text.linkTitle}
        text={[text.linkText[invite.data.data.mail.status], invite.data.data.mail.reason].filter(Boolean).join(" ")}
        label={text.link}
        link={invite.data.data.link}
        onClose={onClose}
      />
    );
  const emailError = invite.error?.fields.email;
  return (
    <Dialog isOpen onClose={onClose} title={text.invite} description={text.inviteText}>
      <form className={css.form} onSubmit={submit} noValidate>
        {invite.error && emailError === undefined && <ErrorPanel error={invite.error} />}
        <TextField
          label={text.email}
          type="email"
          autoComplete="off"
          value={email}
          error={emailError}
          onChange={({ target }) => setEmail(target.value)}
        />
        <Field label={text.role} hint={words.roleNotes[role]}>
          {({ id }) => (
            <Select
              id={id}
              isWide
              name={text.role}
              value={role}
              onChange={setRole}
              choices={roles.map((value) => ({ value, label: words.roles[value], note: words.roleNotes[value] }))}
            />
          )}
        </Field>
        <div className={css.dialogEnd}>
          <Button onClick={onClose}>{kitWords.cancel}</Button>
          <Button type="submit" look="primary" disabled={invite.isPending || email.trim() === ""}>
            {text.createLink}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

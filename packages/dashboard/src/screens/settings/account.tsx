// The account of the member who is signed in.
import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import type { Role, SignedIn } from "@tidings/contract";
import { type FormEvent, useState } from "react";
import { baseUrl, setCredentials } from "../../api/client.ts";
import { useChange } from "../../api/hooks.ts";
import { sessionQuery, useSession } from "../../api/session.tsx";
import { ErrorPanel } from "../../kit/feedback/states.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { TextField } from "../../kit/inputs/field.tsx";
import { Muted, Row, Stack } from "../../kit/layout/layout.tsx";
import { Card, Facts } from "../../kit/layout/page.tsx";
import { useConfirm } from "../../kit/overlays/confirm.tsx";
import { showError, showToast } from "../../kit/overlays/toast.tsx";
import css from "./settings.module.css";
import { words } from "./words.ts";

const text = words.account;

/** A change returns the updated session, with a new CSRF token. */
function useTakeSession(): (session: SignedIn) => void {
  const client = useQueryClient();
  const router = useRouter();
  return (session) => {
    setCredentials({ csrfToken: session.csrfToken });
    client.setQueryData(sessionQuery.queryKey, session);
    void router.invalidate();
  };
}

export const Account = () => (
  <Stack>
    <NameCard />
    <PasswordCard />
    <SessionsCard />
  </Stack>
);

function NameCard() {
  const { person: member } = useSession();
  const [name, setName] = useState(member.name);
  const update = useChange("auth.updatePerson", ["people.list"]);
  const takeSession = useTakeSession();
  const save = (event: FormEvent) => {
    event.preventDefault();
    update.mutate(
      { body: { name: name.trim() } },
      {
        onSuccess: ({ data }) => {
          takeSession(data);
          showToast({ title: text.saved });
        },
      },
    );
  };
  return (
    <Card title={text.profile}>
      <form className={css.form} onSubmit={save}>
        {update.error && update.error.fields.name === undefined && <ErrorPanel error={update.error} />}
        <TextField
          label={text.name}
          value={name}
          autoComplete="name"
          error={update.error?.fields.name}
          onChange={({ target }) => setName(target.value)}
        />
        <Facts
          of={[
            [text.email, member.email],
            [text.role, `${words.roles[member.role as Role]}: ${words.roleNotes[member.role as Role]}`],
          ]}
        />
        <div>
          <Button type="submit" disabled={update.isPending || name.trim() === "" || name.trim() === member.name}>
            {text.save}
          </Button>
        </div>
      </form>
    </Card>
  );
}

function PasswordCard() {
  const { person: member } = useSession();
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const update = useChange("auth.updatePerson");
  const takeSession = useTakeSession();
  const errors = update.error?.fields ?? {};
  const save = (event: FormEvent) => {
    event.preventDefault();
    update.mutate(
      { body: { password: next, ...(member.hasPassword && { currentPassword: current }) } },
      {
        onSuccess: ({ data }) => {
          takeSession(data);
          setCurrent("");
          setNext("");
          showToast({ title: text.changed });
        },
      },
    );
  };
  return (
    <Card title={text.password}>
      <form className={css.form} onSubmit={save}>
        {update.error && Object.keys(errors).length === 0 && <ErrorPanel error={update.error} />}
        {!member.hasPassword && <Muted>{text.noPassword}</Muted>}
        {/* Password managers need to know whose password it is. */}
        <input type="hidden" autoComplete="username" value={member.email} readOnly />
        {member.hasPassword && (
          <TextField
            label={text.current}
            type="password"
            autoComplete="current-password"
            value={current}
            error={errors.currentPassword}
            onChange={({ target }) => setCurrent(target.value)}
          />
        )}
        <TextField
          label={text.next}
          hint={text.nextHint}
          type="password"
          autoComplete="new-password"
          value={next}
          error={errors.password}
          onChange={({ target }) => setNext(target.value)}
        />
        <div>
          <Button type="submit" disabled={update.isPending || next === "" || (member.hasPassword && current === "")}>
            {text.change}
          </Button>
        </div>
      </form>
    </Card>
  );
}

function SessionsCard() {
  const { confirm, dialog } = useConfirm();
  const leave = useChange("auth.signOutEverywhere");
  const ask = () =>
    confirm({ title: text.signOutTitle, text: text.sessionsText, label: text.signOutEverywhere, isAlways: true }, () =>
      leave.mutate(
        {},
        // A full load, so that nothing of the session stays in memory.
        { onError: showError, onSuccess: () => window.location.assign(new URL("sign-in", baseUrl())) },
      ),
    );
  return (
    <Card>
      {dialog}
      <Row isApart>
        <div>
          <h2>{text.sessions}</h2>
          <Muted>{text.sessionsText}</Muted>
        </div>
        <Button icon="signOut" onClick={ask} disabled={leave.isPending}>
          {text.signOutEverywhere}
        </Button>
      </Row>
    </Card>
  );
}

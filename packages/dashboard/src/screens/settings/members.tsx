// The people who sign in: roles, invitations, reset links, removal. For owners.
import type { Person, Role } from "@tidings/contract";
import { useState } from "react";
import { useChange, useOperation } from "../../api/hooks.ts";
import { roleOrder, useMay } from "../../app/permissions.ts";
import { useSession } from "../../app/session.tsx";
import { Button, IconButton } from "../../kit/button.tsx";
import { useConfirm } from "../../kit/confirm.tsx";
import { Muted, Row, Stack } from "../../kit/layout.tsx";
import { Menu, type MenuEntry } from "../../kit/menu.tsx";
import { Notice } from "../../kit/notice.tsx";
import { Select } from "../../kit/select.tsx";
import { ErrorPanel, Skeleton } from "../../kit/states.tsx";
import { Table } from "../../kit/table.tsx";
import { Time } from "../../kit/time.tsx";
import { showError, showToast } from "../../kit/toast.tsx";
import { Badge } from "../../kit/verdict.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { LinkDialog } from "./link-dialog.tsx";
import { OpenInvitations, OpenResetLinks } from "./open-links.tsx";
import css from "./settings.module.css";
import { words } from "./words.ts";

const text = words.people;

export function Members() {
  const may = useMay();
  return may("people.list") ? <MemberList /> : <Notice icon="key">{text.needsOwner}</Notice>;
}

function MemberList() {
  const [isInviting, setInviting] = useState(false);
  const [resetLink, setResetLink] = useState<{ link: string; name: string } | null>(null);
  const { person: own } = useSession();
  const { data, error, refetch } = useOperation("people.list", {});
  // Links that a person made, or that are for the person, end with the person's right to make them.
  const stale = ["people.list", "people.listInvitations", "people.listResetLinks"] as const;
  const update = useChange("people.update", stale);
  const remove = useChange("people.delete", stale);
  const reset = useChange("people.createResetLink", ["people.listResetLinks"]);
  const { confirm, dialog } = useConfirm();
  const changeRole = ({ _id, name }: Person, role: Role) =>
    confirm(
      {
        title: text.changeRole(name, words.roles[role]),
        text: `${words.roleNotes[role]}.`,
        label: text.change,
        isAlways: true,
      },
      () =>
        update.mutate(
          { params: { personId: _id }, body: { role } },
          { onError: showError, onSuccess: () => showToast({ title: text.changed(name, words.roles[role]) }) },
        ),
    );
  const makeReset = ({ _id, name }: Person) =>
    reset.mutate(
      { params: { personId: _id } },
      { onError: showError, onSuccess: ({ data: { link } }) => setResetLink({ link, name }) },
    );
  const drop = ({ _id, name }: Person) =>
    confirm(
      { title: text.removeTitle(name), text: text.removeText, label: text.remove, isDanger: true, isAlways: true },
      () =>
        remove.mutate(
          { params: { personId: _id } },
          { onError: showError, onSuccess: () => showToast({ title: text.removed(name) }) },
        ),
    );
  const entriesOf = (person: Person): MenuEntry[] => [
    { label: text.reset, icon: "key", onChoose: () => makeReset(person) },
    { kind: "line" },
    { label: text.remove, icon: "trash", isDanger: true, onChoose: () => drop(person) },
  ];
  return (
    <Stack>
      {dialog}
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
      {resetLink && (
        <LinkDialog
          title={text.resetTitle}
          text={text.resetText(resetLink.name)}
          label={text.resetLink}
          link={resetLink.link}
          onClose={() => setResetLink(null)}
        />
      )}
      <Row isApart>
        <Muted>{text.text}</Muted>
        <Button look="primary" icon="plus" onClick={() => setInviting(true)}>
          {text.invite}
        </Button>
      </Row>
      {error && <ErrorPanel error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton />}
      {data && (
        <Table
          label={text.title}
          rows={data.data}
          keyOf={({ _id }) => _id}
          columns={[
            {
              title: text.name,
              cell: ({ _id, name, email }) => (
                <span className={css.person}>
                  <strong>
                    {name} {_id === own._id && <Badge>{text.you}</Badge>}
                  </strong>
                  <span className={css.muted}>{email}</span>
                </span>
              ),
            },
            {
              title: text.role,
              cell: (person) => (
                <Select
                  isWide
                  name={text.roleOf(person.name)}
                  value={person.role}
                  disabled={update.isPending}
                  onChange={(role) => role !== person.role && changeRole(person, role)}
                  choices={roleOrder.map((role) => ({
                    value: role,
                    label: words.roles[role],
                    note: words.roleNotes[role],
                  }))}
                />
              ),
            },
            {
              title: text.lastSignIn,
              cell: ({ lastSignInAt }) => (lastSignInAt ? <Time at={lastSignInAt} isRelative /> : text.never),
              isWideOnly: true,
            },
            {
              title: "",
              cell: (person) =>
                person._id !== own._id && (
                  <Menu
                    align="end"
                    entries={entriesOf(person)}
                    trigger={<IconButton label={text.menu(person.name)} icon="more" />}
                  />
                ),
            },
          ]}
        />
      )}
      <OpenInvitations />
      <OpenResetLinks />
    </Stack>
  );
}

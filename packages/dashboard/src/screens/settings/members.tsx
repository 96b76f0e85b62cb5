// The people who sign in: roles, invitations, reset links, removal. For owners.
import type { Member, Role } from "@tidings/contract";
import { roles } from "@tidings/contract/roles";
import { useState } from "react";
import { useChange, useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { useSession } from "../../api/session.tsx";
import { Table } from "../../kit/data/table.tsx";
import { Time } from "../../kit/data/time.tsx";
import { Notice } from "../../kit/feedback/notice.tsx";
import { ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Badge } from "../../kit/feedback/verdict.tsx";
import { Button, IconButton } from "../../kit/inputs/button.tsx";
import { Select } from "../../kit/inputs/select.tsx";
import { Muted, Row, Stack } from "../../kit/layout/layout.tsx";
import { useConfirm } from "../../kit/overlays/confirm.tsx";
import { Menu, type MenuEntry } from "../../kit/overlays/menu.tsx";
import { showError, showToast } from "../../kit/overlays/toast.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { LinkDialog } from "./link-dialog.tsx";
import { OpenInvitations, OpenResetLinks } from "./open-links.tsx";
import css from "./settings.module.css";
import { words } from "./words.ts";

const text = words.members;

export function Members() {
  const may = useMay();
  return may("people.list") ? <MemberList /> : <Notice icon="key">{text.needsOwner}</Notice>;
}

function MemberList() {
  const [isInviting, setInviting] = useState(false);
  const [resetLink, setResetLink] = useState<{ link: string; name: string } | null>(null);
  const { person: own } = useSession();
  const { data, error, refetch } = useOperation("people.list", {});
  // Links that a member made, or that are for the member, end with the member's right to make them.
  const stale = ["people.list", "people.listInvitations", "people.listResetLinks"] as const;
  const update = useChange("people.update", stale);
  const remove = useChange("people.delete", stale);
  const reset = useChange("people.createResetLink", ["people.listResetLinks"]);
  const { confirm, dialog } = useConfirm();
  const changeRole = ({ _id, name }: Member, role: Role) =>
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
  const makeReset = ({ _id, name }: Member) =>
    reset.mutate(
      { params: { personId: _id } },
      { onError: showError, onSuccess: ({ data: { link } }) => setResetLink({ link, name }) },
    );
  const drop = ({ _id, name }: Member) =>
    confirm(
      { title: text.removeTitle(name), text: text.removeText, label: text.remove, isDanger: true, isAlways: true },
      () =>
        remove.mutate(
          { params: { personId: _id } },
          { onError: showError, onSuccess: () => showToast({ title: text.removed(name) }) },
        ),
    );
  const entriesOf = (member: Member): MenuEntry[] => [
    { label: text.reset, icon: "key", onChoose: () => makeReset(member) },
    { kind: "line" },
    { label: text.remove, icon: "trash", isDanger: true, onChoose: () => drop(member) },
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
                <span className={css.member}>
                  <strong>
                    {name} {_id === own._id && <Badge>{text.you}</Badge>}
                  </strong>
                  <span className={css.muted}>{email}</span>
                </span>
              ),
            },
            {
              title: text.role,
              cell: (member) => (
                <Select
                  isWide
                  name={text.roleOf(member.name)}
                  value={member.role}
                  disabled={update.isPending}
                  onChange={(role) => role !== member.role && changeRole(member, role)}
                  choices={roles.map((role) => ({
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
              cell: (member) =>
                member._id !== own._id && (
                  <Menu
                    align="end"
                    entries={entriesOf(member)}
                    trigger={<IconButton label={text.menu(member.name)} icon="more" />}
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

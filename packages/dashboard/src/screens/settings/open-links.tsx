// Links that work once and have not been used: invitations and reset links, each of which an owner can revoke.
import type { Invitation, ResetLink } from "@tidings/contract";
import { useChange, useOperation } from "../../api/hooks.ts";
import { type Column, Table } from "../../kit/data/table.tsx";
import { Time } from "../../kit/data/time.tsx";
import { ErrorPanel } from "../../kit/feedback/states.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { Stack } from "../../kit/layout/layout.tsx";
import { showError, showToast } from "../../kit/overlays/toast.tsx";
import css from "./settings.module.css";
import { words } from "./words.ts";

const text = words.members;

export function OpenInvitations() {
  const { data, error, refetch } = useOperation("people.listInvitations", {});
  const revoke = useChange("people.deleteInvitation", ["people.listInvitations"]);
  if (error) return <ErrorPanel error={error} onRetry={refetch} />;
  const take = ({ _id }: Invitation) =>
    revoke.mutate(
      { params: { invitationId: _id } },
      { onError: showError, onSuccess: () => showToast({ title: text.revoked }) },
    );
  return (
    <OpenLinks
      title={text.invitations}
      rows={data?.data ?? []}
      columns={[
        { title: text.email, cell: ({ email }) => <span className={css.cell}>{email}</span> },
        { title: text.role, cell: ({ role }) => words.roles[role] },
      ]}
      labelOf={({ email }) => text.revokeOf(email)}
      isBusy={revoke.isPending}
      onRevoke={take}
    />
  );
}

export function OpenResetLinks() {
  const { data, error, refetch } = useOperation("people.listResetLinks", {});
  const revoke = useChange("people.deleteResetLink", ["people.listResetLinks"]);
  if (error) return <ErrorPanel error={error} onRetry={refetch} />;
  const take = ({ _id }: ResetLink) =>
    revoke.mutate(
      { params: { resetLinkId: _id } },
      { onError: showError, onSuccess: () => showToast({ title: text.resetRevoked }) },
    );
  return (
    <OpenLinks
      title={text.resetLinks}
      rows={data?.data ?? []}
      columns={[
        {
          title: text.name,
          cell: ({ name, email }) => (
            <span className={css.member}>
              <strong>{name}</strong>
              <span className={css.muted}>{email}</span>
            </span>
          ),
        },
        { title: text.madeBy, cell: ({ madeBy }) => <span className={css.cell}>{madeBy}</span> },
      ]}
      labelOf={({ name }) => text.resetRevokeOf(name)}
      isBusy={revoke.isPending}
      onRevoke={take}
    />
  );
}

type OpenLink = { _id: string; expiresAt: string };
type OpenLinksProps<Row extends OpenLink> = {
  title: string;
  rows: readonly Row[];
  columns: Column<Row>[];
  labelOf: (row: Row) => string;
  isBusy: boolean;
  onRevoke: (row: Row) => void;
};

function OpenLinks<Row extends OpenLink>({ title, rows, columns, labelOf, isBusy, onRevoke }: OpenLinksProps<Row>) {
  if (rows.length === 0) return null;
  return (
    <section aria-label={title}>
      <Stack isSmall>
        <h2>{title}</h2>
        <Table
          label={title}
          rows={rows}
          keyOf={({ _id }) => _id}
          columns={[
            ...columns,
            { title: text.expires, cell: ({ expiresAt }) => <Time at={expiresAt} isRelative />, isWideOnly: true },
            {
              title: "",
              cell: (row) => (
                <Button size="small" onClick={() => onRevoke(row)} disabled={isBusy} aria-label={labelOf(row)}>
                  {text.revoke}
                </Button>
              ),
            },
          ]}
        />
      </Stack>
    </section>
  );
}

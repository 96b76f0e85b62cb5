// A new layout, a copy of one, and its end, which names the workflows that still use it.
import { Link, useNavigate } from "@tanstack/react-router";
import type { Layout } from "@tidings/contract";
import { type FormEvent, useId, useState } from "react";
import { useChange, useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { useEnvironment } from "../../api/session.tsx";
import { identifierFrom, isIdentifier } from "../../fields/identifier.ts";
import { Stack } from "../../kit/data/list.tsx";
import { ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Button, IconButton } from "../../kit/inputs/button.tsx";
import { TextField } from "../../kit/inputs/field.tsx";
import { Dialog } from "../../kit/overlays/dialog.tsx";
import { Menu } from "../../kit/overlays/menu.tsx";
import { showToast } from "../../kit/overlays/toast.tsx";
import { words as kitWords } from "../../words.ts";
import { words } from "./words.ts";

const useProductionText = (text: string): string => {
  const { type, name } = useEnvironment();
  return type === "prod" ? `${text} ${kitWords.confirm.production(name)}` : text;
};

export function CreateLayoutDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [ownId, setOwnId] = useState<string | null>(null);
  const form = useId();
  const navigate = useNavigate();
  const create = useChange("layouts.create", ["layouts.list"]);
  const layoutId = ownId ?? identifierFrom(name);
  const { error } = create;
  const idError = error?.code === "LAYOUT_ID_TAKEN" ? words.idTaken : error?.fields.layoutId;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate(
      { body: { name: name.trim(), layoutId } },
      { onSuccess: (made) => void navigate({ to: "/layouts/$layoutId", params: { layoutId: made.layoutId } }) },
    );
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={words.createTitle}
      description={useProductionText(words.createText)}
      actions={
        <>
          <Button onClick={onClose}>{kitWords.cancel}</Button>
          <Button
            look="primary"
            type="submit"
            form={form}
            disabled={create.isPending || name.trim() === "" || !isIdentifier(layoutId)}
          >
            {words.createAction}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit}>
        <Stack>
          {error && idError === undefined && <ErrorPanel error={error} />}
          <TextField label={words.name} value={name} maxLength={128} onChange={({ target }) => setName(target.value)} />
          <TextField
            label={words.id}
            value={layoutId}
            maxLength={100}
            spellCheck={false}
            hint={words.idHint}
            error={idError}
            onChange={({ target }) => setOwnId(target.value)}
          />
        </Stack>
      </form>
    </Dialog>
  );
}

export function LayoutMenu({ layout }: { layout: Layout }) {
  const [opened, setOpened] = useState<"duplicate" | "remove" | null>(null);
  const may = useMay();
  const { layoutId, name } = layout;
  const close = () => setOpened(null);
  return (
    <>
      <Menu
        align="end"
        trigger={<IconButton label={words.menu(name)} icon="more" size="small" />}
        entries={[
          { label: words.open, icon: "layout", link: { to: "/layouts/$layoutId", params: { layoutId } } },
          ...(may("layouts.duplicate")
            ? [{ label: words.duplicate, icon: "copy" as const, onChoose: () => setOpened("duplicate") }]
            : []),
          ...(may("layouts.delete")
            ? [
                { kind: "line" as const },
                { label: words.remove, icon: "trash" as const, isDanger: true, onChoose: () => setOpened("remove") },
              ]
            : []),
        ]}
      />
      {opened === "duplicate" && <DuplicateDialog layout={layout} onClose={close} />}
      {opened === "remove" && <DeleteDialog layout={layout} onClose={close} />}
    </>
  );
}

type LayoutDialogProps = { layout: Layout; onClose: () => void };

function DuplicateDialog({ layout, onClose }: LayoutDialogProps) {
  const [name, setName] = useState(words.copyName(layout.name));
  const form = useId();
  const navigate = useNavigate();
  const duplicate = useChange("layouts.duplicate", ["layouts.list"]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    duplicate.mutate(
      {
        params: { layoutId: layout._id },
        body: { name: name.trim(), isTranslationEnabled: layout.isTranslationEnabled },
      },
      {
        onSuccess: (made) => {
          showToast({ title: words.duplicated(made.name) });
          void navigate({ to: "/layouts/$layoutId", params: { layoutId: made.layoutId } });
        },
      },
    );
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={words.duplicateTitle(layout.name)}
      description={useProductionText(words.duplicateText)}
      actions={
        <>
          <Button onClick={onClose}>{kitWords.cancel}</Button>
          <Button look="primary" type="submit" form={form} disabled={duplicate.isPending || name.trim() === ""}>
            {words.duplicateAction}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit}>
        {duplicate.error && <ErrorPanel error={duplicate.error} />}
        <TextField label={words.name} value={name} maxLength={128} onChange={({ target }) => setName(target.value)} />
      </form>
    </Dialog>
  );
}

function DeleteDialog({ layout: { _id, name, isDefault }, onClose }: LayoutDialogProps) {
  const { data, error } = useOperation("layouts.usage", { params: { layoutId: _id } }, { enabled: !isDefault });
  const remove = useChange("layouts.delete", ["layouts.list"]);
  const description = useProductionText(words.removeText);
  const canRemove = !isDefault && data?.workflows.length === 0;
  const run = () =>
    remove.mutate(
      { params: { layoutId: _id } },
      {
        onSuccess: () => {
          showToast({ title: words.removed(name) });
          onClose();
        },
      },
    );
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={words.removeTitle(name)}
      description={isDefault ? words.isDefaultText : description}
      actions={
        <>
          <Button onClick={onClose}>{kitWords.cancel}</Button>
          <Button look="dangerPrimary" disabled={!canRemove || remove.isPending} onClick={run}>
            {words.remove}
          </Button>
        </>
      }
    >
      {(error ?? remove.error) && <ErrorPanel error={error ?? remove.error} />}
      {!isDefault && !data && !error && <Skeleton rows={2} />}
      {data && data.workflows.length > 0 && (
        <Stack>
          <p>{words.inUse(data.workflows.length)}</p>
          <UserList users={data.workflows} />
        </Stack>
      )}
    </Dialog>
  );
}

export const UserList = ({ users }: { users: readonly { name: string; workflowId: string }[] }) => (
  <ul>
    {users.map(({ name, workflowId }) => (
      <li key={workflowId}>
        <Link to="/workflows/$workflowId" params={{ workflowId }}>
          {name}
        </Link>
      </li>
    ))}
  </ul>
);

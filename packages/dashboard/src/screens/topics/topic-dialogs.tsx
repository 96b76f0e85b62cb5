// A new topic, another name for one, and its end.
import { useNavigate } from "@tanstack/react-router";
import type { Topic } from "@tidings/contract";
import { type FormEvent, useId, useState } from "react";
import { useChange } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { identifierFrom } from "../../fields/identifier.ts";
import { Stack } from "../../kit/data/list.tsx";
import { ErrorPanel } from "../../kit/feedback/states.tsx";
import { Button, IconButton } from "../../kit/inputs/button.tsx";
import { TextField } from "../../kit/inputs/field.tsx";
import { useConfirm } from "../../kit/overlays/confirm.tsx";
import { Dialog } from "../../kit/overlays/dialog.tsx";
import { Menu, type MenuEntry } from "../../kit/overlays/menu.tsx";
import { showError, showToast } from "../../kit/overlays/toast.tsx";
import { words as kitWords } from "../../words.ts";
import { words } from "./words.ts";

const say = words.topics;

export function CreateTopicDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [ownKey, setOwnKey] = useState<string | null>(null);
  const form = useId();
  const navigate = useNavigate();
  const create = useChange("topics.create", ["topics.list"]);
  const key = ownKey ?? identifierFrom(name);
  const { error } = create;
  const keyError = error?.code === "TOPIC_EXISTS" ? say.keyTaken : error?.fields.key;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate(
      { query: { failIfExists: true }, body: { key, ...(name.trim() !== "" && { name: name.trim() }) } },
      { onSuccess: (made) => void navigate({ to: "/topics/$topicKey", params: { topicKey: made.key }, search: {} }) },
    );
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={say.createTitle}
      description={say.createText}
      actions={
        <>
          <Button onClick={onClose}>{kitWords.cancel}</Button>
          <Button look="primary" type="submit" form={form} disabled={create.isPending || key === ""}>
            {say.createAction}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit}>
        <Stack>
          {error && keyError === undefined && <ErrorPanel error={error} />}
          <TextField label={say.name} value={name} maxLength={100} onChange={({ target }) => setName(target.value)} />
          <TextField
            label={say.key}
            value={key}
            maxLength={100}
            required
            spellCheck={false}
            hint={say.keyHint}
            error={keyError}
            onChange={({ target }) => setOwnKey(target.value)}
          />
        </Stack>
      </form>
    </Dialog>
  );
}

/** `more`: entries of the screen that shows the topic itself. */
export function TopicMenu({ topic, more = [] }: { topic: Topic; more?: readonly MenuEntry[] }) {
  const { key, name } = topic;
  const [isRenaming, setRenaming] = useState(false);
  const { confirm, dialog } = useConfirm();
  const may = useMay();
  const navigate = useNavigate();
  const remove = useChange("topics.delete", ["topics.list"]);
  const shown = name || key;
  const ask = () =>
    confirm(
      { title: say.removeTitle(shown), text: say.removeText, label: words.remove, isDanger: true, isAlways: true },
      () =>
        remove.mutate(
          { params: { topicKey: key } },
          {
            onError: showError,
            onSuccess: () => {
              showToast({ title: say.removed(shown) });
              void navigate({ to: "/topics", search: ({ env }) => ({ env }) });
            },
          },
        ),
    );
  const entries: MenuEntry[] = [
    ...more,
    ...(may("topics.update")
      ? [{ label: say.rename, icon: "pencil" as const, onChoose: () => setRenaming(true) }]
      : []),
    ...(may("topics.delete")
      ? [{ kind: "line" as const }, { label: words.remove, icon: "trash" as const, isDanger: true, onChoose: ask }]
      : []),
  ];
  if (entries.length === 0) return null;
  return (
    <>
      {dialog}
      <Menu
        align="end"
        trigger={<IconButton label={words.menu(shown)} icon="more" size={more.length > 0 ? undefined : "small"} />}
        entries={entries}
      />
      {isRenaming && <RenameDialog topic={topic} onClose={() => setRenaming(false)} />}
    </>
  );
}

function RenameDialog({ topic: { key, name }, onClose }: { topic: Topic; onClose: () => void }) {
  const [text, setText] = useState(name ?? "");
  const form = useId();
  const rename = useChange("topics.update", ["topics.list", "topics.retrieve"]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    rename.mutate(
      { params: { topicKey: key }, body: { name: text.trim() } },
      {
        onSuccess: () => {
          showToast({ title: say.renamed });
          onClose();
        },
      },
    );
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={say.renameTitle(name || key)}
      actions={
        <>
          <Button onClick={onClose}>{kitWords.cancel}</Button>
          <Button look="primary" type="submit" form={form} disabled={rename.isPending || text.trim() === ""}>
            {kitWords.save}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit}>
        {rename.error && <ErrorPanel error={rename.error} />}
        <TextField label={say.name} value={text} maxLength={100} onChange={({ target }) => setText(target.value)} />
      </form>
    </Dialog>
  );
}

// What can be done with an audience as a whole: sent to, kept as a list, deleted.
import { useNavigate } from "@tanstack/react-router";
import type { Audience } from "@tidings/contract";
import { useState } from "react";
import { useChange } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { Button, IconButton } from "../../kit/inputs/button.tsx";
import { useConfirm } from "../../kit/overlays/confirm.tsx";
import { Dialog } from "../../kit/overlays/dialog.tsx";
import { Menu, type MenuEntry } from "../../kit/overlays/menu.tsx";
import { showError, showToast } from "../../kit/overlays/toast.tsx";
import { words as kitWords } from "../../words.ts";
import { AboutDialog } from "./about-dialog.tsx";
import { FixedDialog } from "./fixed-dialog.tsx";
import { words } from "./words.ts";

const say = words.menu;

export function AudienceMenu({ audience, onDeleted }: { audience: Audience; onDeleted?: () => void }) {
  const { audienceId, name, kind } = audience;
  const may = useMay();
  const navigate = useNavigate();
  const [isKeeping, setKeeping] = useState(false);
  const [isRenaming, setRenaming] = useState(false);
  /** Who uses it, as the service names them. */
  const [users, setUsers] = useState<string | null>(null);
  const { confirm, dialog } = useConfirm();
  const remove = useChange("audiences.delete", ["audiences.list"]);
  const askRemove = () =>
    confirm(
      { title: say.removeTitle(name), text: say.removeText, label: say.remove, isDanger: true, isAlways: true },
      () =>
        remove.mutate(
          { params: { audienceId } },
          {
            onError: (error) => (error.code === "AUDIENCE_IN_USE" ? setUsers(error.message) : showError(error)),
            onSuccess: () => {
              showToast({ title: say.removed(name) });
              onDeleted?.();
            },
          },
        ),
    );
  const entries: MenuEntry[] = [
    {
      label: words.people.inSubscribers,
      icon: "users",
      onChoose: () => void navigate({ to: "/subscribers", search: { audience: audienceId } }),
    },
    ...(may("broadcasts.create")
      ? [
          {
            label: say.send,
            icon: "send" as const,
            onChoose: () => void navigate({ to: "/broadcasts", search: { to: audienceId } }),
          },
        ]
      : []),
    ...(may("audiences.snapshot")
      ? [
          {
            label: say.snapshot,
            icon: "copyPlus" as const,
            onChoose: () => setKeeping(true),
          },
        ]
      : []),
    ...(may("audiences.update") && kind === "fixed"
      ? [{ label: say.rename, icon: "pencil" as const, onChoose: () => setRenaming(true) }]
      : []),
    ...(may("audiences.delete")
      ? [{ kind: "line" as const }, { label: say.remove, icon: "trash" as const, isDanger: true, onChoose: askRemove }]
      : []),
  ];
  return (
    <>
      {dialog}
      {isKeeping && <FixedDialog of={audience} onClose={() => setKeeping(false)} />}
      {isRenaming && <AboutDialog audience={audience} onClose={() => setRenaming(false)} />}
      <Dialog
        isOpen={users !== null}
        onClose={() => setUsers(null)}
        title={say.inUseTitle}
        description={`${users}. ${say.inUseText}`}
        actions={<Button onClick={() => setUsers(null)}>{kitWords.close}</Button>}
      />
      <Menu align="end" trigger={<IconButton label={say.label(name)} icon="more" />} entries={entries} />
    </>
  );
}

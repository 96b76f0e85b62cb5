// What can be done with one workflow of the list.
import type { Output } from "@tidings/contract";
import { useState } from "react";
import { useChange } from "../../api/hooks.ts";
import { useEnvironment } from "../../api/session.tsx";
import { ErrorPanel } from "../../kit/feedback/states.tsx";
import { Button, IconButton } from "../../kit/inputs/button.tsx";
import { TextField } from "../../kit/inputs/field.tsx";
import { Dialog } from "../../kit/overlays/dialog.tsx";
import { Menu } from "../../kit/overlays/menu.tsx";
import { showToast } from "../../kit/overlays/toast.tsx";
import { words as kitWords } from "../../words.ts";
import { DuplicateDialog } from "./create-dialog.tsx";
import { words } from "./words.ts";

export type WorkflowRow = Output<"workflows.list">["workflows"][number];

export function RowMenu({ row }: { row: WorkflowRow }) {
  const [open, setOpen] = useState<"duplicate" | "remove" | null>(null);
  const { workflowId, name } = row;
  return (
    <>
      <Menu
        align="end"
        trigger={<IconButton label={words.menu(name)} icon="more" size="small" />}
        entries={[
          { label: words.open, icon: "workflow", link: { to: "/workflows/$workflowId", params: { workflowId } } },
          { label: words.activity, icon: "activity", link: { to: "/activity", search: { workflow: workflowId } } },
          { label: words.duplicate, icon: "copy", onChoose: () => setOpen("duplicate") },
          { kind: "line" },
          { label: words.remove, icon: "trash", isDanger: true, onChoose: () => setOpen("remove") },
        ]}
      />
      {open === "duplicate" && <DuplicateDialog row={row} onClose={() => setOpen(null)} />}
      {open === "remove" && <DeleteDialog row={row} onClose={() => setOpen(null)} />}
    </>
  );
}

/** In production the identifier has to be typed: a click alone should not end what people rely on. */
function DeleteDialog({ row: { workflowId, name }, onClose }: { row: WorkflowRow; onClose: () => void }) {
  const [typed, setTyped] = useState("");
  const isProduction = useEnvironment().type === "prod";
  const remove = useChange("workflows.delete", ["workflows.list"]);
  const confirm = () =>
    remove.mutate(
      { params: { workflowId } },
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
      description={isProduction ? `${words.removeText} ${words.production}` : words.removeText}
      actions={
        <>
          <Button onClick={onClose}>{kitWords.cancel}</Button>
          <Button
            look="dangerPrimary"
            onClick={confirm}
            disabled={remove.isPending || (isProduction && typed.trim() !== workflowId)}
          >
            {words.removeAction}
          </Button>
        </>
      }
    >
      {remove.error && <ErrorPanel error={remove.error} />}
      {isProduction && (
        <TextField
          label={words.removeConfirm(workflowId)}
          value={typed}
          spellCheck={false}
          autoComplete="off"
          onChange={({ target }) => setTyped(target.value)}
        />
      )}
    </Dialog>
  );
}

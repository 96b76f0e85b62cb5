// A new workflow, or a copy of one: both need a name and an identifier.
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useId, useState } from "react";
import type { ApiError } from "../../api/api-error.ts";
import { useChange } from "../../api/hooks.ts";
import { useEnvironment } from "../../api/session.tsx";
import { identifierFrom, isIdentifier } from "../../fields/identifier.ts";
import { ErrorPanel } from "../../kit/feedback/states.tsx";
import { Button, LinkButton } from "../../kit/inputs/button.tsx";
import { TextField } from "../../kit/inputs/field.tsx";
import { Dialog } from "../../kit/overlays/dialog.tsx";
import { showToast } from "../../kit/overlays/toast.tsx";
import { words as kitWords } from "../../words.ts";
import { words } from "./words.ts";
import css from "./workflows.module.css";

export function CreateDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const environment = useEnvironment();
  const create = useChange("workflows.create", ["workflows.list"]);
  const save = (name: string, workflowId: string) =>
    create.mutate(
      // In production a workflow without steps waits for its first save.
      { body: { name, workflowId, steps: [], active: environment.type !== "prod" } },
      { onSuccess: (made) => void navigate({ to: "/workflows/$workflowId", params: { workflowId: made.workflowId } }) },
    );
  return (
    <NameDialog
      title={words.createTitle}
      text={words.createText}
      action={words.createAction}
      error={create.error}
      isBusy={create.isPending}
      onSave={save}
      onClose={onClose}
      other={
        <LinkButton to="/gallery" search={{}} icon="book">
          {words.gallery}
        </LinkButton>
      }
    />
  );
}

export function DuplicateDialog({ row, onClose }: { row: { workflowId: string; name: string }; onClose: () => void }) {
  const navigate = useNavigate();
  const duplicate = useChange("workflows.duplicate", ["workflows.list"]);
  const save = (name: string, workflowId: string) =>
    duplicate.mutate(
      { params: { workflowId: row.workflowId }, body: { name, workflowId } },
      {
        onSuccess: (made) => {
          showToast({ title: words.duplicated(made.name) });
          onClose();
          void navigate({ to: "/workflows/$workflowId", params: { workflowId: made.workflowId } });
        },
      },
    );
  return (
    <NameDialog
      title={words.duplicateTitle(row.name)}
      text={words.duplicateText}
      action={words.duplicateAction}
      startName={words.copyName(row.name)}
      error={duplicate.error}
      isBusy={duplicate.isPending}
      onSave={save}
      onClose={onClose}
    />
  );
}

type NameDialogProps = {
  title: string;
  text: string;
  action: string;
  startName?: string;
  error: ApiError | null;
  isBusy: boolean;
  onSave: (name: string, workflowId: string) => void;
  onClose: () => void;
  /** Another way to begin. */
  other?: ReactNode;
};

function NameDialog({ title, text, action, startName = "", error, isBusy, onSave, onClose, other }: NameDialogProps) {
  const [name, setName] = useState(startName);
  const [ownId, setOwnId] = useState<string | null>(null);
  const form = useId();
  const environment = useEnvironment();
  const workflowId = ownId ?? identifierFrom(name);
  const isTaken = error?.code === "WORKFLOW_ID_TAKEN";
  const idError = isTaken ? words.idTaken : error?.fields.workflowId;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSave(name.trim(), workflowId);
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      description={environment.type === "prod" ? `${text} ${words.production}` : text}
      actions={
        <>
          {other}
          <Button onClick={onClose}>{kitWords.cancel}</Button>
          <Button
            look="primary"
            type="submit"
            form={form}
            disabled={isBusy || name.trim() === "" || !isIdentifier(workflowId)}
          >
            {action}
          </Button>
        </>
      }
    >
      <form id={form} className={css.form} onSubmit={submit}>
        {error && idError === undefined && error.fields.name === undefined && <ErrorPanel error={error} />}
        <TextField
          label={words.name}
          value={name}
          maxLength={128}
          required
          error={error?.fields.name}
          onChange={({ target }) => setName(target.value)}
        />
        <TextField
          label={words.id}
          value={workflowId}
          maxLength={100}
          required
          spellCheck={false}
          hint={words.idHint}
          error={idError}
          onChange={({ target }) => setOwnId(target.value)}
        />
      </form>
    </Dialog>
  );
}

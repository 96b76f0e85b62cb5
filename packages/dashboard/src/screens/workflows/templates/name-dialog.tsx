// The name of a saved step: of a new one, or another name.
import type { StepTemplateHead } from "@tidings/contract";
import { useState } from "react";
import { useChange } from "../../../api/hooks.ts";
import { TextField } from "../../../kit/inputs/field.tsx";
import { FormDialog } from "../../../kit/overlays/form-dialog.tsx";
import { showToast } from "../../../kit/overlays/toast.tsx";
import type { DraftStep } from "../editor/model.ts";
import { words } from "./words.ts";

const stale = ["stepTemplates.list", "stepTemplates.retrieve"] as const;

export function SaveTemplateDialog({ step, onClose }: { step: DraftStep; onClose: () => void }) {
  const create = useChange("stepTemplates.create", stale);
  // A saved step belongs to no arm: the workflow it is inserted into has other branches.
  const { key: _key, _id, arm: _arm, ...content } = step;
  return (
    <NameDialog
      title={words.saveTitle}
      text={words.saveText}
      action={words.saveAction}
      start={step.name}
      change={create}
      onName={(name) =>
        create.mutate(
          { body: { name, step: content } },
          {
            onSuccess: () => {
              showToast({ title: words.saved(name) });
              onClose();
            },
          },
        )
      }
      onClose={onClose}
    />
  );
}

export function RenameTemplateDialog({ template, onClose }: { template: StepTemplateHead; onClose: () => void }) {
  const update = useChange("stepTemplates.update", stale);
  const params = { templateId: template.id };
  return (
    <NameDialog
      title={words.renameTitle(template.name)}
      action={words.renameAction}
      start={template.name}
      change={update}
      onName={(name) => update.mutate({ params, body: { name } }, { onSuccess: onClose })}
      onClose={onClose}
    />
  );
}

type NameDialogProps = {
  title: string;
  text?: string;
  action: string;
  start: string;
  change: { error: unknown; isPending: boolean };
  onName: (name: string) => void;
  onClose: () => void;
};

function NameDialog({ title, text, action, start, change, onName, onClose }: NameDialogProps) {
  const [name, setName] = useState(start);
  return (
    <FormDialog
      title={title}
      description={text}
      submit={action}
      isDisabled={name.trim() === "" || change.isPending}
      error={change.error}
      onSubmit={() => onName(name.trim())}
      onClose={onClose}
    >
      <TextField
        label={words.name}
        value={name}
        maxLength={128}
        autoComplete="off"
        onChange={({ target }) => setName(target.value)}
      />
    </FormDialog>
  );
}

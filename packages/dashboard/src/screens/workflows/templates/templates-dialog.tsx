// The saved steps of the environment: one is inserted, renamed or deleted.
import type { StepTemplate, StepTemplateHead } from "@tidings/contract";
import { useState } from "react";
import { callOperation } from "../../../api/client.ts";
import { useOperation } from "../../../api/hooks.ts";
import { useEnvironment } from "../../../api/session.tsx";
import { Icon } from "../../../icons.tsx";
import { Stack } from "../../../kit/data/list.tsx";
import { ErrorPanel, Skeleton } from "../../../kit/feedback/states.tsx";
import { Button, IconButton } from "../../../kit/inputs/button.tsx";
import { TextField } from "../../../kit/inputs/field.tsx";
import { Dialog } from "../../../kit/overlays/dialog.tsx";
import { showError } from "../../../kit/overlays/toast.tsx";
import { useConfirmedChange } from "../../../kit/overlays/use-confirmed-change.ts";
import { stepIcons, stepNames } from "../../../steps/facts.gen.ts";
import { words as kitWords } from "../../../words.ts";
import type { CopiedStep } from "../flow/copied-steps.ts";
import { RenameTemplateDialog } from "./name-dialog.tsx";
import css from "./templates.module.css";
import { words } from "./words.ts";

type TemplatesDialogProps = { onInsert: (step: CopiedStep) => void; onClose: () => void };

export function TemplatesDialog({ onInsert, onClose }: TemplatesDialogProps) {
  const { _id: environmentId } = useEnvironment();
  const { data, error } = useOperation("stepTemplates.list", {}, { staleTime: 0 });
  const remove = useConfirmedChange("stepTemplates.delete", ["stepTemplates.list"]);
  const [text, setText] = useState("");
  const [renamed, setRenamed] = useState<StepTemplateHead | null>(null);
  const wanted = text.trim().toLowerCase();
  const found = (data?.data ?? []).filter(({ name }) => name.toLowerCase().includes(wanted));
  const insert = async ({ id }: StepTemplateHead) => {
    try {
      const params = { templateId: id };
      onInsert(toCopied(await callOperation("stepTemplates.retrieve", { params }, environmentId)));
      onClose();
    } catch (error) {
      showError(error);
    }
  };
  if (renamed) {
    // The new name may not contain what was searched for.
    const end = () => {
      setRenamed(null);
      setText("");
    };
    return <RenameTemplateDialog template={renamed} onClose={end} />;
  }
  return (
    <>
      <Dialog
        isOpen
        onClose={onClose}
        title={words.title}
        description={words.text}
        actions={<Button onClick={onClose}>{kitWords.close}</Button>}
      >
        <Stack>
          {error && <ErrorPanel error={error} />}
          {!data && !error && <Skeleton rows={3} />}
          {data && data.data.length === 0 && <p className={css.weak}>{words.none}</p>}
          {data && data.data.length > 0 && (
            <TextField
              label={words.search}
              type="search"
              value={text}
              autoComplete="off"
              onChange={({ target }) => setText(target.value)}
            />
          )}
          {data && data.data.length > 0 && found.length === 0 && <p className={css.weak}>{words.noneFound}</p>}
          {found.length > 0 && (
            <ul className={css.list} aria-label={words.list}>
              {found.map((template) => (
                <li key={template.id}>
                  <Icon name={stepIcons[template.type]} size={15} />
                  <span className={css.text}>
                    <strong>{template.name}</strong>
                    <span className={css.weak}>{words.note(stepNames[template.type], template.createdBy)}</span>
                  </span>
                  <IconButton
                    label={words.rename(template.name)}
                    icon="pencil"
                    size="small"
                    onClick={() => setRenamed(template)}
                  />
                  <IconButton
                    label={words.remove(template.name)}
                    icon="trash"
                    size="small"
                    onClick={() =>
                      remove.ask(
                        { params: { templateId: template.id } },
                        {
                          title: `${words.remove(template.name)}?`,
                          text: words.removeText,
                          label: words.removeAction,
                          isDanger: true,
                          isAlways: true,
                          done: words.removed(template.name),
                        },
                      )
                    }
                  />
                  <Button size="small" aria-label={words.insert(template.name)} onClick={() => void insert(template)}>
                    {words.insertAction}
                  </Button>
                </li>
              ))}
            </ul>
          )}
        </Stack>
      </Dialog>
      {remove.dialog}
    </>
  );
}

/** As if it had been copied from another workflow. */
function toCopied({ name, step }: StepTemplate): CopiedStep {
  const { stepId = "", controlValues = {}, filters, active = true, shouldStopOnFail = false, ...rest } = step;
  return {
    step: {
      ...rest,
      stepId,
      controlValues,
      ...(filters && { filters: filters as CopiedStep["step"]["filters"] }),
      active,
      shouldStopOnFail,
    },
    workflow: name,
  };
}

// One template: its messages as readers see them, its sample payload, and the button that creates a workflow from it.
import { useNavigate } from "@tanstack/react-router";
import type { GalleryPreview, Output } from "@tidings/contract";
import { useState } from "react";
import { useChange, useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { isIdentifier } from "../../fields/identifier.ts";
import { Code } from "../../kit/data/code.tsx";
import { HtmlFrame } from "../../kit/data/html-frame.tsx";
import { Letter } from "../../kit/data/letter.tsx";
import { Skeleton } from "../../kit/feedback/states.tsx";
import { TextField } from "../../kit/inputs/field.tsx";
import { FormDialog } from "../../kit/overlays/form-dialog.tsx";
import { showToast } from "../../kit/overlays/toast.tsx";
import { channelNames } from "../../outcomes/channel-names.ts";
import css from "./gallery.module.css";
import { words } from "./words.ts";

type Template = Output<"gallery.retrieve">;

export function TemplateDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const navigate = useNavigate();
  const may = useMay();
  const { data: template, error } = useOperation("gallery.retrieve", { params: { name } });
  const use = useChange("gallery.use", ["workflows.list", "layouts.list", "gallery.retrieve"]);
  const [ownId, setOwnId] = useState<string | null>(null);
  const workflowId = ownId ?? template?.workflowId ?? "";
  const isTaken = use.error?.code === "WORKFLOW_ID_TAKEN";
  const submit = () =>
    use.mutate(
      { params: { name }, body: { workflowId } },
      {
        onSuccess: (made) => {
          showToast({ title: words.used(made.name) });
          void navigate({ to: "/workflows/$workflowId", params: { workflowId: made.workflowId } });
        },
      },
    );
  return (
    <FormDialog
      look="wide"
      title={template?.title ?? name}
      description={template?.about ?? ""}
      submit={may("gallery.use") && template ? words.use : null}
      isDisabled={use.isPending || !isIdentifier(workflowId)}
      error={error ?? (isTaken ? undefined : use.error)}
      onSubmit={submit}
      onClose={onClose}
    >
      {!template && !error && <Skeleton rows={8} />}
      {template && (
        <>
          {may("gallery.use") && (
            <TextField
              label={words.id}
              value={workflowId}
              maxLength={100}
              spellCheck={false}
              hint={words.idHint}
              error={isTaken ? use.error?.message : use.error?.fields.workflowId}
              onChange={({ target }) => setOwnId(target.value)}
            />
          )}
          <Messages template={template} />
          <details>
            <summary>{words.payload}</summary>
            <Code text={JSON.stringify(template.payload, null, 2)} label={words.payload} />
          </details>
          <details>
            <summary>{words.scenario}</summary>
            <p className={css.weak}>{words.scenarioHint}</p>
            <Code text={template.scenario} label={words.scenario} />
          </details>
        </>
      )}
    </FormDialog>
  );
}

/** The subject distinguishes two mails. */
const nameOf = ({ channel, subject }: GalleryPreview, previews: readonly GalleryPreview[]): string =>
  previews.filter((one) => one.channel === channel).length > 1
    ? `${channelNames[channel]}: ${subject}`
    : channelNames[channel];

function Messages({ template: { previews } }: { template: Template }) {
  const views = Object.fromEntries(previews.map((preview, index) => [String(index), nameOf(preview, previews)]));
  return (
    <Letter views={views} label={words.previewAs}>
      {(view) => {
        const preview = previews[Number(view)] ?? previews[0];
        if (!preview) return null;
        return (
          <div className={css.message}>
            {preview.subject !== null && <strong>{preview.subject}</strong>}
            {preview.channel === "email" ? (
              <HtmlFrame html={preview.body} title={words.preview} height="min(28rem, 36dvh)" />
            ) : (
              <p className={css.text}>{preview.body}</p>
            )}
          </div>
        );
      }}
    </Letter>
  );
}

// The buttons at the top of the editor, and what a save would mean for runs in progress.
import { useOperation } from "../../../api/hooks.ts";
import { Badge } from "../../../kit/feedback/verdict.tsx";
import { Button, IconButton, LinkButton } from "../../../kit/inputs/button.tsx";
import { useConfirm } from "../../../kit/overlays/confirm.tsx";
import css from "./editor.module.css";
import type { Editor } from "./use-editor.ts";
import { words } from "./words.ts";

export function EditorActions({ editor, onTest }: { editor: Editor; onTest: () => void }) {
  const { workflow, isChanged, isReadOnly, isSaving, canUndo, canRedo } = editor;
  const { confirm, dialog } = useConfirm();
  const discard = () =>
    confirm(
      {
        title: words.discardTitle,
        text: words.discardText,
        label: words.discardAction,
        isDanger: true,
        isAlways: true,
      },
      editor.discard,
    );
  return (
    <div className={css.actions} data-changed={isChanged}>
      <LinkButton look="plain" icon="activity" to="/activity" search={{ workflow: workflow.workflowId }}>
        {words.activity}
      </LinkButton>
      {!isReadOnly && (
        <>
          <IconButton label={words.undo} icon="undo" disabled={!canUndo} onClick={editor.undo} />
          <IconButton label={words.redo} icon="redo" disabled={!canRedo} onClick={editor.redo} />
          {isChanged && <Button onClick={discard}>{words.discard}</Button>}
          <Button icon="play" onClick={onTest}>
            {words.test}
          </Button>
          <Button
            look="primary"
            onClick={() => editor.save()}
            disabled={!isChanged || isSaving}
            title={isChanged ? undefined : words.noChanges}
          >
            {isSaving ? words.saving : words.save}
          </Button>
          {isChanged && <SaveNote editor={editor} />}
          {dialog}
        </>
      )}
    </div>
  );
}

function SaveNote({ editor: { workflow } }: { editor: Editor }) {
  const { data } = useOperation(
    "workflows.retrieveInFlight",
    { params: { workflowId: workflow._id } },
    { staleTime: 15_000 },
  );
  return (
    <p className={css.saveNote}>
      <Badge tone="warn">{words.unsaved}</Badge>
      {data && data.total > 0 && <span>{words.inFlight(data.total, data.isCapped)}</span>}
    </p>
  );
}

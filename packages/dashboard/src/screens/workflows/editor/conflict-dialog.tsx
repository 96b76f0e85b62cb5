// Two people changed one workflow: both versions side by side, and three ways on. Nothing is overwritten without a
// choice.
import { useMemo } from "react";
import { useOperation } from "../../../api/hooks.ts";
import { useSession } from "../../../api/session.tsx";
import { ChangeList } from "../../../drafts/change-list.tsx";
import { formatRelative } from "../../../kit/data/time.tsx";
import { Button } from "../../../kit/inputs/button.tsx";
import { Dialog } from "../../../kit/overlays/dialog.tsx";
import { showToast } from "../../../kit/overlays/toast.tsx";
import { differencesOf, mergeDrafts } from "./differences.ts";
import css from "./editor.module.css";
import { draftOf } from "./model.ts";
import type { Editor } from "./use-editor.ts";
import { words } from "./words.ts";

const say = words.conflict;

export function ConflictDialog({ editor }: { editor: Editor }) {
  const { conflict, base, draft } = editor;
  const found = useMemo(() => {
    if (!conflict) return null;
    const theirs = draftOf(conflict);
    return {
      theirs,
      ofTheirs: differencesOf(base.draft, theirs),
      ofMine: differencesOf(base.draft, draft),
      merged: mergeDrafts(base.draft, draft, theirs),
    };
  }, [conflict, base.draft, draft]);
  const author = useAuthor(editor.workflow._id, conflict?.versionId);
  if (!conflict || !found) return null;
  const { theirs, ofTheirs, ofMine, merged } = found;
  const combine = () => {
    editor.rebase(conflict, merged.draft);
    showToast({ title: say.combined });
  };
  return (
    <Dialog
      isOpen
      look="wide"
      onClose={editor.closeConflict}
      title={say.title(author, formatRelative(Date.parse(conflict.updatedAt), Date.now()))}
      description={say.text}
      actions={
        <>
          <Button look="plain" onClick={editor.closeConflict}>
            {say.keep}
          </Button>
          <Button look="danger" onClick={() => editor.rebase(conflict, theirs)}>
            {say.takeTheirs}
          </Button>
          <Button look="danger" disabled={editor.isSaving} onClick={() => editor.save(conflict.versionId)}>
            {say.overwrite}
          </Button>
          <Button look="primary" onClick={combine}>
            {say.combine}
          </Button>
        </>
      }
    >
      <div className={css.sides}>
        <section aria-label={say.theirs(author)}>
          <h3>{say.theirs(author)}</h3>
          <ChangeList differences={ofTheirs} />
        </section>
        <section aria-label={say.mine}>
          <h3>{say.mine}</h3>
          <ChangeList differences={ofMine} />
        </section>
      </div>
      {merged.clashes.length > 0 && (
        <p className={css.clashes}>
          <strong>{say.clash}.</strong> {say.clashText} {merged.clashes.map(readable).join(", ")}
        </p>
      )}
    </Dialog>
  );
}

/** Who saved the version: only the list of versions knows names. */
function useAuthor(workflowId: string, versionId: string | undefined): string {
  const { person } = useSession();
  const { data } = useOperation(
    "workflows.listVersions",
    { params: { workflowId }, query: { limit: 1 } },
    { enabled: versionId !== undefined, staleTime: 0 },
  );
  const head = data?.data[0];
  if (!head || head.id !== versionId) return "";
  return head.createdBy?.id === person._id ? say.you : (head.createdBy?.name ?? "");
}

const readable = (clash: string): string => clash.replace("controlValues.", "");

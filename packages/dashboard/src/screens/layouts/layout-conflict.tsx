// Two people changed one layout: both changes, and a choice. Nothing is overwritten without it.

import { ChangeList } from "../../drafts/change-list.tsx";
import { formatRelative } from "../../kit/data/time.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { isSame } from "../../kit/is-same.ts";
import { Dialog } from "../../kit/overlays/dialog.tsx";
import css from "./layouts.module.css";
import { type LayoutDraft, type LayoutEditor, layoutDraftOf } from "./use-layout-editor.ts";
import { words } from "./words.ts";

const say = words.editor;

const differencesOf = (before: LayoutDraft, after: LayoutDraft) => ({
  settings: (Object.keys(before) as (keyof LayoutDraft)[])
    .filter((field) => !isSame(before[field], after[field]))
    .map((field) => ({ field, before: before[field], after: after[field] })),
  steps: [],
});

export function LayoutConflict({ editor }: { editor: LayoutEditor }) {
  const { conflict, base, draft, isSaving } = editor;
  if (!conflict) return null;
  const theirs = layoutDraftOf(conflict);
  return (
    <Dialog
      isOpen
      look="wide"
      onClose={editor.closeConflict}
      title={say.conflictTitle(formatRelative(Date.parse(conflict.updatedAt), Date.now()))}
      description={say.conflictText}
      actions={
        <>
          <Button look="plain" onClick={editor.closeConflict}>
            {say.keep}
          </Button>
          <Button look="danger" onClick={() => editor.rebase(conflict)}>
            {say.takeTheirs}
          </Button>
          <Button look="danger" disabled={isSaving} onClick={() => editor.save(conflict.updatedAt)}>
            {say.overwrite}
          </Button>
        </>
      }
    >
      <div className={css.sides}>
        <section aria-label={say.theirs}>
          <h3>{say.theirs}</h3>
          <ChangeList differences={differencesOf(base.draft, theirs)} />
        </section>
        <section aria-label={say.mine}>
          <h3>{say.mine}</h3>
          <ChangeList differences={differencesOf(base.draft, draft)} />
        </section>
      </div>
    </Dialog>
  );
}

// The state of the layout editor: the draft with its way back, what it was made on, and how it is saved.
import { useQueryClient } from "@tanstack/react-query";
import type { Layout } from "@tidings/contract";
import { useEffect, useMemo, useReducer, useRef, useState } from "react";
import { callOperation } from "../../api/client.ts";
import { useChange } from "../../api/hooks.ts";
import { useEnvironment, useSession } from "../../app/session.tsx";
import { focusFault } from "../../kit/focus.ts";
import { beginSave, showError, showNotSaved, showRefused, showSaved } from "../../kit/toast.tsx";
import { words as kitWords } from "../../words.ts";
import { dropDraft, readDraft, writeDraft } from "../workflows/editor/draft-store.ts";
import { changeHistory, startHistory } from "../workflows/editor/history.ts";
import { isSame } from "../workflows/editor/model.ts";
import { showsContent } from "./shows-content.ts";
import { words } from "./words.ts";

export type LayoutDraft = {
  name: string;
  isTranslationEnabled: boolean;
  editorType: "html" | "block";
  body: string;
};

export const layoutDraftOf = ({ name, isTranslationEnabled, controls }: Layout): LayoutDraft => ({
  name,
  isTranslationEnabled,
  editorType: controls.values.email?.editorType ?? "html",
  body: controls.values.email?.body ?? "",
});

export const valuesOf = ({ body, editorType }: LayoutDraft) => ({ email: { body, editorType } });

const isDraft = (found: LayoutDraft | undefined): boolean =>
  typeof found?.body === "string" && typeof found.name === "string";

type Base = { draft: LayoutDraft; updatedAt: string };

export function useLayoutEditor(layout: Layout, isReadOnly: boolean) {
  const { _id: environmentId } = useEnvironment();
  const { person } = useSession();
  const client = useQueryClient();
  const place = useMemo(
    () => ({ environmentId, recordId: `layout.${layout._id}`, personId: person._id }),
    [environmentId, layout._id, person._id],
  );
  const [start] = useState(() => {
    const stored = readDraft<LayoutDraft>(place, isDraft);
    const saved: Base = { draft: layoutDraftOf(layout), updatedAt: layout.updatedAt };
    const base: Base = stored ? { draft: stored.base, updatedAt: stored.baseVersion ?? layout.updatedAt } : saved;
    return { stored, base };
  });
  const [base, setBase] = useState(start.base);
  const [history, dispatch] = useReducer(
    changeHistory<LayoutDraft>,
    start.stored?.draft ?? start.base.draft,
    startHistory<LayoutDraft>,
  );
  const [isDraftLost, setDraftLost] = useState(false);
  const [conflict, setConflict] = useState<Layout | null>(null);
  const update = useChange("layouts.update", ["layouts.list"]);
  const draft = history.present;
  const isChanged = !isSame(draft, base.draft);
  const hasContent = useMemo(() => showsContent(draft), [draft]);

  useEffect(() => {
    if (!isChanged) return dropDraft(place);
    const at = new Date().toISOString();
    setDraftLost(!writeDraft(place, { baseVersion: base.updatedAt, base: base.draft, draft, at }));
  }, [place, draft, base, isChanged]);

  const put = (next: Layout) =>
    client.setQueriesData<Layout>({ queryKey: [environmentId, "layouts.retrieve"] }, (old) =>
      old?._id === next._id ? next : old,
    );
  const rebase = (next: Layout) => {
    put(next);
    setBase({ draft: layoutDraftOf(next), updatedAt: next.updatedAt });
    dispatch({ kind: "start", draft: layoutDraftOf(next) });
    setConflict(null);
  };

  // A newer version is shown at once where there is nothing to lose.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a newer answer of the service counts
  useEffect(() => {
    if (!isChanged && layout.updatedAt > base.updatedAt) rebase(layout);
  }, [layout.updatedAt]);

  const adopt = (saved: Layout) => {
    put(saved);
    setBase({ draft: layoutDraftOf(saved), updatedAt: saved.updatedAt });
    dispatch({ kind: "settle", draft: layoutDraftOf(saved) });
    setConflict(null);
    const problems = Object.values(saved.issues?.controls ?? {}).flat();
    const lines = problems.map(({ message }) => message);
    showSaved(words.editor.saved, lines, { label: kitWords.showProblem, run: () => focusFault() });
  };
  const save = (expectedUpdatedAt = base.updatedAt) => {
    // The service stores it with an issue; every email would go out without the frame. Nobody saves that on purpose.
    if (!hasContent) {
      showRefused(words.editor.noContent);
      return focusFault();
    }
    const { name, isTranslationEnabled } = draft;
    const body = { name: name.trim(), isTranslationEnabled, controlValues: valuesOf(draft), expectedUpdatedAt };
    beginSave();
    update.mutate(
      { params: { layoutId: layout._id }, body },
      {
        onSuccess: adopt,
        onError: (error) => {
          if (error.code !== "LAYOUT_CHANGED") {
            showNotSaved(error, () => again.current(), Object.values(error.fields)[0]);
            return focusFault();
          }
          callOperation("layouts.retrieve", { params: { layoutId: layout._id } }, environmentId).then(
            // A save without an answer had arrived all the same.
            (theirs) => (isSame(layoutDraftOf(theirs), draft) ? adopt(theirs) : setConflict(theirs)),
            showError,
          );
        },
      },
    );
  };
  const again = useRef(save);
  again.current = () => save();

  return {
    layout,
    base,
    draft,
    conflict,
    isChanged,
    hasContent,
    isReadOnly,
    isSaving: update.isPending,
    isDraftLost: isDraftLost && isChanged,
    restoredAt: isChanged ? (start.stored?.at ?? null) : null,
    isOld: isChanged && layout.updatedAt > base.updatedAt,
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
    change: (changed: Partial<LayoutDraft>, field: string) =>
      !isReadOnly && dispatch({ kind: "change", draft: { ...draft, ...changed }, field, at: Date.now() }),
    undo: () => dispatch({ kind: "undo" }),
    redo: () => dispatch({ kind: "redo" }),
    discard: () => rebase(layout),
    save,
    rebase,
    closeConflict: () => setConflict(null),
  };
}

export type LayoutEditor = ReturnType<typeof useLayoutEditor>;

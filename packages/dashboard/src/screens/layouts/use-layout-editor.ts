// The state of the layout editor: the draft with its undo history, the version it is based on, and how it is saved.
import { useQueryClient } from "@tanstack/react-query";
import type { Layout } from "@tidings/contract";
import { useEffect, useMemo, useRef } from "react";
import { callOperation } from "../../api/client.ts";
import { useChange } from "../../api/hooks.ts";
import { useEnvironment } from "../../api/session.tsx";
import { type Base, useDraft } from "../../drafts/use-draft.ts";
import { focusFault } from "../../kit/focus.ts";
import { isSame } from "../../kit/is-same.ts";
import { beginSave, showError, showNotSaved, showRefused, showSaved } from "../../kit/overlays/toast.tsx";
import { words as kitWords } from "../../words.ts";
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

const baseOf = (layout: Layout): Base<LayoutDraft> => ({ draft: layoutDraftOf(layout), version: layout.updatedAt });

export function useLayoutEditor(layout: Layout, isReadOnly: boolean) {
  const { _id: environmentId } = useEnvironment();
  const client = useQueryClient();
  const held = useDraft<LayoutDraft, Layout>({
    recordId: `layout.${layout._id}`,
    saved: baseOf(layout),
    isReadOnly,
    isDraft,
  });
  const { base, draft, isChanged, setConflict } = held;
  const update = useChange("layouts.update", ["layouts.list"]);
  const hasContent = useMemo(() => showsContent(draft), [draft]);
  const isNewer = layout.updatedAt > (base.version ?? layout.updatedAt);

  const put = (next: Layout) =>
    client.setQueriesData<Layout>({ queryKey: [environmentId, "layouts.retrieve"] }, (old) =>
      old?._id === next._id ? next : old,
    );
  const rebase = (next: Layout) => {
    put(next);
    held.restart(baseOf(next));
  };

  // A newer version is shown at once where there is nothing to lose.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a newer response of the service counts
  useEffect(() => {
    if (!isChanged && isNewer) rebase(layout);
  }, [layout.updatedAt]);

  const adopt = (saved: Layout) => {
    put(saved);
    held.adopt(baseOf(saved));
    const problems = Object.values(saved.issues?.controls ?? {}).flat();
    const lines = problems.map(({ message }) => message);
    showSaved(words.editor.saved, lines, { label: kitWords.showProblem, run: () => focusFault() });
  };
  const save = (expectedUpdatedAt = base.version) => {
    // The service stores it with an issue; every email would go out without the frame. It is never saved on purpose.
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
            // A save without a response had arrived all the same.
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
    ...held,
    layout,
    hasContent,
    isReadOnly,
    isSaving: update.isPending,
    isOld: isChanged && isNewer,
    change: (changed: Partial<LayoutDraft>, field: string) => held.change({ ...draft, ...changed }, field),
    discard: () => rebase(layout),
    save,
    rebase,
    closeConflict: () => setConflict(null),
  };
}

export type LayoutEditor = ReturnType<typeof useLayoutEditor>;

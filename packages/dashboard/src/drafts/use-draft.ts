// A draft of a record: kept in this browser, with a way back, on the saved version that it was started from.
import { useCallback, useEffect, useMemo, useReducer, useRef, useState } from "react";
import { useEnvironment, useSession } from "../api/session.tsx";
import { isSame } from "../kit/is-same.ts";
import { dropDraft, dropOldDrafts, readDraft, writeDraft } from "./draft-store.ts";
import { changeHistory, startHistory } from "./history.ts";

/** What is saved: the content, and the version that a save has to name. */
export type Base<T> = { draft: T; version: string | undefined };

type DraftSettings<T> = {
  /** The id of a workflow; of other records, with the kind before it. */
  recordId: string;
  /** As it is saved when the editor opens. */
  saved: Base<T>;
  isReadOnly: boolean;
  /** Whether what was found in the browser is a draft of this kind. */
  isDraft: (found: T | undefined) => boolean;
  /** Whether two drafts have the same content; a draft that was saved already is not restored. */
  isSameContent?: (one: T, other: T) => boolean;
};

/** `R`: the record, of which a newer version may be in conflict with the draft. */
export function useDraft<T, R = never>({ recordId, saved, isReadOnly, isDraft, isSameContent }: DraftSettings<T>) {
  const { place, start } = useStart<T>({ recordId, saved, isDraft, isSameContent });
  const [base, setBase] = useState(start.base);
  const [history, dispatch] = useReducer(changeHistory<T>, start.stored?.draft ?? start.base.draft, startHistory<T>);
  const [restoredAt, setRestoredAt] = useState(start.stored?.at ?? null);
  const [conflict, setConflict] = useState<R | null>(null);
  const [isDraftLost, setDraftLost] = useState(false);
  const draft = history.present;
  const latest = useRef(draft);
  latest.current = draft;
  const isChanged = useMemo(() => !isSame(draft, base.draft), [draft, base.draft]);

  useEffect(() => {
    if (!isChanged) return dropDraft(place);
    const at = new Date().toISOString();
    setDraftLost(!writeDraft(place, { baseVersion: base.version, base: base.draft, draft, at }));
  }, [place, draft, base, isChanged]);

  const settle = useCallback((next: Base<T>) => {
    setBase(next);
    setConflict(null);
    setRestoredAt(null);
  }, []);

  return {
    base,
    draft,
    /** The draft at the time of the call, for what ends later. */
    latest,
    isChanged,
    conflict,
    setConflict,
    /** When the changes were made that were found in this browser. */
    restoredAt: isChanged ? restoredAt : null,
    /** The browser keeps no draft. */
    isDraftLost: isDraftLost && isChanged,
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
    /** Changes with the same field soon after each other are undone together. */
    change: (next: T, field?: string) =>
      !isReadOnly && dispatch({ kind: "change", draft: next, field, at: Date.now() }),
    undo: () => !isReadOnly && dispatch({ kind: "undo" }),
    redo: () => !isReadOnly && dispatch({ kind: "redo" }),
    /** Continues on another base; nothing before it can be undone. */
    restart: useCallback(
      (next: Base<T>, changed: T = next.draft) => {
        settle(next);
        dispatch({ kind: "start", draft: changed });
      },
      [settle],
    ),
    /** After a save: the way back stays. */
    adopt: (next: Base<T>, changed: T = next.draft) => {
      settle(next);
      dispatch({ kind: "settle", draft: changed });
    },
  };
}

/** Where the draft is kept, and what was found there when the editor opened. */
function useStart<T>({ recordId, saved, isDraft, isSameContent = isSame }: Omit<DraftSettings<T>, "isReadOnly">) {
  const { _id: environmentId } = useEnvironment();
  const { _id: personId } = useSession().person;
  const place = useMemo(() => ({ environmentId, recordId, personId }), [environmentId, recordId, personId]);
  const [start] = useState(() => {
    dropOldDrafts(Date.now());
    const found = readDraft<T>(place, isDraft);
    // The page was left while a save was in progress.
    const stored = found && isSameContent(found.draft, saved.draft) ? null : found;
    return { stored, base: stored ? { draft: stored.base, version: stored.baseVersion } : saved };
  });
  return { place, start };
}

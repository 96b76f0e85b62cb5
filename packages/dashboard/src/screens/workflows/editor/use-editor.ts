// The state of the editor: the draft with its way back, what it was made on, and how it is saved.
import { useQueryClient } from "@tanstack/react-query";
import type { Workflow } from "@tidings/contract";
import { useCallback, useEffect, useMemo, useReducer, useRef, useState } from "react";
import { toApiError } from "../../../api/api-error.ts";
import { callOperation } from "../../../api/client.ts";
import { useChange } from "../../../api/hooks.ts";
import { useEnvironment, useSession } from "../../../app/session.tsx";
import { focusFault } from "../../../kit/focus.ts";
import { beginSave, showError, showNotSaved, showSaved } from "../../../kit/toast.tsx";
import { words as kitWords } from "../../../words.ts";
import { dropDraft, readDraft, type StoredDraft, writeDraft } from "./draft-store.ts";
import { changeHistory, startHistory } from "./history.ts";
import { collectIssues, type Faults, type Issues, problemsOf, type Refusal, readRefusals } from "./issues.ts";
import { type Draft, draftOf, isSame, isSameContent, toUpdate } from "./model.ts";
import { words } from "./words.ts";

type Base = { draft: Draft; version: string | undefined };

export type Editor = {
  /** As it is saved now. */
  workflow: Workflow;
  base: Base;
  draft: Draft;
  isChanged: boolean;
  isReadOnly: boolean;
  isSaving: boolean;
  /** When the changes were made that were found in this browser. */
  restoredAt: string | null;
  /** The browser keeps no draft. */
  isDraftLost: boolean;
  issues: Issues;
  /** Refusals of the last save that belong to no field. */
  refused: string[];
  /** Another version was saved while this one was edited. */
  conflict: Workflow | null;
  canUndo: boolean;
  canRedo: boolean;
  /** Changes with the same field soon after each other are undone together. */
  change: (draft: Draft, field?: string) => void;
  undo: () => void;
  redo: () => void;
  discard: () => void;
  save: (expectedVersion?: string) => void;
  /** Goes on with a draft on another base, such as the version of a colleague. */
  rebase: (workflow: Workflow, draft: Draft) => void;
  /** Shows the saved version beside the draft. */
  compare: () => void;
  closeConflict: () => void;
  setFaults: (faults: Faults) => void;
  select: (stepId: string | undefined) => void;
};

type EditorSettings = { workflow: Workflow; isReadOnly: boolean; select: (stepId: string | undefined) => void };

/** `workflow` is the newest answer of the service; it changes when it is read again. */
export function useEditor({ workflow, isReadOnly, select }: EditorSettings): Editor {
  const environment = useEnvironment();
  const { person } = useSession();
  const client = useQueryClient();
  const place = useMemo(
    () => ({ environmentId: environment._id, recordId: workflow._id, personId: person._id }),
    [environment._id, workflow._id, person._id],
  );
  const [start] = useState((): { base: Base; stored: StoredDraft<Draft> | null } => {
    const found = readDraft<Draft>(place, (draft) => Array.isArray(draft?.steps));
    // The page was left while the save was under way.
    const stored = found && isSameContent(found.draft, draftOf(workflow)) ? null : found;
    return {
      stored,
      base: stored
        ? { draft: stored.base, version: stored.baseVersion }
        : { draft: draftOf(workflow), version: workflow.versionId },
    };
  });
  const [base, setBase] = useState(start.base);
  const [history, dispatch] = useReducer(
    changeHistory<Draft>,
    start.stored?.draft ?? start.base.draft,
    startHistory<Draft>,
  );
  const [restoredAt, setRestoredAt] = useState(start.stored?.at ?? null);
  const [isDraftLost, setDraftLost] = useState(false);
  const [refusals, setRefusals] = useState<readonly Refusal[]>([]);
  const [faults, setFaults] = useState<Faults>(null);
  const [conflict, setConflict] = useState<Workflow | null>(null);
  const update = useChange("workflows.update", [
    "workflows.list",
    "workflows.listVersions",
    "workflows.retrieveInFlight",
  ]);
  const draft = history.present;
  const latest = useRef(draft);
  latest.current = draft;
  const isChanged = useMemo(() => !isSame(draft, base.draft), [draft, base.draft]);

  useEffect(() => {
    if (!isChanged) dropDraft(place);
    else {
      const at = new Date().toISOString();
      setDraftLost(!writeDraft(place, { baseVersion: base.version, base: base.draft, draft, at }));
    }
  }, [place, draft, base, isChanged]);

  /** Versions that a save or a restore has replaced: an answer with one of them is late, and changes nothing. */
  const replaced = useRef(new Set<string | undefined>());
  const known = useRef(workflow);
  known.current = workflow;
  const put = useCallback(
    (next: Workflow) => {
      if (known.current.versionId !== next.versionId) replaced.current.add(known.current.versionId);
      const queryKey = [environment._id, "workflows.retrieve"];
      void client.cancelQueries({ queryKey }, { revert: false, silent: true });
      client.setQueriesData<Workflow>({ queryKey }, (old) => (old?._id === next._id ? next : old));
    },
    [client, environment._id],
  );

  const rebase = useCallback(
    (next: Workflow, changed: Draft) => {
      put(next);
      setBase({ draft: draftOf(next), version: next.versionId });
      dispatch({ kind: "start", draft: changed });
      setRefusals([]);
      setConflict(null);
      setRestoredAt(null);
    },
    [put],
  );

  // A newer version is shown at once where there is nothing to lose.
  useEffect(() => {
    const isNewer = workflow.versionId !== base.version && !replaced.current.has(workflow.versionId);
    if (!isChanged && isNewer) rebase(workflow, draftOf(workflow));
  }, [workflow, base.version, isChanged, rebase]);

  /** Goes to a step and to the field in it that is wrong. */
  const show = (stepId: string | undefined) => {
    if (stepId !== undefined) select(stepId);
    focusFault();
  };
  const adopt = (saved: Workflow, sent: Draft) => {
    put(saved);
    setBase({ draft: draftOf(saved), version: saved.versionId });
    dispatch({
      kind: "settle",
      draft: latest.current === sent ? draftOf(saved) : adoptIds(latest.current, saved),
    });
    setRefusals([]);
    setRestoredAt(null);
    setConflict(null);
    const problems = problemsOf(saved);
    const lines = problems.map(({ text }) => text);
    showSaved(words.saved, lines, { label: kitWords.showProblem, run: () => show(problems[0]?.stepId) });
  };
  const save = (expectedVersion = base.version) => {
    const sent = draft;
    beginSave();
    update.mutate(
      { params: { workflowId: workflow._id }, body: toUpdate(sent, workflow, expectedVersion) },
      {
        onSuccess: (saved) => adopt(saved, sent),
        onError: (error) => {
          if (error.code === "WORKFLOW_CHANGED")
            return void callOperation("workflows.retrieve", { params: { workflowId: workflow._id }, query: {} })
              .then((theirs) => {
                // A save without an answer had arrived all the same: what is stored is what was sent.
                if (isSameContent(sent, draftOf(theirs))) return adopt(theirs, sent);
                put(theirs);
                setConflict(theirs);
              })
              .catch(showError);
          const found = readRefusals(toApiError(error).fields, sent);
          setRefusals(found);
          const [first] = found;
          const step = sent.steps.find(({ key }) => found.some((refusal) => refusal.key === key));
          const reason = first && (step && first.key === step.key ? `${step.name}: ${first.message}` : first.message);
          showNotSaved(error, () => again.current(), reason);
          if (found.length > 0) show(step?.stepId);
        },
      },
    );
  };
  /** What the message of a failed save does: it may be pressed when the draft has changed since. */
  const again = useRef(save);
  again.current = () => save();

  return {
    workflow,
    base,
    draft,
    isChanged,
    isReadOnly,
    isSaving: update.isPending,
    restoredAt: isChanged ? restoredAt : null,
    isDraftLost: isDraftLost && isChanged,
    issues: useMemo(
      () => collectIssues(workflow, base.draft, draft, refusals, faults),
      [workflow, base.draft, draft, refusals, faults],
    ),
    refused: refusals
      .filter(({ key, path, value }) => key === "" && isSame((draft as Record<string, unknown>)[path], value))
      .map(({ message }) => message),
    conflict,
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
    change: (next, field) => !isReadOnly && dispatch({ kind: "change", draft: next, field, at: Date.now() }),
    undo: () => !isReadOnly && dispatch({ kind: "undo" }),
    redo: () => !isReadOnly && dispatch({ kind: "redo" }),
    discard: () => rebase(workflow, draftOf(workflow)),
    save,
    rebase,
    compare: () => setConflict(workflow),
    closeConflict: () => setConflict(null),
    setFaults,
    select,
  };
}

/** Steps that were typed on while the save was under way learn the ids that the service gave them. */
const adoptIds = (draft: Draft, saved: Workflow): Draft => ({
  ...draft,
  steps: draft.steps.map((step) => {
    const made = step._id === undefined && saved.steps.find(({ stepId }) => stepId === step.stepId);
    return made ? { ...step, key: made._id, _id: made._id } : step;
  }),
});

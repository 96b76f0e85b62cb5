// The state of the editor: the draft with its undo history, the version it is based on, and how it is saved.
import type { Workflow } from "@tidings/contract";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { toApiError } from "../../../api/api-error.ts";
import { callOperation } from "../../../api/client.ts";
import { useChange } from "../../../api/hooks.ts";
import { type Base, useDraft } from "../../../drafts/use-draft.ts";
import { focusFault } from "../../../kit/focus.ts";
import { isSame } from "../../../kit/is-same.ts";
import { beginSave, showError, showNotSaved, showSaved } from "../../../kit/overlays/toast.tsx";
import { words as kitWords } from "../../../words.ts";
import { collectIssues, type Faults, type Issues, problemsOf, type Refusal, readRefusals } from "./issues.ts";
import { type Draft, draftOf, isSameContent, toUpdate } from "./model.ts";
import { useSavedWorkflow } from "./use-saved-workflow.ts";
import { words } from "./words.ts";

export type Editor = {
  /** As it is saved now. */
  workflow: Workflow;
  base: Base<Draft>;
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
  /** Continues with a draft on another base, such as the version of a colleague. */
  rebase: (workflow: Workflow, draft: Draft) => void;
  /** Shows the saved version next to the draft. */
  compare: () => void;
  closeConflict: () => void;
  setFaults: (faults: Faults) => void;
  select: (stepId: string | undefined) => void;
};

type EditorSettings = { workflow: Workflow; isReadOnly: boolean; select: (stepId: string | undefined) => void };

const baseOf = (workflow: Workflow): Base<Draft> => ({ draft: draftOf(workflow), version: workflow.versionId });
const isDraft = (found: Draft | undefined): boolean => Array.isArray(found?.steps);

/** `workflow` is the newest response of the service; it changes when it is read again. */
export function useEditor({ workflow, isReadOnly, select }: EditorSettings): Editor {
  const held = useDraft<Draft, Workflow>({
    recordId: workflow._id,
    saved: baseOf(workflow),
    isReadOnly,
    isDraft,
    isSameContent,
  });
  const { base, draft, isChanged, restart, latest, setConflict } = held;
  const [refusals, setRefusals] = useState<readonly Refusal[]>([]);
  const [faults, setFaults] = useState<Faults>(null);
  const update = useChange("workflows.update", [
    "workflows.list",
    "workflows.listVersions",
    "workflows.retrieveInFlight",
    "workflows.retrieveObjectives",
  ]);
  const { put, isReplaced } = useSavedWorkflow(workflow);

  const rebase = useCallback(
    (next: Workflow, changed: Draft) => {
      put(next);
      restart(baseOf(next), changed);
      setRefusals([]);
    },
    [put, restart],
  );

  // A newer version is shown at once where there is nothing to lose.
  useEffect(() => {
    const isNewer = workflow.versionId !== base.version && !isReplaced(workflow.versionId);
    if (!isChanged && isNewer) rebase(workflow, draftOf(workflow));
  }, [workflow, base.version, isChanged, rebase, isReplaced]);

  /** Goes to a step and to the field in it that is wrong. */
  const show = (stepId: string | undefined) => {
    if (stepId !== undefined) select(stepId);
    focusFault();
  };
  const adopt = (saved: Workflow, sent: Draft) => {
    put(saved);
    held.adopt(baseOf(saved), latest.current === sent ? draftOf(saved) : adoptIds(latest.current, saved));
    setRefusals([]);
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
                // A save without a response had arrived all the same: what is stored is what was sent.
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
    ...held,
    workflow,
    isReadOnly,
    isSaving: update.isPending,
    issues: useMemo(
      () => collectIssues(workflow, base.draft, draft, refusals, faults),
      [workflow, base.draft, draft, refusals, faults],
    ),
    refused: refusals
      .filter(({ key, path, value }) => key === "" && isSame((draft as Record<string, unknown>)[path], value))
      .map(({ message }) => message),
    discard: () => rebase(workflow, draftOf(workflow)),
    save,
    rebase,
    compare: () => setConflict(workflow),
    closeConflict: () => setConflict(null),
    setFaults,
    select,
  };
}

/** Steps that were typed on while the save was in progress get the ids that the service gave them. */
const adoptIds = (draft: Draft, saved: Workflow): Draft => ({
  ...draft,
  steps: draft.steps.map((step) => {
    const made = step._id === undefined && saved.steps.find(({ stepId }) => stepId === step.stepId);
    return made ? { ...step, key: made._id, _id: made._id } : step;
  }),
});

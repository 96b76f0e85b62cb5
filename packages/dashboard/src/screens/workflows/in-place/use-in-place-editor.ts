// The state of the editor for the steps of a broadcast: as for a workflow, but saved with the draft of the broadcast.
import { useQueryClient } from "@tanstack/react-query";
import type { Broadcast } from "@tidings/contract";
import { useEffect, useMemo, useRef, useState } from "react";
import { toApiError } from "../../../api/api-error.ts";
import { useChange } from "../../../api/hooks.ts";
import { useEnvironment } from "../../../api/session.tsx";
import { type Base, useDraft } from "../../../drafts/use-draft.ts";
import { focusFault } from "../../../kit/focus.ts";
import { isSame } from "../../../kit/is-same.ts";
import { useConfirm } from "../../../kit/overlays/confirm.tsx";
import { beginSave, showNotSaved, showSaved } from "../../../kit/overlays/toast.tsx";
import { collectIssues, type Faults, type Refusal, readRefusals } from "../editor/issues.ts";
import { type Draft, draftOf, isSameContent } from "../editor/model.ts";
import type { Editor } from "../editor/use-editor.ts";
import { asWorkflow, stepsOf } from "./as-workflow.ts";
import { words } from "./words.ts";

type Settings = { broadcast: Broadcast; isReadOnly: boolean; select: (stepId: string | undefined) => void };

const baseOf = (broadcast: Broadcast): Base<Draft> => ({
  draft: draftOf(asWorkflow(broadcast)),
  version: broadcast.updatedAt,
});
const isDraft = (found: Draft | undefined): boolean => Array.isArray(found?.steps);

export function useInPlaceEditor({ broadcast, isReadOnly, select }: Settings) {
  const { _id: broadcastId } = broadcast;
  const { _id: environmentId } = useEnvironment();
  const client = useQueryClient();
  const held = useDraft<Draft, Editor["workflow"]>({
    recordId: `broadcast-steps.${broadcastId}`,
    saved: baseOf(broadcast),
    isReadOnly,
    isDraft,
    isSameContent,
  });
  const { base, draft, isChanged, restart } = held;
  const [refusals, setRefusals] = useState<readonly Refusal[]>([]);
  const [faults, setFaults] = useState<Faults>(null);
  const { confirm, dialog } = useConfirm();
  const update = useChange("broadcasts.update", ["broadcasts.list", "broadcasts.retrieveCheck", "broadcasts.preview"]);
  const workflow = useMemo(() => asWorkflow(broadcast), [broadcast]);

  // A newer version is shown at once where there is nothing to lose.
  useEffect(() => {
    if (!isChanged && broadcast.updatedAt > (base.version ?? "")) restart(baseOf(broadcast));
  }, [broadcast, isChanged, base.version, restart]);

  const send = () => {
    const { workflowId: _workflow, ...content } = broadcast.content;
    const sent = draft;
    beginSave();
    update.mutate(
      { params: { broadcastId }, body: { content: { ...content, steps: stepsOf(sent) } } },
      {
        onSuccess: (saved) => {
          client.setQueriesData<Broadcast>({ queryKey: [environmentId, "broadcasts.retrieve"] }, (old) =>
            old?._id === saved._id ? saved : old,
          );
          const next = baseOf(saved);
          held.adopt(next, held.latest.current === sent ? next.draft : held.latest.current);
          setRefusals([]);
          showSaved(words.saved);
        },
        onError: (error) => {
          const fields = Object.fromEntries(
            Object.entries(toApiError(error).fields).map(([field, text]) => [field.replace(/^content\./, ""), text]),
          );
          const found = readRefusals(fields, sent);
          setRefusals(found);
          const step = sent.steps.find(({ key }) => found.some((refusal) => refusal.key === key));
          const [first] = found;
          showNotSaved(
            error,
            () => again.current(),
            first && (step ? `${step.name}: ${first.message}` : first.message),
          );
          if (step) select(step.stepId);
          if (found.length > 0) focusFault();
        },
      },
    );
  };
  const save = () => confirm({ title: words.saveTitle, label: words.saveAction }, send);
  const again = useRef(save);
  again.current = save;

  const editor: Editor = {
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
    discard: () => restart(baseOf(broadcast)),
    save,
    rebase: (_workflow, changed) => restart(baseOf(broadcast), changed),
    compare: () => undefined,
    closeConflict: () => undefined,
    setFaults,
    select,
  };
  return { editor, dialog };
}

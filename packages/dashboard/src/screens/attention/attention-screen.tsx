// The attention budget of the environment: the budgets on the left, what they would have done on the right.
import type { AttentionBudget, Output } from "@tidings/contract";
import { useChange, useOperation } from "../../api/hooks.ts";
import { requiredRole, useMay } from "../../api/permissions.ts";
import { useEnvironment } from "../../api/session.tsx";
import { LeaveGuard } from "../../drafts/leave-guard.tsx";
import { useDraft } from "../../drafts/use-draft.ts";
import { useSaveShortcut } from "../../drafts/use-shortcuts.ts";
import { Notice } from "../../kit/feedback/notice.tsx";
import { ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Button, LinkButton } from "../../kit/inputs/button.tsx";
import { Halves, Muted, Stack } from "../../kit/layout/layout.tsx";
import { Page } from "../../kit/layout/page.tsx";
import { useConfirm } from "../../kit/overlays/confirm.tsx";
import { showError, showToast } from "../../kit/overlays/toast.tsx";
import { words as kitWords } from "../../words.ts";
import { BudgetList } from "./budget-list.tsx";
import { Forecast } from "./forecast.tsx";
import { words } from "./words.ts";

export function AttentionScreen() {
  const { _id } = useEnvironment();
  const { data, error, refetch } = useOperation("attention.retrieve", {});
  if (data) return <LoadedAttention key={_id} attention={data} />;
  return (
    <Page title={words.title} lead={words.lead}>
      {error ? <ErrorPanel error={error} onRetry={refetch} /> : <Skeleton />}
    </Page>
  );
}

type Attention = Output<"attention.retrieve">;

function LoadedAttention({ attention }: { attention: Attention }) {
  const canEdit = useMay()("attention.update");
  const held = useDraft<AttentionBudget[]>({
    recordId: "attention",
    saved: { draft: attention.budgets, version: undefined },
    isReadOnly: !canEdit,
    isDraft: Array.isArray,
  });
  const budgets = held.draft;
  const { confirm, dialog } = useConfirm();
  const update = useChange("attention.update", ["attention.retrieve"]);
  const adopt = (draft: AttentionBudget[]) => held.restart({ draft, version: undefined });
  const send = () =>
    update.mutate(
      { body: { budgets } },
      {
        onSuccess: (saved) => {
          adopt(saved.budgets);
          showToast({ title: words.saved });
        },
        onError: (error) => {
          if (Object.keys(error.fields).length === 0) showError(error);
        },
      },
    );
  const save = () => confirm({ title: words.save, text: words.saveText, label: words.save }, send);
  const editor = {
    ...held,
    isSaving: update.isPending,
    isReadOnly: !canEdit,
    save,
    discard: () => adopt(held.base.draft),
  };
  useSaveShortcut(editor);
  const change = (next: AttentionBudget[]) => {
    update.reset();
    held.change(next);
  };
  return (
    <Page
      title={words.title}
      lead={words.lead}
      isSticky
      actions={
        canEdit &&
        (held.isChanged || budgets.length > 0) && (
          <Button look="primary" onClick={save} disabled={update.isPending || !held.isChanged}>
            {words.save}
          </Button>
        )
      }
    >
      {dialog}
      <LeaveGuard editor={editor} />
      <Stack>
        {held.restoredAt && (
          <Notice icon="clock">
            {words.restored} <Button onClick={editor.discard}>{words.discard}</Button>
          </Notice>
        )}
        {!canEdit && <Notice icon="key">{kitWords.needsRole(requiredRole("attention.update"))}</Notice>}
        {budgets.length === 0 ? (
          <BudgetList budgets={budgets} errors={{}} isReadOnly={!canEdit} isFirst={!held.isChanged} onChange={change} />
        ) : (
          <Halves>
            <Stack>
              <BudgetList
                budgets={budgets}
                errors={update.error?.fields ?? {}}
                isReadOnly={!canEdit}
                onChange={change}
              />
              <Template budgets={budgets} workflowId={attention.rollUpWorkflowId} />
            </Stack>
            <Forecast budgets={budgets} />
          </Halves>
        )}
      </Stack>
    </Page>
  );
}

/** Where roll-ups are written, once there is something to roll up. */
function Template({ budgets, workflowId }: { budgets: AttentionBudget[]; workflowId: string | null }) {
  if (!budgets.some(({ overflow = "roll_up" }) => overflow === "roll_up")) return null;
  if (workflowId === null) return <Muted>{words.templateLater}</Muted>;
  return (
    <Notice
      icon="workflow"
      action={
        <LinkButton size="small" to="/workflows/$workflowId" params={{ workflowId }}>
          {words.template}
        </LinkButton>
      }
    >
      {words.templateText}
    </Notice>
  );
}

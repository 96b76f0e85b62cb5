// The steps of a broadcast, written with the editor of workflows.
import { getRouteApi } from "@tanstack/react-router";
import type { Broadcast } from "@tidings/contract";
import { useOperation } from "../../../api/hooks.ts";
import { useMay } from "../../../api/permissions.ts";
import { useEnvironment } from "../../../api/session.tsx";
import { LeaveGuard } from "../../../drafts/leave-guard.tsx";
import { UndoButtons } from "../../../drafts/undo-buttons.tsx";
import { useShortcuts } from "../../../drafts/use-shortcuts.ts";
import { Time } from "../../../kit/data/time.tsx";
import { Notice } from "../../../kit/feedback/notice.tsx";
import { ErrorPanel, Skeleton } from "../../../kit/feedback/states.tsx";
import { Button } from "../../../kit/inputs/button.tsx";
import { Page } from "../../../kit/layout/page.tsx";
import css from "../editor/editor.module.css";
import { StepsTab } from "../editor/steps-tab.tsx";
import { words as editorWords } from "../editor/words.ts";
import { useSample } from "../preview/use-sample.ts";
import { useInPlaceEditor } from "./use-in-place-editor.ts";
import { words } from "./words.ts";

const stepsRoute = getRouteApi("/shell/broadcasts/$broadcastId/steps");

export function StepsInPlaceScreen() {
  const { broadcastId } = stepsRoute.useParams();
  const { _id: environmentId } = useEnvironment();
  const { data, error, refetch } = useOperation("broadcasts.retrieve", { params: { broadcastId } });
  if (data) return <LoadedSteps key={`${environmentId} ${data._id}`} broadcast={data} />;
  return (
    <Page title={words.title} back={{ to: "/broadcasts", search: {}, label: words.list }}>
      {error ? <ErrorPanel error={error} onRetry={refetch} /> : <Skeleton rows={10} />}
    </Page>
  );
}

function LoadedSteps({ broadcast }: { broadcast: Broadcast }) {
  const { step, view } = stepsRoute.useSearch();
  const navigate = stepsRoute.useNavigate();
  const go = (changed: { step?: string; view?: "canvas" }) =>
    void navigate({ to: ".", search: (before) => ({ ...before, ...changed }), replace: true, resetScroll: false });
  const isReadOnly = !useMay()("broadcasts.update") || broadcast.status !== "draft";
  const { editor, dialog } = useInPlaceEditor({ broadcast, isReadOnly, select: (chosen) => go({ step: chosen }) });
  const sample = useSample(editor.workflow, `broadcast.${broadcast._id}`);
  useShortcuts(editor);
  return (
    <Page
      title={words.titleOf(broadcast.name)}
      back={{
        to: "/broadcasts/$broadcastId",
        params: { broadcastId: broadcast._id },
        search: {},
        label: broadcast.name,
      }}
      isSticky
      isFull
      actions={
        !isReadOnly && (
          <div className={css.actions} data-changed={editor.isChanged}>
            <UndoButtons editor={editor} />
            <Button look="primary" disabled={!editor.isChanged || editor.isSaving} onClick={() => editor.save()}>
              {editor.isSaving ? editorWords.saving : editorWords.save}
            </Button>
          </div>
        )
      }
    >
      {dialog}
      <LeaveGuard editor={editor} />
      <div className={css.notices} role="status">
        {isReadOnly && <Notice icon="key">{words.readOnly}</Notice>}
        {editor.refused.map((message) => (
          <Notice key={message} tone="bad">
            {message}
          </Notice>
        ))}
        {editor.restoredAt && (
          <Notice icon="refresh">
            {editorWords.restored} <Time at={editor.restoredAt} isRelative />.
          </Notice>
        )}
      </div>
      <StepsTab editor={editor} sample={sample} stepId={step} view={view} onView={(next) => go({ view: next })} />
    </Page>
  );
}

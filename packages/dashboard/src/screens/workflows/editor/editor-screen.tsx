// The workflow editor: it loads the workflow, and asks before production is edited.
import { getRouteApi } from "@tanstack/react-router";
import type { Workflow } from "@tidings/contract";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { useOperation } from "../../../api/hooks.ts";
import { useMay } from "../../../api/permissions.ts";
import { useEnvironment } from "../../../api/session.tsx";
import { LeaveGuard } from "../../../drafts/leave-guard.tsx";
import { useShortcuts } from "../../../drafts/use-shortcuts.ts";
import { Id } from "../../../kit/data/code.tsx";
import { ErrorPanel, Skeleton } from "../../../kit/feedback/states.tsx";
import { Badge } from "../../../kit/feedback/verdict.tsx";
import { focusFault } from "../../../kit/focus.ts";
import { Page } from "../../../kit/layout/page.tsx";
import { Tabs } from "../../../kit/layout/tabs.tsx";
import { useSample } from "../preview/use-sample.ts";
import type { EditorSearch, EditorTab } from "../search.ts";
import { Viewers } from "../team/viewers.tsx";
import { words as listWords, statusNames, statusTones } from "../words.ts";
import css from "./editor.module.css";
import { EditorActions } from "./editor-actions.tsx";
import { problemsOf } from "./issues.ts";
import { Notices } from "./notices.tsx";
import { StepsTab } from "./steps-tab.tsx";
import { useEditor } from "./use-editor.ts";
import { words } from "./words.ts";

const SettingsTab = lazy(() => import("../later.ts").then((module) => ({ default: module.SettingsTab })));
const SimulatorTab = lazy(() => import("../later.ts").then((module) => ({ default: module.SimulatorTab })));
const BacktestTab = lazy(() => import("../later.ts").then((module) => ({ default: module.BacktestTab })));
const ConflictDialog = lazy(() => import("../later.ts").then((module) => ({ default: module.ConflictDialog })));
const VersionsTab = lazy(() => import("../later.ts").then((module) => ({ default: module.VersionsTab })));
const DigestsTab = lazy(() => import("../later.ts").then((module) => ({ default: module.DigestsTab })));
const ExperimentsTab = lazy(() => import("../later.ts").then((module) => ({ default: module.ExperimentsTab })));
const ObjectivesTab = lazy(() => import("../later.ts").then((module) => ({ default: module.ObjectivesTab })));
const TestDialog = lazy(() => import("../later.ts").then((module) => ({ default: module.TestDialog })));

/** A tab that is loaded when it is opened. */
const later = (tab: ReactNode) => <Suspense fallback={<Skeleton rows={6} />}>{tab}</Suspense>;

const workflowRoute = getRouteApi("/shell/workflows/$workflowId");

const noBacktest = { backtest: undefined, effect: undefined, of: undefined, person: undefined };

const back = { to: "/workflows", search: {}, label: words.back } as const;

export { StepsTab } from "./steps-tab.tsx";

export function EditorScreen() {
  const { workflowId } = workflowRoute.useParams();
  const { _id: environmentId } = useEnvironment();
  const { data, error, refetch } = useOperation("workflows.retrieve", { params: { workflowId }, query: {} });
  if (data) return <LoadedEditor key={`${environmentId} ${data._id}`} workflow={data} />;
  return (
    <Page title={workflowId} back={back}>
      {error ? <ErrorPanel error={error} onRetry={refetch} /> : <Skeleton rows={10} />}
    </Page>
  );
}

type LeadProps = { workflow: Workflow; isEditing: boolean; onShow: (stepId: string) => void };

/** The first problem is one press away: the step is chosen, and the field in it has the focus. */
function Lead({ workflow, isEditing, onShow }: LeadProps) {
  const { _id, workflowId, status } = workflow;
  const [problem] = problemsOf(workflow);
  const badge = <Badge tone={statusTones[status]}>{statusNames[status]}</Badge>;
  return (
    <span className={css.lead}>
      <Id text={workflowId} what={listWords.id} />
      {problem ? (
        <button type="button" className={css.status} title={problem.text} onClick={() => onShow(problem.stepId)}>
          {badge}
        </button>
      ) : (
        badge
      )}
      <Viewers workflowId={_id} isEditing={isEditing} />
    </span>
  );
}

function LoadedEditor({ workflow }: { workflow: Workflow }) {
  const search = workflowRoute.useSearch();
  const navigate = workflowRoute.useNavigate();
  const isProduction = useEnvironment().type === "prod";
  const canEdit = useMay()("workflows.update");
  const [isUnlocked, setUnlocked] = useState(false);
  const [isTesting, setTesting] = useState(false);
  const go = (changed: EditorSearch, replace = true) =>
    // The page stays where it is scrolled to: a chosen step far down must not leave sight.
    void navigate({ to: ".", search: (before) => ({ ...before, ...changed }), replace, resetScroll: false });
  const editor = useEditor({
    workflow,
    isReadOnly: !canEdit || (isProduction && !isUnlocked),
    select: (step) => go({ step }),
  });
  const sample = useSample(workflow);
  useShortcuts(editor);
  const { draft } = editor;
  const showProblem = (step: string) => {
    go({ tab: undefined, step });
    focusFault();
  };
  const hasExperiment = search.tab === "experiments" || draft.steps.some(({ type }) => type === "experiment");
  const tab: EditorTab = search.tab ?? "steps";
  return (
    <Page
      title={draft.name || workflow.name}
      back={back}
      lead={<Lead workflow={workflow} isEditing={editor.isChanged} onShow={showProblem} />}
      actions={<EditorActions editor={editor} onTest={() => setTesting(true)} />}
      isSticky
      isFull={tab === "steps"}
    >
      <Notices
        editor={editor}
        canEdit={canEdit}
        isLocked={isProduction && !isUnlocked}
        onUnlock={() => setUnlocked(true)}
      />
      <Tabs
        value={tab}
        onChange={(next) => go({ tab: next === "steps" ? undefined : next }, false)}
        tabs={[
          {
            value: "steps",
            label: words.tabs.steps,
            count: draft.steps.length,
            panel: (
              <StepsTab
                editor={editor}
                sample={sample}
                stepId={search.step}
                view={search.view}
                onView={(view) => go({ view })}
              />
            ),
          },
          { value: "settings", label: words.tabs.settings, panel: later(<SettingsTab editor={editor} />) },
          {
            value: "objectives",
            label: words.tabs.objectives,
            panel: later(<ObjectivesTab editor={editor} workflow={workflow} />),
          },
          ...(hasExperiment
            ? [
                {
                  value: "experiments" as const,
                  label: words.tabs.experiments,
                  panel: later(<ExperimentsTab workflow={workflow} />),
                },
              ]
            : []),
          {
            value: "simulate",
            label: words.tabs.simulate,
            panel: later(<SimulatorTab editor={editor} sample={sample} />),
          },
          {
            value: "backtest",
            label: words.tabs.backtest,
            panel: later(
              <BacktestTab
                editor={editor}
                search={search}
                // A person is an entry in the history; a filter is not.
                onShow={(place) => go({ ...noBacktest, ...place }, place.person === search.person)}
              />,
            ),
          },
          { value: "digests", label: words.tabs.digests, panel: later(<DigestsTab workflow={workflow} />) },
          {
            value: "versions",
            label: words.tabs.versions,
            panel: later(
              <VersionsTab editor={editor} chosen={search.version} onChoose={(version) => go({ version })} />,
            ),
          },
        ]}
      />
      {isTesting && (
        <Suspense>
          <TestDialog editor={editor} sample={sample} onClose={() => setTesting(false)} />
        </Suspense>
      )}
      {editor.conflict && (
        <Suspense>
          <ConflictDialog editor={editor} />
        </Suspense>
      )}
      <LeaveGuard editor={editor} />
    </Page>
  );
}

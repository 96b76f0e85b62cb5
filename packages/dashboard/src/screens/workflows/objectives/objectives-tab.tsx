// The objectives of a workflow: the form, and how the saved ones are met.
import type { ObjectiveState, Workflow } from "@tidings/contract";
import { useOperation } from "../../../api/hooks.ts";
import { Progress } from "../../../kit/feedback/progress.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../../kit/feedback/states.tsx";
import { Card, Facts } from "../../../kit/layout/page.tsx";
import type { Tone } from "../../../kit/tone.ts";
import { channelNames } from "../../../outcomes/channel-names.ts";
import type { Editor } from "../editor/use-editor.ts";
import css from "./objectives.module.css";
import { ObjectivesForm } from "./objectives-form.tsx";
import { words } from "./words.ts";

export const ObjectivesTab = ({ editor, workflow }: { editor: Editor; workflow: Workflow }) => (
  <div className={css.tab}>
    <States workflow={workflow} />
    <ObjectivesForm editor={editor} />
  </div>
);

function States({ workflow }: { workflow: Workflow }) {
  const { data, error, refetch } = useOperation(
    "workflows.retrieveObjectives",
    { params: { workflowId: workflow._id }, query: {} },
    { every: 60_000, keep: true },
  );
  if (error) return <ErrorPanel error={error} onRetry={refetch} />;
  if (!data) return <Skeleton />;
  if (data.objectives.length === 0) return <EmptyState icon="gauge" title={words.none} text={words.noneText} />;
  return (
    <div className={css.states}>
      {data.objectives.map((state) => (
        <StateCard key={state.kind} state={state} />
      ))}
    </div>
  );
}

function toneOf(left: number, rate: number | null): Tone {
  if (left <= 0) return "bad";
  return left < 0.25 || (rate ?? 0) > 1 ? "warn" : "good";
}

function StateCard({ state }: { state: ObjectiveState }) {
  const { budgetLeft: left, windows, leftOut } = state;
  const day = windows.find(({ hours }) => hours === 24);
  return (
    <Card title={words.titleOf(state)}>
      <div className={css.state}>
        {left !== null && (
          <div className={css.budget}>
            <div className={css.budgetHead}>
              <span>{words.budget}</span>
              <strong>{words.budgetText(left)}</strong>
            </div>
            <Progress
              label={words.budget}
              total={100}
              done={Math.round(Math.max(0, left) * 100)}
              parts={[{ tone: toneOf(left, day?.burnRate ?? null), count: Math.max(0, left) * 100 }]}
            />
          </div>
        )}
        <p className={css.pace}>{words.paceOf(state)}</p>
        <Facts
          of={[
            [words.measured, left === null ? words.noMessages : words.measuredText(state)],
            ...windows.map(({ hours, burnRate }) => [words.windowName(hours), words.burnText(burnRate)] as const),
            ...leftOut.map(
              ({ channel, providerId, messages, reason }) =>
                [
                  `${words.leftOut}: ${providerId && channel !== "in_app" ? providerId : channelNames[channel]}`,
                  words.leftOutText(messages, reason),
                ] as const,
            ),
          ]}
        />
      </div>
    </Card>
  );
}

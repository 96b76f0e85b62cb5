// The report by workflow; each opens its steps.
import type { BacktestEffect, BacktestReport } from "@tidings/contract";
import { Table } from "../kit/data/table.tsx";
import { Badge } from "../kit/feedback/verdict.tsx";
import { Disclosure, DisclosureList } from "../kit/layout/disclosure.tsx";
import { Muted, Note } from "../kit/layout/layout.tsx";
import css from "./backtests.module.css";
import { Counted } from "./counted.tsx";
import { EffectList } from "./effect-list.tsx";
import { effectsOf } from "./effects.ts";
import { words } from "./words.ts";

const say = words.report;

type Workflow = BacktestReport["workflows"][number];
type WorkflowsProps = { of: readonly Workflow[]; onEffect: (effect: BacktestEffect, workflowId: string) => void };

/** Workflows with a difference that are listed; more would be no overview. */
const maxListed = 100;

export function Workflows({ of, onEffect }: WorkflowsProps) {
  const shown = of.filter(({ isChanged, effects }) => isChanged || effectsOf(effects).length > 0).slice(0, maxListed);
  const others = of.length - shown.length;
  return (
    <section className={css.section}>
      <h2>{say.workflows}</h2>
      {shown.length > 0 && (
        <DisclosureList label={say.workflows}>
          {shown.map((workflow) => (
            <Disclosure
              key={workflow.workflowId}
              title={<Title of={workflow} />}
              note={<Effects of={workflow} />}
              end={<Counts before={workflow.before} after={workflow.after} />}
            >
              {() => <Steps of={workflow} onEffect={onEffect} />}
            </Disclosure>
          ))}
        </DisclosureList>
      )}
      {others > 0 && <Muted>{say.others(others)}</Muted>}
    </section>
  );
}

const Title = ({ of: { name, isChanged } }: { of: Workflow }) => (
  <span className={css.title}>
    <strong>{name}</strong>
    <Badge tone={isChanged ? "accent" : "quiet"}>{isChanged ? say.changed : say.unchangedWorkflow}</Badge>
  </span>
);

const Effects = ({ of: { effects, people } }: { of: Workflow }) => (
  <span className={css.noteLine}>
    {people > 0 && <span>{say.people(people)}</span>}
    {effectsOf(effects).length > 0 ? <Summary of={effects} /> : say.same}
  </span>
);

/** In a button, where no list may be. */
const Summary = ({ of }: { of: Record<string, number> }) => (
  <Note>
    {effectsOf(of)
      .map(([effect, count]) => words.effect(effect, count))
      .join(" · ")}
  </Note>
);

const Counts = ({ before, after }: { before: number; after: number }) => (
  <span title={say.countsLabel(before, after)}>
    <span aria-hidden="true">{say.counts(before, after)}</span>
    <span className="visually-hidden">{say.countsLabel(before, after)}</span>
  </span>
);

type StepsProps = { of: Workflow; onEffect: WorkflowsProps["onEffect"] };

function Steps({ of: { workflowId, name, steps }, onEffect }: StepsProps) {
  const reasons = steps.flatMap((step) => step.reasons.map((reason) => ({ ...reason, step })));
  if (steps.length === 0) return <Muted>{say.noSteps}</Muted>;
  return (
    <>
      <Table
        label={`${say.workflows}: ${name}`}
        rows={steps}
        keyOf={({ stepId }) => stepId}
        columns={[
          { title: say.step, cell: Counted },
          { title: say.before, cell: ({ before }) => words.number(before), isNumber: true, isWideOnly: true },
          { title: say.after, cell: ({ after }) => words.number(after), isNumber: true, isWideOnly: true },
          {
            title: say.effects,
            cell: ({ effects }) => <EffectList of={effects} onChoose={(effect) => onEffect(effect, workflowId)} />,
          },
        ]}
      />
      {reasons.length > 0 && (
        <Table
          label={`${say.reasons}: ${name}`}
          rows={reasons}
          keyOf={({ step, text }) => `${step.stepId} ${text}`}
          columns={[
            {
              title: say.reasons,
              cell: ({ step, text, before, after }) => (
                <Counted name={`${step.name}: ${text}`} before={before} after={after} />
              ),
            },
            { title: say.before, cell: ({ before }) => words.number(before), isNumber: true, isWideOnly: true },
            { title: say.after, cell: ({ after }) => words.number(after), isNumber: true, isWideOnly: true },
          ]}
        />
      )}
    </>
  );
}

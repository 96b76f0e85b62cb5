// The experiments of a workflow: what the people of each variant did, how sure that is, and what it shows.
import type { ExperimentFigure, ExperimentStatistics, ExperimentVariant, Workflow } from "@tidings/contract";
import { useState } from "react";
import { useOperation } from "../../../api/hooks.ts";
import { type Column, Table } from "../../../kit/data/table.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../../kit/feedback/states.tsx";
import { Badge } from "../../../kit/feedback/verdict.tsx";
import { Segments } from "../../../kit/inputs/segments.tsx";
import { Select } from "../../../kit/inputs/select.tsx";
import { Muted, Stack } from "../../../kit/layout/layout.tsx";
import { Card } from "../../../kit/layout/page.tsx";
import css from "./experiments.module.css";
import { words } from "./words.ts";

const dayMs = 86_400_000;
type Days = keyof typeof words.ranges;

/** From the begin of an hour, so that the question stays the same within it. */
const startOf = (days: number): string =>
  new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000 - days * dayMs + 3_600_000).toISOString();

export function ExperimentsTab({ workflow }: { workflow: Workflow }) {
  const [days, setDays] = useState<Days>(30);
  const { data, error, refetch } = useOperation(
    "workflows.retrieveExperiments",
    { params: { workflowId: workflow._id }, query: { from: startOf(days), goalDays: 30 } },
    { every: 60_000, keep: true },
  );
  if (error) return <ErrorPanel error={error} onRetry={refetch} />;
  if (!data) return <Skeleton />;
  if (data.experiments.length === 0) return <EmptyState icon="flask" title={words.none} text={words.noneText} />;
  return (
    <Stack>
      <Segments
        label={words.range}
        value={String(days)}
        choices={words.ranges as Record<string, string>}
        onChoose={(chosen) => setDays(Number(chosen) as Days)}
      />
      {data.experiments.map((experiment) => (
        <Experiment key={experiment.stepId} experiment={experiment} isLongest={days === 90} />
      ))}
    </Stack>
  );
}

const keyOf = ({ figure, goal }: ExperimentFigure): string => (goal === undefined ? figure : `goal ${goal}`);

type ExperimentProps = { experiment: ExperimentStatistics; isLongest: boolean };

function Experiment({ experiment, isLongest }: ExperimentProps) {
  const { name, stepId, runs, variants } = experiment;
  const measures = variants[0]?.figures ?? [];
  const [chosen, setChosen] = useState<string | null>(null);
  const measure =
    measures.find((one) => keyOf(one) === chosen) ??
    measures.find(({ figure }) => figure === "goal") ??
    measures.find(({ figure }) => figure === "opened");
  if (runs === 0 || !measure) {
    const text = isLongest ? words.nobodyText : `${words.nobodyText} ${words.nobodyWithin}`;
    return (
      <Card title={name || stepId}>
        <EmptyState icon="flask" title={words.nobody} text={text} />
      </Card>
    );
  }
  const rows = variants.flatMap((variant) => {
    const figure = variant.figures.find((one) => keyOf(one) === keyOf(measure));
    return figure ? [{ variant, figure }] : [];
  });
  return (
    <Card
      title={name || stepId}
      actions={
        <Select
          name={words.measure}
          value={keyOf(measure)}
          choices={measures.map((one) => ({ value: keyOf(one), label: words.figureName(one) }))}
          onChange={setChosen}
        />
      }
    >
      <Stack>
        <ul className={css.sentences}>
          {rows
            .filter(({ figure }) => figure.versusFirst)
            .map(({ variant, figure }) => (
              <li key={variant.id} data-shown={figure.versusFirst!.isShown}>
                {figure.sentence}
              </li>
            ))}
        </ul>
        <Table label={name || stepId} rows={rows} keyOf={({ variant }) => variant.id} columns={columnsOf(rows)} />
        <Muted>{words.counted(experiment)}</Muted>
        <Muted>{words.caution}</Muted>
      </Stack>
    </Card>
  );
}

type MeasuredVariant = { variant: ExperimentVariant; figure: ExperimentFigure };

function columnsOf(rows: MeasuredVariant[]): Column<MeasuredVariant>[] {
  // The highest bound fills the width, so that small shares differ visibly.
  const top = Math.max(0.01, ...rows.filter(({ variant }) => variant.people > 0).map(({ figure }) => figure.high));
  return [
    {
      title: words.variant,
      cell: ({ variant, figure }) => (
        <span className={css.variant}>
          {words.variantName(variant)}
          {!figure.versusFirst && <Badge>{words.first}</Badge>}
          {variant.weight === null && !variant.isHeldOut && <Badge>{words.former}</Badge>}
        </span>
      ),
    },
    { title: words.people, cell: ({ variant }) => variant.people.toLocaleString(), isNumber: true },
    {
      title: words.share,
      cell: ({ variant, figure }) =>
        variant.people === 0 ? null : (
          <div className={css.share}>
            <strong>{words.shareText(figure)}</strong>
            <IntervalBar figure={figure} top={top} />
            <span className={css.bounds}>{words.bounds(figure)}</span>
          </div>
        ),
    },
    {
      title: words.difference,
      cell: ({ variant, figure }) =>
        variant.people === 0 ? null : <span className={css.whole}>{words.differenceText(figure)}</span>,
      isNumber: true,
      isWideOnly: true,
    },
  ];
}

/** The share as a mark on its interval. The numbers are next to it, so it is not read aloud. */
function IntervalBar({ figure: { share, low, high }, top }: { figure: ExperimentFigure; top: number }) {
  const at = (value: number) => `${Math.min(100, (value / top) * 100)}%`;
  return (
    <svg className={css.bar} aria-hidden="true">
      <rect className={css.track} x="0" y="7" width="100%" height="2" />
      <rect className={css.interval} x={at(low)} y="4" width={at(high - low)} height="8" rx="2" />
      <rect className={css.mark} x={at(share)} y="1" width="2" height="14" />
    </svg>
  );
}

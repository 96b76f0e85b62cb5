// The databases whose transactions trigger events by SQL, with their lag and health.
import type { Source } from "@tidings/contract";
import { useState } from "react";
import { useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { NameLink } from "../../kit/data/list.tsx";
import { ListView } from "../../kit/data/list-view.tsx";
import { type Column, Table } from "../../kit/data/table.tsx";
import { Time } from "../../kit/data/time.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { Page } from "../../kit/layout/page.tsx";
import { placeOf } from "./address.ts";
import { formatLag } from "./figures.tsx";
import { FirstSource } from "./first-source.tsx";
import { pollMs, type Samples, useSamples } from "./samples.ts";
import { SourceForm } from "./source-form.tsx";
import css from "./sources.module.css";
import { StateBadge } from "./state-badge.tsx";
import { formatCount, formatRate, words } from "./words.ts";

export function SourcesScreen() {
  const { data, error, refetch, dataUpdatedAt } = useOperation("sources.list", {}, { every: pollMs });
  const samples = useSamples(data, dataUpdatedAt);
  const may = useMay();
  const [isAdding, setAdding] = useState(false);
  const add = may("sources.create") && (
    <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
      {words.add}
    </Button>
  );
  return (
    <Page title={words.title} lead={words.lead} actions={data && data.length > 0 && add}>
      {isAdding && <SourceForm onClose={() => setAdding(false)} />}
      <ListView rows={data} error={error} onRetry={refetch} empty={<FirstSource add={add} />}>
        {(rows) => <Table label={words.title} rows={rows} keyOf={({ id }) => id} columns={columnsOf(samples)} />}
      </ListView>
    </Page>
  );
}

const columnsOf = (samples: Samples): Column<Source>[] => [
  { title: words.source, cell: (source) => <NameCell source={source} rate={samples.get(source.id)?.at(-1)?.rate} /> },
  { title: words.state, cell: (source) => <StateBadge source={source} /> },
  { title: words.waiting, cell: ({ waiting }) => formatCount(waiting), isNumber: true, isWideOnly: true },
  { title: words.lag, cell: ({ lagSeconds }) => formatLag(lagSeconds), isNumber: true, isWideOnly: true },
  { title: words.rate, cell: ({ id }) => formatRate(samples.get(id)?.at(-1)?.rate), isNumber: true, isWideOnly: true },
  { title: words.accepted, cell: ({ accepted }) => accepted.toLocaleString(), isNumber: true, isWideOnly: true },
  { title: words.refused, cell: ({ refused }) => refused.toLocaleString(), isNumber: true, isWideOnly: true },
  {
    title: words.lastAccepted,
    cell: ({ lastAcceptedAt }) => (lastAcceptedAt ? <Time at={lastAcceptedAt} isRelative /> : words.never),
    isWideOnly: true,
  },
];

/** `rate`: on a narrow screen the figures are part of the cell. */
const NameCell = ({ source, rate }: { source: Source; rate: number | undefined }) => {
  const { id, name, kind, roles = [], state, lastError, waiting, lagSeconds } = source;
  const note = kind === "local" ? words.localNote(name, roles) : placeOf(source);
  return (
    <>
      <NameLink to="/sources/$sourceId" params={{ sourceId: id }} name={name} id={note} />
      <p className={css.short}>
        {words.short(formatCount(waiting), formatLag(lagSeconds), rate === undefined ? undefined : formatRate(rate))}
      </p>
      {state === "failing" && lastError && <p className={css.fault}>{lastError}</p>}
    </>
  );
};

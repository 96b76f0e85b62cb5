// The list of workflows.
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { Icon } from "../../icons.tsx";
import { ListBar, NameLink } from "../../kit/data/list.tsx";
import { ListView } from "../../kit/data/list-view.tsx";
import { Pager, Table } from "../../kit/data/table.tsx";
import { Time } from "../../kit/data/time.tsx";
import { EmptyState } from "../../kit/feedback/states.tsx";
import { Badge } from "../../kit/feedback/verdict.tsx";
import { Button, LinkButton } from "../../kit/inputs/button.tsx";
import { Select } from "../../kit/inputs/select.tsx";
import { Page } from "../../kit/layout/page.tsx";
import { useSettledText } from "../../kit/use-settled.ts";
import { stepIcons } from "../../outcomes/tones.ts";
import { stepNames } from "../../steps/facts.gen.ts";
import { words as kitWords } from "../../words.ts";
import { CreateDialog } from "./create-dialog.tsx";
import { createCurl } from "./curl.ts";
import { words as replaceWords } from "./replace/words.ts";
import { RowMenu, type WorkflowRow } from "./row-menu.tsx";
import type { ListSearch, WorkflowStatus } from "./search.ts";
import { statusNames, statusTones, words } from "./words.ts";
import css from "./workflows.module.css";

const ReplaceDialog = lazy(() =>
  import("./replace/replace-dialog.tsx").then((module) => ({ default: module.ReplaceDialog })),
);

const workflowsRoute = getRouteApi("/shell/workflows");

const pageSize = 25;

export function WorkflowsScreen() {
  const search = workflowsRoute.useSearch();
  const [isCreating, setCreating] = useState(false);
  const [isReplacing, setReplacing] = useState(false);
  const may = useMay();
  const { q, status, page = 0 } = search;
  const { data, error, refetch } = useOperation(
    "workflows.list",
    {
      query: {
        limit: pageSize,
        offset: page * pageSize,
        orderBy: "updatedAt",
        ...(q !== undefined && { query: q }),
        ...(status !== undefined && { status: [status] }),
      },
    },
    { keep: true },
  );
  const isFiltered = q !== undefined || status !== undefined;
  const total = data?.totalCount ?? 0;
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        <>
          {may("workflows.update") && total > 0 && (
            <Button icon="search" onClick={() => setReplacing(true)}>
              {replaceWords.open}
            </Button>
          )}
          <LinkButton to="/gallery" search={{}} icon="book">
            {words.gallery}
          </LinkButton>
          <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
            {words.create}
          </Button>
        </>
      }
    >
      <Filters search={search} />
      <ListView rows={data?.workflows} error={error} onRetry={refetch} empty={<NoRows isFiltered={isFiltered} />}>
        {(rows) => (
          <>
            <Rows rows={rows} />
            {total > pageSize && <Pages page={page} shown={rows.length} total={total} />}
          </>
        )}
      </ListView>
      {isReplacing && (
        <Suspense>
          <ReplaceDialog onClose={() => setReplacing(false)} />
        </Suspense>
      )}
      {isCreating && <CreateDialog onClose={() => setCreating(false)} />}
    </Page>
  );
}

function Filters({ search }: { search: ListSearch }) {
  const navigate = useNavigate();
  const change = (changed: ListSearch, replace = false) =>
    void navigate({ to: "/workflows", search: { ...search, page: undefined, ...changed }, replace });
  const [text, setText] = useSettledText(search.q ?? "", (settled) => change({ q: settled || undefined }, true));
  return (
    <ListBar search={{ label: words.search, value: text, onChange: setText }}>
      <Select
        name={words.status}
        value={search.status ?? "all"}
        isSet={search.status !== undefined}
        choices={[
          { value: "all", label: kitWords.all },
          ...Object.entries(statusNames).map(([value, label]) => ({ value, label })),
        ]}
        onChange={(value) => change({ status: value === "all" ? undefined : (value as WorkflowStatus) })}
      />
    </ListBar>
  );
}

function NoRows({ isFiltered }: { isFiltered: boolean }) {
  const navigate = useNavigate();
  if (!isFiltered)
    return (
      <EmptyState
        icon="workflow"
        title={words.none}
        text={words.noneText}
        command={createCurl()}
        action={
          <LinkButton to="/gallery" search={{}} icon="book">
            {words.gallery}
          </LinkButton>
        }
      />
    );
  const clear = () => void navigate({ to: "/workflows", search: {} });
  return (
    <EmptyState
      icon="filter"
      title={words.noMatch}
      text={words.noMatchText}
      action={<Button onClick={clear}>{words.clear}</Button>}
    />
  );
}

const Rows = ({ rows }: { rows: readonly WorkflowRow[] }) => (
  <Table
    label={words.title}
    rows={rows}
    keyOf={({ _id }) => _id}
    columns={[
      { title: words.name, cell: NameCell },
      { title: words.steps, cell: StepsCell, isWideOnly: true },
      {
        title: words.status,
        cell: ({ status }) => <Badge tone={statusTones[status]}>{statusNames[status]}</Badge>,
      },
      {
        title: words.lastTriggered,
        cell: ({ lastTriggeredAt }) =>
          lastTriggeredAt ? <Time at={lastTriggeredAt} isRelative /> : <span className={css.weak}>{words.never}</span>,
        isWideOnly: true,
      },
      { title: words.updated, cell: ({ updatedAt }) => <Time at={updatedAt} isRelative />, isWideOnly: true },
      { title: "", cell: (row) => <RowMenu row={row} />, isNumber: true },
    ]}
  />
);

const NameCell = ({ name, workflowId }: WorkflowRow) => (
  <NameLink to="/workflows/$workflowId" params={{ workflowId }} name={name} id={workflowId} />
);

function StepsCell({ stepTypeOverviews }: WorkflowRow) {
  if (stepTypeOverviews.length === 0) return <span className={css.weak}>{words.noSteps}</span>;
  const label = stepTypeOverviews.map((type) => stepNames[type]).join(", ");
  return (
    <span className={css.icons} role="img" aria-label={label} title={label}>
      {stepTypeOverviews.slice(0, 8).map((type, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a place in the row of icons
        <Icon key={index} name={stepIcons[type]} size={15} />
      ))}
    </span>
  );
}

function Pages({ page, shown, total }: { page: number; shown: number; total: number }) {
  const navigate = useNavigate();
  const go = (next: number) =>
    void navigate({ to: "/workflows", search: (search) => ({ ...search, page: next > 0 ? next : undefined }) });
  const from = page * pageSize;
  return (
    <Pager
      note={words.count(from + 1, from + shown, total)}
      onPrevious={page > 0 ? () => go(page - 1) : undefined}
      onNext={from + shown < total ? () => go(page + 1) : undefined}
    />
  );
}

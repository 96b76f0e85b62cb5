// The list of broadcasts with their status and how far they are.
import { getRouteApi } from "@tanstack/react-router";
import type { Broadcast, BroadcastStatus } from "@tidings/contract";
import { useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { ListBar, NameLink } from "../../kit/data/list.tsx";
import { ListView } from "../../kit/data/list-view.tsx";
import { Pager, Table } from "../../kit/data/table.tsx";
import { Time } from "../../kit/data/time.tsx";
import { Progress } from "../../kit/feedback/progress.tsx";
import { EmptyState } from "../../kit/feedback/states.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { choicesOf } from "../../kit/inputs/choices.ts";
import { Select } from "../../kit/inputs/select.tsx";
import { Note } from "../../kit/layout/layout.tsx";
import { Page } from "../../kit/layout/page.tsx";
import { words as peopleWords } from "../../subscribers/people-words.ts";
import { words as kitWords } from "../../words.ts";
import { BroadcastMenu } from "./broadcast-menu.tsx";
import css from "./broadcasts.module.css";
import { CreateDialog } from "./create-dialog.tsx";
import { startText } from "./moments.ts";
import { StatusBadge } from "./status-badge.tsx";
import { words } from "./words.ts";

const broadcastsRoute = getRouteApi("/shell/broadcasts");
const pageSize = 25;
const moving: readonly BroadcastStatus[] = ["scheduled", "running"];

export function BroadcastsScreen() {
  const { state, page = 0, new: isNew, to } = broadcastsRoute.useSearch();
  const navigate = broadcastsRoute.useNavigate();
  const show = (changed: { state?: BroadcastStatus; page?: number; new?: boolean; to?: string }, replace = false) =>
    void navigate({ search: ({ env }) => ({ env, ...changed }), replace });
  const query = { limit: pageSize, page, ...(state && { status: state }) };
  const first = useOperation("broadcasts.list", { query }, { keep: true });
  const isMoving = first.data?.data.some(({ status }) => moving.includes(status));
  // The same response, asked for again while it changes.
  const { data, error, refetch } = useOperation(
    "broadcasts.list",
    { query },
    { keep: true, every: isMoving ? 2_000 : 30_000 },
  );
  const mayCreate = useMay()("broadcasts.create");
  const isOpen = mayCreate && (isNew === true || to !== undefined);
  const create = mayCreate && (
    <Button look="primary" icon="plus" onClick={() => show({ state, new: true }, true)}>
      {words.create}
    </Button>
  );
  const isEmpty = data?.data.length === 0 && state === undefined && page === 0;
  return (
    <Page title={words.title} lead={words.lead} actions={data && !isEmpty && create}>
      {isOpen && <CreateDialog audienceId={to} onClose={() => show({ state }, true)} />}
      {data && !isEmpty && (
        <ListBar>
          <Select
            name={words.filter}
            value={state ?? "all"}
            isSet={state !== undefined}
            choices={[{ value: "all" as const, label: kitWords.all }, ...choicesOf(words.statuses)]}
            onChange={(chosen) => show(chosen === "all" ? {} : { state: chosen })}
          />
        </ListBar>
      )}
      <ListView
        rows={data?.data}
        error={error}
        onRetry={refetch}
        empty={
          isEmpty ? (
            <EmptyState icon="megaphone" title={words.none} text={words.noneText} action={create} />
          ) : (
            <EmptyState
              title={words.noMatch}
              text={words.noMatchText}
              action={<Button onClick={() => show({})}>{words.showAll}</Button>}
            />
          )
        }
      >
        {(rows) => (
          <Table
            label={words.title}
            rows={rows}
            keyOf={({ _id }) => _id}
            columns={[
              { title: words.name, cell: NameCell },
              { title: words.status, cell: ({ status }) => <StatusBadge status={status} /> },
              { title: words.people, cell: ProgressCell, isWideOnly: true },
              { title: words.updated, cell: ({ updatedAt }) => <Time at={updatedAt} isRelative />, isWideOnly: true },
              { title: "", cell: (broadcast) => <BroadcastMenu broadcast={broadcast} />, isNumber: true },
            ]}
          />
        )}
      </ListView>
      {data && (data.hasMore || page > 0) && (
        <Pager
          note={words.page(page)}
          onPrevious={page > 0 ? () => show({ state, page: page > 1 ? page - 1 : undefined }) : undefined}
          onNext={data.hasMore ? () => show({ state, page: page + 1 }) : undefined}
        />
      )}
    </Page>
  );
}

const NameCell = ({ _id, name, time, startedAt, status }: Broadcast) => (
  <NameLink
    to="/broadcasts/$broadcastId"
    params={{ broadcastId: _id }}
    search={{}}
    name={name}
    id={
      <span className={css.when}>
        {startedAt ? <Time at={startedAt} /> : status === "draft" && time.kind === "now" ? "" : startText(time)}
      </span>
    }
  />
);

function ProgressCell({ name, status, progress: { people, started, gone, expired, failed } }: Broadcast) {
  if (people === null) return words.nothing;
  const isOpen = status === "running" || status === "paused";
  if (!isOpen) return started < people ? words.progress(started, people) : peopleWords.people(people);
  return (
    <div className={css.progressCell}>
      <Progress
        label={words.progressOf(name)}
        total={people}
        done={started + gone + expired + failed}
        parts={[{ tone: status === "paused" ? "warn" : "accent", count: started }]}
      />
      <Note>{words.progress(started, people)}</Note>
    </div>
  );
}

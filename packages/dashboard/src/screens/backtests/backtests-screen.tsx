// The backtests of the last days: what was tried, on which period, and what came of it.
import { getRouteApi } from "@tanstack/react-router";
import type { Backtest } from "@tidings/contract";
import { useState } from "react";
import { useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { isMoving } from "../../backtests/use-backtest.ts";
import { words } from "../../backtests/words.ts";
import { NameLink } from "../../kit/data/list.tsx";
import { ListView } from "../../kit/data/list-view.tsx";
import { NarrowOnly, Pager, Table } from "../../kit/data/table.tsx";
import { Time } from "../../kit/data/time.tsx";
import { Progress } from "../../kit/feedback/progress.tsx";
import { EmptyState } from "../../kit/feedback/states.tsx";
import { Button, LinkButton } from "../../kit/inputs/button.tsx";
import { Note } from "../../kit/layout/layout.tsx";
import { Page } from "../../kit/layout/page.tsx";
import css from "./backtests.module.css";
import { CalibrateDialog } from "./calibrate-dialog.tsx";
import { nameOf } from "./name.ts";
import { PeriodText } from "./period-text.tsx";
import { StatusBadge } from "./status-badge.tsx";

const backtestsRoute = getRouteApi("/shell/backtests");

const say = words.list;
const pageSize = 20;

export function BacktestsScreen() {
  const { page = 0 } = backtestsRoute.useSearch();
  const navigate = backtestsRoute.useNavigate();
  const [isCalibrating, setCalibrating] = useState(false);
  const query = { query: { limit: pageSize, page } };
  const first = useOperation("backtests.list", query, { keep: true });
  const isOneMoving = first.data?.data.some(isMoving);
  // The same response, asked for again while it changes.
  const { data, error, refetch } = useOperation("backtests.list", query, {
    keep: true,
    every: isOneMoving ? 2_000 : 30_000,
  });
  const mayCreate = useMay()("backtests.create");
  const show = (next: number) =>
    void navigate({ search: ({ env }: { env?: string }) => ({ env, ...(next > 0 && { page: next }) }) });
  return (
    <Page
      title={words.title}
      lead={say.lead}
      actions={
        mayCreate && (
          <Button icon="gauge" onClick={() => setCalibrating(true)}>
            {say.calibrate}
          </Button>
        )
      }
    >
      {isCalibrating && <CalibrateDialog onClose={() => setCalibrating(false)} />}
      <ListView
        rows={data?.data}
        error={error}
        onRetry={refetch}
        empty={
          <EmptyState
            icon="flask"
            title={say.none}
            text={say.noneText}
            action={
              <LinkButton look="primary" icon="workflow" to="/workflows">
                {say.openWorkflows}
              </LinkButton>
            }
          />
        }
      >
        {(rows) => (
          <Table
            label={words.title}
            rows={rows}
            keyOf={({ _id }) => _id}
            columns={[
              { title: say.of, cell: NameCell },
              { title: say.status, cell: StateCell },
              { title: say.period, cell: PeriodText, isWideOnly: true },
              {
                title: say.result,
                cell: ({ progress }) => say.notifications(progress.done),
                isNumber: true,
                isWideOnly: true,
              },
              { title: say.when, cell: WhenCell, isWideOnly: true },
            ]}
          />
        )}
      </ListView>
      {data && (data.hasMore || page > 0) && (
        <Pager
          note={say.page(page)}
          onPrevious={page > 0 ? () => show(page - 1) : undefined}
          onNext={data.hasMore ? () => show(page + 1) : undefined}
        />
      )}
    </Page>
  );
}

function NameCell(backtest: Backtest) {
  const { _id, workflowIds, isCalibrationOnly } = backtest;
  const of = isCalibrationOnly ? say.noChange : workflowIds.join(", ") || say.files;
  return (
    <NameLink
      to="/backtests/$backtestId"
      params={{ backtestId: _id }}
      search={{}}
      name={nameOf(backtest)}
      id={
        <>
          <span className={css.breaking}>{of}</span>
          <NarrowOnly>
            <span>
              <PeriodText {...backtest} />
            </span>
          </NarrowOnly>
        </>
      }
    />
  );
}

function StateCell(backtest: Backtest) {
  const { status, progress } = backtest;
  if (status !== "running") return <StatusBadge status={status} />;
  const percent = Math.floor(progress.percent);
  return (
    <div className={css.progressCell}>
      <span>{words.progress.sentence(percent)}</span>
      <Progress label={words.progress.label} total={100} done={percent} parts={[{ tone: "accent", count: percent }]} />
    </div>
  );
}

const WhenCell = ({ createdAt, createdBy }: Backtest) => (
  <span className={css.when}>
    <Time at={createdAt} isRelative />
    <Note>{createdBy}</Note>
  </span>
);

// What the chosen environment keeps: for how long, how large it is, what goes next, and what went.
import type { Retention as RetentionOf, RetentionRun } from "@tidings/contract";
import { useState } from "react";
import { useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { useEnvironment } from "../../api/session.tsx";
import { Table } from "../../kit/data/table.tsx";
import { formatDay, formatDuration, Time } from "../../kit/data/time.tsx";
import { ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Badge } from "../../kit/feedback/verdict.tsx";
import { formatBytes } from "../../kit/files.ts";
import { Button } from "../../kit/inputs/button.tsx";
import { Muted, Row, Stack } from "../../kit/layout/layout.tsx";
import { RetentionDialog } from "./retention-dialog.tsx";
import css from "./settings.module.css";
import { words } from "./words.ts";

const text = words.data;

export function Retention() {
  const { _id, name } = useEnvironment();
  const [isChanging, setChanging] = useState(false);
  const { data: retention, error, refetch } = useOperation("retention.retrieve", { params: { environmentId: _id } });
  const may = useMay();
  return (
    <Stack>
      {isChanging && retention && <RetentionDialog retention={retention} onClose={() => setChanging(false)} />}
      <Row isApart>
        <Muted>{text.text(name)}</Muted>
        {retention && may("retention.update") && (
          <Button look="primary" onClick={() => setChanging(true)}>
            {text.change}
          </Button>
        )}
      </Row>
      {error && <ErrorPanel error={error} onRetry={refetch} />}
      {!retention && !error && <Skeleton />}
      {retention && (
        <>
          <Classes of={retention} />
          <Months of={retention} />
          <Runs of={retention} />
        </>
      )}
    </Stack>
  );
}

const Classes = ({ of: { classes } }: { of: RetentionOf }) => (
  <Table
    label={text.title}
    rows={classes}
    keyOf={({ name }) => name}
    columns={[
      {
        title: text.what,
        cell: ({ name }) => (
          <span className={css.member}>
            <strong>{text.classes[name]}</strong>
            <span className={css.muted}>{text.notes[name]}</span>
          </span>
        ),
      },
      {
        title: text.kept,
        cell: ({ days, source, setting, isEditable }) => (
          <span className={css.member}>
            {text.days(days)}
            <span className={css.muted} title={setting}>
              {isEditable ? text.sources[source] : text.installation}
            </span>
          </span>
        ),
      },
      {
        title: text.size,
        isNumber: true,
        cell: ({ rows, bytes, isEstimate, oldestAt }) => (
          <span className={css.member}>
            {formatBytes(bytes)}
            <span className={css.muted}>{text.rows(rows, isEstimate)}</span>
            {oldestAt && <span className={css.muted}>{text.since(formatDay(oldestAt))}</span>}
          </span>
        ),
      },
      {
        title: text.next,
        isNumber: true,
        isWideOnly: true,
        cell: ({ next }) =>
          next.rows === 0 ? (
            <span className={css.muted}>{text.nothing}</span>
          ) : (
            <span className={css.member}>
              {text.rows(next.rows, next.isEstimate)}
              <span className={css.muted}>{text.before(formatDay(next.before))}</span>
            </span>
          ),
      },
    ]}
  />
);

const Months = ({ of: { months, nextRunAt } }: { of: RetentionOf }) => (
  <Stack isSmall>
    <h2>{text.months}</h2>
    <Muted>
      {text.monthsText} <Time at={nextRunAt} />.
    </Muted>
    <Table
      label={text.months}
      rows={months}
      keyOf={({ month }) => month}
      columns={[
        { title: text.month, cell: ({ month }) => month },
        { title: text.size, isNumber: true, cell: ({ bytes }) => formatBytes(bytes) },
        {
          title: text.goes,
          isNumber: true,
          cell: ({ dropsAt, isWaitedFor }) =>
            isWaitedFor ? <Badge tone="warn">{text.waitedFor}</Badge> : formatDay(dropsAt),
        },
      ]}
    />
  </Stack>
);

const Runs = ({ of: { runs } }: { of: RetentionOf }) => (
  <Stack isSmall>
    <h2>{text.runs}</h2>
    {runs.length === 0 ? (
      <Muted>{text.noRuns}</Muted>
    ) : (
      <Table
        label={text.runs}
        rows={runs}
        keyOf={({ id }) => id}
        columns={[
          { title: text.began, cell: ({ startedAt }) => <Time at={startedAt} /> },
          { title: text.deletedTitle, cell: (run) => <span className={css.cell}>{whatWent(run)}</span> },
          { title: text.took, isNumber: true, isWideOnly: true, cell: (run) => durationOf(run) },
        ]}
      />
    )}
  </Stack>
);

function whatWent({ deleted, partitions, error, isComplete, finishedAt }: RetentionRun) {
  const parts = [
    ...deleted.map(({ name, rows }) => `${text.classes[name]}: ${text.rows(rows, false)}`),
    ...(partitions.length > 0 ? [text.partitions(partitions.length)] : []),
  ];
  return (
    <>
      {parts.length > 0 ? parts.join(" · ") : text.nothing}{" "}
      {error !== null ? (
        <Badge tone="bad">{text.failed(error)}</Badge>
      ) : (
        finishedAt !== null && !isComplete && <Badge tone="warn">{text.continues}</Badge>
      )}
    </>
  );
}

const durationOf = ({ startedAt, finishedAt }: RetentionRun): string =>
  finishedAt === null ? text.running : formatDuration(Date.parse(finishedAt) - Date.parse(startedAt));

// What an import did, or a dry run would do: progress, counts, and the invalid rows.
import type { Import, ImportError } from "@tidings/contract";
import { useEffect, useState } from "react";
import { downloadFile } from "../../../api/client.ts";
import { useOperation } from "../../../api/hooks.ts";
import { useMay } from "../../../api/permissions.ts";
import { Pager, Table } from "../../../kit/data/table.tsx";
import { Notice } from "../../../kit/feedback/notice.tsx";
import { ErrorPanel, Skeleton } from "../../../kit/feedback/states.tsx";
import { Badge } from "../../../kit/feedback/verdict.tsx";
import { Button } from "../../../kit/inputs/button.tsx";
import { showError } from "../../../kit/overlays/toast.tsx";
import css from "./imports.module.css";
import { words } from "./words.ts";

const say = words.report;
const pageSize = 25;

export const isFinished = ({ status }: Import): boolean => status === "completed" || status === "failed";

export function ImportReport({ of }: { of: Import }) {
  const { lines, done, created, updated, unchanged, faulty, isDryRun } = of;
  const counts = [
    [created, isDryRun ? say.wouldCreated : say.created, "good"],
    [updated, isDryRun ? say.wouldUpdated : say.updated, "info"],
    [unchanged, say.unchanged, "quiet"],
    [faulty, say.faulty, faulty > 0 ? "bad" : "quiet"],
  ] as const;
  return (
    <div className={css.report}>
      {!isFinished(of) && (
        <div className={css.progress}>
          <progress aria-label={say.progressLabel} max={lines} value={done} />
          <span role="status">{say.progress(done, lines)}</span>
        </div>
      )}
      {of.status === "failed" && <Notice tone="bad">{say.failed}</Notice>}
      <dl className={css.counts}>
        {counts.map(([count, label, tone]) => (
          <div key={label} data-tone={tone}>
            <dt>{label}</dt>
            <dd>{words.number(count)}</dd>
          </div>
        ))}
      </dl>
      {faulty > 0 && <FaultyLines of={of} />}
    </div>
  );
}

function FaultyLines({ of }: { of: Import }) {
  const { id, faulty, fileName } = of;
  const may = useMay();
  const [page, setPage] = useState(0);
  const { data, error, refetch } = useOperation(
    "imports.listErrors",
    { params: { importId: id }, query: { page, limit: pageSize } },
    { keep: true },
  );
  // A running import finds more.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new number of invalid rows is the reason to read again
  useEffect(() => void refetch(), [faulty]);
  const download = () =>
    void downloadFile("v1/exports/faulty-lines.csv", { importId: id }, `invalid-${fileName ?? "lines.csv"}`).catch(
      showError,
    );
  return (
    <section className={css.faulty}>
      <div className={css.next}>
        <h2>{say.faultyTitle}</h2>
        {may("exports.faultyLines") && (
          <Button size="small" icon="download" onClick={download}>
            {say.download}
          </Button>
        )}
      </div>
      <p className={css.weak}>
        {say.faultyText} {faulty > 1_000 && say.capped}
      </p>
      {error && <ErrorPanel error={error} />}
      {!data && !error && <Skeleton rows={3} />}
      {data && data.data.length > 0 && (
        <Table
          label={say.faultyTitle}
          rows={data.data}
          keyOf={({ line }) => String(line)}
          columns={[
            { title: say.line, cell: ({ line }) => line, isNumber: true },
            { title: say.problem, cell: ProblemCell },
            {
              title: say.content,
              cell: ({ cells }) => <code className={css.cells}>{cells.join(" · ")}</code>,
              isWideOnly: true,
            },
          ]}
        />
      )}
      {data && (data.hasMore || page > 0) && (
        <Pager
          onPrevious={page > 0 ? () => setPage(page - 1) : undefined}
          onNext={data.hasMore ? () => setPage(page + 1) : undefined}
        />
      )}
    </section>
  );
}

const ProblemCell = ({ column, message }: ImportError) => (
  <span className={css.problem}>
    <Badge isSquare>{column ?? say.whole}</Badge> {message}
  </span>
);

// The replays of the environment, the newest first.
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import type { DeadLetterReplay } from "@tidings/contract";
import { useOperation } from "../../api/hooks.ts";
import { Pager, Table } from "../../kit/data/table.tsx";
import { Time } from "../../kit/data/time.tsx";
import { Progress } from "../../kit/feedback/progress.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Badge } from "../../kit/feedback/verdict.tsx";
import type { Tone } from "../../kit/tone.ts";
import css from "./dead-letters.module.css";
import { words } from "./words.ts";

const deadLettersRoute = getRouteApi("/shell/dead-letters");

const text = words.job;

export const statusTones: Record<DeadLetterReplay["status"], Tone> = {
  running: "info",
  paused: "warn",
  stopped: "quiet",
  done: "good",
};

/** Which letters a replay takes, in words. */
export function describeFilter({ filter }: DeadLetterReplay): string {
  const { ids, ...members } = filter as { ids?: string[] } & Record<string, unknown>;
  if (ids) return text.chosen(ids.length);
  const values = Object.values(members).map(String);
  return values.length === 0 ? text.all : values.join(" · ");
}

export function Replays() {
  const { page = 0 } = deadLettersRoute.useSearch();
  const navigate = useNavigate();
  const { data, error, refetch } = useOperation(
    "deadLetterReplays.list",
    { query: { limit: 20, page } },
    { keep: true, every: 3_000 },
  );
  if (error && !data) return <ErrorPanel error={error} onRetry={refetch} />;
  if (!data) return <Skeleton />;
  if (data.data.length === 0) return <EmptyState icon="refresh" title={text.none} text={text.noneText} />;
  const goTo = (next: number) =>
    void navigate({
      to: "/dead-letters",
      search: (old) => ({ env: old.env, tab: "replays", page: next || undefined }),
    });
  return (
    <>
      <Table
        label={text.list}
        rows={data.data}
        keyOf={({ id }) => id}
        columns={[
          {
            title: text.what,
            cell: (replay) => (
              <Link to="/dead-letters/replays/$replayId" params={{ replayId: replay.id }} className={css.what}>
                {describeFilter(replay)}
              </Link>
            ),
          },
          {
            title: text.title,
            cell: ({ done, total }) => (
              <span className={css.barCell}>
                <Progress label={text.progress} total={total} done={done} parts={[{ tone: "accent", count: done }]} />
                <span className={css.muted}>
                  {done.toLocaleString()} / {total.toLocaleString()}
                </span>
              </span>
            ),
          },
          { title: text.pace, cell: ({ perSecond }) => text.perSecond(perSecond), isWideOnly: true },
          {
            title: "",
            cell: ({ status }) => <Badge tone={statusTones[status]}>{text.status[status]}</Badge>,
          },
          { title: text.started, cell: ({ createdAt }) => <Time at={createdAt} isRelative />, isWideOnly: true },
        ]}
      />
      {(data.hasMore || page > 0) && (
        <Pager
          onPrevious={page > 0 ? () => goTo(page - 1) : undefined}
          onNext={data.hasMore ? () => goTo(page + 1) : undefined}
        />
      )}
    </>
  );
}

// What was sent, what was not, and what caused the failures.

import { getRouteApi, useNavigate } from "@tanstack/react-router";
import type { Channel, Output } from "@tidings/contract";
import { useOperation } from "../../api/hooks.ts";
import { ExportCsv } from "../../app/export-csv.tsx";
import { formatAge } from "../../health/outage.ts";
import { formatDuration } from "../../kit/data/time.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Verdict } from "../../kit/feedback/verdict.tsx";
import { Button, LinkButton } from "../../kit/inputs/button.tsx";
import { Select } from "../../kit/inputs/select.tsx";
import { Muted, Row, Stack } from "../../kit/layout/layout.tsx";
import { Page } from "../../kit/layout/page.tsx";
import { channelNames } from "../../outcomes/channel-names.ts";
import { Bars } from "./bars.tsx";
import { Breakdowns } from "./breakdowns.tsx";
import { heldOf, judge, type ProviderFigures } from "./judgement.ts";
import { type StatisticsRange, type StatisticsSearch, statisticsRanges } from "./search.ts";
import css from "./statistics.module.css";
import { words } from "./words.ts";

const statisticsRoute = getRouteApi("/shell/statistics");

type Statistics = Output<"statistics.list">;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Whole hours or days, the present one among them: so the question stays the same within the hour. */
const rangeOf: Record<StatisticsRange, () => { granularity: "hour" | "day"; from: string }> = {
  "24h": () => ({ granularity: "hour", from: new Date(startOf(hourMs) - 23 * hourMs).toISOString() }),
  "7d": () => ({ granularity: "hour", from: new Date(startOf(hourMs) - (7 * 24 - 1) * hourMs).toISOString() }),
  "30d": () => ({ granularity: "day", from: new Date(startOf(dayMs) - 29 * dayMs).toISOString() }),
};
const startOf = (width: number): number => Math.floor(Date.now() / width) * width;

export function StatisticsScreen() {
  const search = statisticsRoute.useSearch();
  const { range = "24h", channel, workflow, provider } = search;
  const navigate = useNavigate();
  const providers = useOperation("providers.list", { query: {} }, { staleTime: 3_600_000 });
  const query = { ...rangeOf[range](), breakdown: true, channel, workflowId: workflow, providerId: provider };
  const { data, error, refetch } = useOperation("statistics.list", { query }, { keep: true, every: 30_000 });
  const change = (changed: StatisticsSearch) =>
    void navigate({ to: "/statistics", search: ({ env }) => ({ env, ...search, ...changed }) });
  const providerName = (id: string | null) =>
    id === null ? words.noProvider : (providers.data?.find((one) => one.id === id)?.name ?? id);
  const workflowName = data?.breakdown?.workflows.find(({ workflowId }) => workflowId === workflow)?.name ?? workflow;
  const isFiltered = channel !== undefined || workflow !== undefined || provider !== undefined;
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        <Row>
          {statisticsRanges.map((each) => (
            <Button key={each} aria-pressed={each === range} onClick={() => change({ range: each })}>
              {words.ranges[each]}
            </Button>
          ))}
          <ExportCsv id="exports.statistics" name="statistics" query={query} />
        </Row>
      }
    >
      <Stack>
        <Row>
          <Select
            name={words.channel}
            value={channel ?? ""}
            isSet={channel !== undefined}
            choices={[
              { value: "", label: words.any },
              ...Object.entries(channelNames).map(([value, label]) => ({ value, label })),
            ]}
            onChange={(value) => change({ channel: (value || undefined) as Channel | undefined })}
          />
          {workflow !== undefined && <span className={css.only}>{words.only.workflow(workflowName ?? "")}</span>}
          {provider !== undefined && <span className={css.only}>{words.only.provider(providerName(provider))}</span>}
          {isFiltered && (
            <Button
              look="plain"
              onClick={() => change({ channel: undefined, workflow: undefined, provider: undefined })}
            >
              {words.clear}
            </Button>
          )}
        </Row>
        {error && <ErrorPanel error={error} onRetry={refetch} />}
        {!data && !error && <Skeleton />}
        {data && <Figures data={data} range={range} nameOf={({ providerId }) => providerName(providerId)} />}
        {data?.breakdown && (
          <Breakdowns
            breakdown={data.breakdown}
            totals={data.totals}
            waiting={data.waiting}
            providerName={providerName}
          />
        )}
      </Stack>
    </Page>
  );
}

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const dayAndClock = new Intl.DateTimeFormat(undefined, { weekday: "short", hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", timeZone: "UTC" });
const formats = { "24h": clock, "7d": dayAndClock, "30d": day };

type FiguresProps = { data: Statistics; range: StatisticsRange; nameOf: (provider: ProviderFigures) => string };

function Figures({ data: { data, totals, breakdown, granularity, waiting }, range, nameOf }: FiguresProps) {
  const { tone, title, text } = judge(totals, breakdown?.providers ?? [], words.times[range], nameOf, waiting);
  const waits = waiting?.count ?? 0;
  const skipped = sumOf(totals.skipped);
  const formatTime = (start: string) => formats[range].format(new Date(start));
  const unit = words.charts[granularity];
  const hasLatency = data.some(({ latency }) => latency !== undefined);
  return (
    <>
      <section className={css.judgement} data-tone={tone}>
        <Verdict tone={tone} size={20} />
        <div>
          <h2>{title}</h2>
          {text && <p>{text}</p>}
        </div>
        {totals.failed > 0 && (
          <LinkButton size="small" to="/activity" search={{ outcome: "failed" }}>
            {words.judgement.see}
          </LinkButton>
        )}
      </section>
      {totals.sent + totals.captured + totals.failed + totals.failedAttempts + skipped + waits === 0 ? (
        <EmptyState icon="bars" title={words.none} text={words.noneText} />
      ) : (
        <>
          <dl className={css.tiles} aria-label={words.figures.label}>
            {waits > 0 && (
              <Tile
                name={words.figures.waiting}
                value={waits}
                note={
                  waiting?.oldestAt && words.figures.waitingNote(formatAge(Date.now() - Date.parse(waiting.oldestAt)))
                }
                isBad
              />
            )}
            <Tile name={words.figures.sent} value={totals.sent} note={words.figures.sentNote} />
            {totals.captured > 0 && (
              <Tile name={words.figures.captured} value={totals.captured} note={words.figures.capturedNote} />
            )}
            <Tile
              name={words.figures.delivered}
              value={totals.delivered}
              note={partOf(totals.delivered, totals.sent)}
            />
            <Tile name={words.figures.opened} value={totals.opened} note={partOf(totals.opened, totals.sent)} />
            <Tile
              name={words.figures.failed}
              value={totals.failed}
              note={totals.failed > 0 ? words.figures.failedNote(totals.refused) : undefined}
              isBad={totals.failed > 0}
            />
            <Tile name={words.figures.skipped} value={skipped} note={words.figures.skippedNote} />
            {totals.held && (
              <Tile
                name={words.figures.held}
                value={heldOf(totals)}
                note={words.figures.heldNote(percent.format(totals.held.share))}
              />
            )}
            {totals.latency && (
              <Tile
                name={words.figures.latency}
                value={formatDuration(totals.latency.p50)}
                note={words.figures.latencyNote(formatDuration(totals.latency.p95))}
              />
            )}
          </dl>
          <Bars
            label={words.charts.messages(unit)}
            parts={[words.charts.failed, words.charts.sent, ...(totals.captured > 0 ? [words.charts.captured] : [])]}
            hatched={words.charts.failed}
            faint={words.charts.captured}
            bars={data.map(({ start, sent, failed, captured }) => ({
              start,
              parts: [failed, sent, ...(totals.captured > 0 ? [captured] : [])],
            }))}
            formatTime={formatTime}
            formatValue={(value) => value.toLocaleString()}
          />
          {hasLatency && (
            <Bars
              label={words.charts.latency(unit)}
              parts={[words.charts.p95]}
              mark={words.charts.p50}
              bars={data.map(({ start, latency }) => ({ start, parts: [latency?.p95 ?? 0], mark: latency?.p50 }))}
              formatTime={formatTime}
              formatValue={formatDuration}
            />
          )}
          {granularity === "day" && <Muted>{words.charts.utcDays}</Muted>}
        </>
      )}
    </>
  );
}

const sumOf = (counts: Record<string, number>): number => Object.values(counts).reduce((sum, count) => sum + count, 0);

const percent = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 });
const partOf = (part: number, of: number): string | undefined =>
  of === 0 ? undefined : words.figures.ofSent(percent.format(part / of));

type TileProps = { name: string; value: number | string; note?: string; isBad?: boolean };

const Tile = ({ name, value, note, isBad }: TileProps) => (
  <div className={css.tile} data-bad={isBad}>
    <dt>{name}</dt>
    <dd>
      <strong>{typeof value === "number" ? value.toLocaleString() : value}</strong>
      {note && <span>{note}</span>}
    </dd>
  </div>
);

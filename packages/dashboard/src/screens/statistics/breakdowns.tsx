// The figures by provider, workflow and channel, and the reasons of skipped steps.

import { Link } from "@tanstack/react-router";
import type { Output, StatisticsBreakdown } from "@tidings/contract";
import type { ReactNode } from "react";
import { type Column, Table } from "../../kit/data/table.tsx";
import { formatDuration } from "../../kit/data/time.tsx";
import { Muted, Stack } from "../../kit/layout/layout.tsx";
import { channelNames } from "../../outcomes/channel-names.ts";
import { heldOf, shareOf } from "./judgement.ts";
import css from "./statistics.module.css";
import { words } from "./words.ts";

const text = words.tables;
const percent = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 });
const count = (value: number): string => value.toLocaleString();
const sumOf = (counts: Record<string, number>): number => Object.values(counts).reduce((sum, one) => sum + one, 0);

type BreakdownsProps = {
  breakdown: StatisticsBreakdown;
  totals: Output<"statistics.list">["totals"];
  waiting: Output<"statistics.list">["waiting"];
  providerName: (id: string | null) => string;
};

export function Breakdowns({ breakdown, totals, waiting, providerName }: BreakdownsProps) {
  const { providers, workflows, channels } = breakdown;
  const reasons = Object.entries(totals.skipped).sort(([, a], [, b]) => b - a);
  return (
    <>
      {providers.length > 0 && <Providers providers={providers} waiting={waiting} providerName={providerName} />}
      {workflows.length > 0 && (
        <Part title={text.workflows}>
          <Table
            label={text.workflows}
            rows={workflows}
            keyOf={({ _id }) => _id}
            columns={[
              {
                title: text.workflow,
                cell: ({ workflowId, name }) =>
                  workflowId === null ? (
                    words.deletedWorkflow
                  ) : (
                    <Only search={{ workflow: workflowId }} name={name ?? workflowId} />
                  ),
              },
              ...figureColumns<StatisticsBreakdown["workflows"][number]>(totals),
            ]}
          />
        </Part>
      )}
      <div className={css.columns} data-wide={totals.held !== undefined}>
        {channels.length > 0 && (
          <Part title={text.channels}>
            <Table
              label={text.channels}
              rows={channels}
              keyOf={({ channel }) => channel}
              columns={[
                {
                  title: words.channel,
                  cell: ({ channel }) => <Only search={{ channel }} name={channelNames[channel]} />,
                },
                ...figureColumns<StatisticsBreakdown["channels"][number]>(totals),
              ]}
            />
          </Part>
        )}
        {reasons.length > 0 && (
          <Part title={text.skipped}>
            <Table
              label={text.skipped}
              rows={reasons}
              keyOf={([reason]) => reason}
              columns={[
                { title: text.reason, cell: ([reason]) => words.reasons[reason] ?? reason.replaceAll("_", " ") },
                { title: text.steps, cell: ([, steps]) => count(steps), isNumber: true },
              ]}
            />
          </Part>
        )}
      </div>
    </>
  );
}

const Part = ({ title, lead, children }: { title: string; lead?: string; children: ReactNode }) => (
  <section>
    <Stack isSmall>
      <h2>{title}</h2>
      {lead && <Muted>{lead}</Muted>}
      {children}
    </Stack>
  </section>
);

/** A name that narrows the screen down to it. */
const Only = ({ search, name }: { search: Record<string, string>; name: string }) => (
  <Link
    to="/statistics"
    search={(old: Record<string, unknown>) => ({ ...old, ...search })}
    title={text.onlyThis(name)}
    className={css.name}
  >
    {name}
  </Link>
);

type Figures = Pick<
  StatisticsBreakdown["channels"][number],
  "sent" | "captured" | "delivered" | "opened" | "failed" | "skipped" | "held"
>;

const figureColumns = <Row extends Figures>(totals: Figures): Column<Row>[] => [
  { title: text.sent, cell: ({ sent }) => count(sent), isNumber: true },
  ...(totals.captured > 0
    ? [{ title: text.captured, cell: ({ captured }: Row) => count(captured), isNumber: true }]
    : []),
  { title: text.delivered, cell: ({ delivered }) => count(delivered), isNumber: true, isWideOnly: true },
  { title: text.opened, cell: ({ opened }) => count(opened), isNumber: true, isWideOnly: true },
  { title: text.failed, cell: ({ failed }) => <Bad value={failed} />, isNumber: true },
  { title: text.skippedColumn, cell: ({ skipped }) => count(sumOf(skipped)), isNumber: true, isWideOnly: true },
  ...(heldOf(totals) > 0 ? [{ title: text.held, cell: (row: Row) => heldText(row), isNumber: true }] : []),
];

const heldText = (figures: Figures): string =>
  figures.held ? text.heldCell(heldOf(figures), percent.format(figures.held.share)) : text.noValue;

const Bad = ({ value }: { value: number }) => <span className={value > 0 ? css.bad : undefined}>{count(value)}</span>;

type Provider = StatisticsBreakdown["providers"][number];
type ProvidersProps = Pick<BreakdownsProps, "providerName" | "waiting"> & { providers: Provider[] };

/** Failure share and latency side by side: the one that stands out is the cause. */
function Providers({ providers, waiting, providerName }: ProvidersProps) {
  const hasCaptured = providers.some(({ captured }) => captured > 0);
  const waitingFor = ({ channel, providerId }: Provider): number =>
    waiting?.providers.find((one) => one.channel === channel && one.providerId === providerId)?.count ?? 0;
  const slowest = Math.max(...providers.map(({ latency }) => latency?.p95 ?? 0), 1);
  return (
    <Part title={text.providers} lead={text.providersText}>
      <Table
        label={text.providers}
        rows={providers}
        keyOf={({ providerId, channel }) => `${channel} ${providerId}`}
        columns={[
          {
            title: text.provider,
            cell: ({ providerId, channel }) => (
              <span className={css.provider}>
                {providerId === null ? (
                  words.noProvider
                ) : (
                  <Only search={{ provider: providerId }} name={providerName(providerId)} />
                )}
                <span className={css.weak}>{channelNames[channel]}</span>
              </span>
            ),
          },
          { title: text.sent, cell: ({ sent }) => count(sent), isNumber: true },
          ...(hasCaptured
            ? [
                {
                  title: text.captured,
                  cell: ({ captured }: Provider) => count(captured),
                  isNumber: true,
                  isWideOnly: true,
                },
              ]
            : []),
          ...(waiting && waiting.count > 0
            ? [{ title: text.waiting, cell: (row: Provider) => <Bad value={waitingFor(row)} />, isNumber: true }]
            : []),
          {
            title: text.attempts,
            cell: ({ failedAttempts }) => <Bad value={failedAttempts} />,
            isNumber: true,
            isWideOnly: true,
          },
          { title: text.failed, cell: ({ failed }) => count(failed), isNumber: true, isWideOnly: true },
          {
            title: text.share,
            cell: (row) => <Meter share={shareOf(row)} label={percent.format(shareOf(row))} look="bad" />,
            isNumber: true,
          },
          {
            title: text.p50,
            cell: ({ latency }) => (latency ? formatDuration(latency.p50) : text.noValue),
            isNumber: true,
            isWideOnly: true,
          },
          {
            title: text.p95,
            cell: ({ latency }) =>
              latency ? (
                <Meter share={latency.p95 / slowest} label={formatDuration(latency.p95)} look="plain" />
              ) : (
                text.noValue
              ),
            isNumber: true,
            isWideOnly: true,
          },
        ]}
      />
    </Part>
  );
}

const Meter = ({ share, label, look }: { share: number; label: string; look: "bad" | "plain" }) => (
  <span className={css.meter}>
    {label}
    <svg width="56" height="6" aria-hidden="true" focusable="false">
      <rect width="56" height="6" rx="3" className={css.meterRoom} />
      {share > 0 && (
        <rect width={Math.max(3, share * 56)} height="6" rx="3" className={css.meterBar} data-look={look} />
      )}
    </svg>
  </span>
);

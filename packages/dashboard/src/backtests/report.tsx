// The report: sentences first, then numbers by channel, workflow and step, then people, then how far it can be trusted.
import type { Backtest, BacktestEffect, BacktestReport } from "@tidings/contract";
import { useId } from "react";
import { Table } from "../kit/data/table.tsx";
import { Notice } from "../kit/feedback/notice.tsx";
import { Muted, Stack } from "../kit/layout/layout.tsx";
import { Card } from "../kit/layout/page.tsx";
import { channelNames } from "../outcomes/channel-names.ts";
import css from "./backtests.module.css";
import { Calibration, Skipped } from "./calibration.tsx";
import { Counted } from "./counted.tsx";
import { EffectList } from "./effect-list.tsx";
import { People } from "./people.tsx";
import type { Placed } from "./place.ts";
import { RenderFaults } from "./render-faults.tsx";
import { words } from "./words.ts";
import { Workflows } from "./workflows.tsx";

const say = words.report;

type ReportProps = Placed & { backtest: Backtest; report: BacktestReport };

export function Report({ backtest, report, place, onPlace }: ReportProps) {
  const { calibration, channels, totals, workflows, renderFaults } = report;
  const { isCalibrationOnly } = backtest;
  const { isTrusted } = calibration;
  const calibrated = <Calibration of={calibration} isOpen={isCalibrationOnly} />;
  const peopleId = useId();
  const showPeople = (effect: BacktestEffect, of?: string) => {
    onPlace({ effect, of });
    requestAnimationFrame(() => {
      const section = document.getElementById(peopleId);
      section?.scrollIntoView({ block: "start" });
      section?.focus({ preventScroll: true });
    });
  };
  return (
    <Stack>
      <Sentences backtest={backtest} report={report} />
      {!isTrusted && calibrated}
      {renderFaults.length > 0 && <RenderFaults of={renderFaults} />}
      {channels.length > 0 && !isCalibrationOnly && (
        <section className={css.section}>
          <h2>{say.channels}</h2>
          <Table
            label={say.channels}
            rows={channels}
            keyOf={({ channel }) => channel}
            columns={[
              {
                title: say.channel,
                cell: ({ channel, before, after, effects }) => (
                  <Counted name={channelNames[channel]} before={before} after={after}>
                    <EffectList of={effects} />
                  </Counted>
                ),
              },
              { title: say.before, cell: ({ before }) => words.number(before), isNumber: true, isWideOnly: true },
              { title: say.after, cell: ({ after }) => words.number(after), isNumber: true, isWideOnly: true },
              { title: say.balance, cell: Balance, isNumber: true },
              { title: say.effects, cell: ({ effects }) => <EffectList of={effects} />, isWideOnly: true },
            ]}
          />
        </section>
      )}
      {!isCalibrationOnly && workflows.length > 0 && <Workflows of={workflows} onEffect={showPeople} />}
      {!isCalibrationOnly && (
        <section id={peopleId} tabIndex={-1} className={css.section} aria-label={words.people.title}>
          <People
            backtestId={backtest._id}
            workflows={workflows}
            isNobody={totals.differing === 0}
            place={place}
            onPlace={onPlace}
          />
        </section>
      )}
      {isTrusted && calibrated}
      <Skipped of={report} />
    </Stack>
  );
}

/** The sentence about a low calibration is the first, and is shown alone. */
function Sentences({ backtest, report: { sentences, calibration, totals } }: Pick<ReportProps, "backtest" | "report">) {
  const { isTrusted } = calibration;
  const shown = isTrusted ? sentences : sentences.slice(1);
  return (
    <>
      {!isTrusted && (
        <div role="alert">
          <Notice tone="bad">
            <strong>{sentences[0]}.</strong>
            {calibration.percent !== null && <p>{say.untrusted}</p>}
          </Notice>
        </div>
      )}
      <Card title={backtest.isCalibrationOnly ? say.calibrationTitle : say.title}>
        <Stack>
          {shown.length > 0 && (
            <ul className={css.sentences} data-old={!isTrusted}>
              {shown.map((sentence) => (
                <li key={sentence}>{sentence}</li>
              ))}
            </ul>
          )}
          <Muted>{say.replayed(totals.runs, totals.people)}</Muted>
        </Stack>
      </Card>
    </>
  );
}

const Balance = (of: { before: number; after: number }) => <span className={css.whole}>{balanceOf(of)}</span>;

/** "−812 (−26 %)" */
function balanceOf({ before, after }: { before: number; after: number }): string {
  const apart = after - before;
  if (apart === 0) return words.nothing;
  const sign = apart < 0 ? "−" : "+";
  const share = before === 0 ? "" : ` (${sign}${Math.round((Math.abs(apart) / before) * 1_000) / 10} %)`;
  return `${sign}${words.number(Math.abs(apart))}${share}`;
}

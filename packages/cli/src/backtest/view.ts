// The report of a backtest as people read it: sentences first, then tables, then what it could not know.
import type { Backtest, BacktestReport } from "@tidings/contract";
import { type Output, plainText } from "../output.ts";
import type { Exceeded } from "./thresholds.ts";

const number = (count: number): string => count.toLocaleString("en");

export function progressText({ status, progress: { percent, done, notifications, secondsLeft } }: Backtest): string {
  if (status === "queued") return "The backtest waits for its turn …";
  const left =
    secondsLeft === null
      ? ""
      : `, ${secondsLeft < 60 ? `${secondsLeft} s` : `${Math.ceil(secondsLeft / 60)} min`} left`;
  return `${Math.floor(percent)} %: ${number(done)} of ${number(notifications)} notifications${left}`;
}

/** "removed 12, content 3", the most first. */
const effectsText = (effects: Record<string, number>): string =>
  Object.entries(effects)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([effect, count]) => `${effect.replaceAll("_", " ")} ${number(count)}`)
    .join(", ") || "–";

/** Workflows of the table; the others are counted. */
const maxWorkflows = 50;

export function printReport(out: Output, backtest: Backtest & { report: BacktestReport }, url: string): void {
  const { _id, from, to, report, sample } = backtest;
  const { totals, sentences, calibration, channels, workflows } = report;
  const [first, ...others] = sentences;
  const period = `${minuteOf(from)} to ${minuteOf(to)} UTC`;
  out.line(out.style("bold", `${number(totals.runs)} notifications of ${number(totals.people)} people, ${period}`));
  if (sample) out.line(out.style("yellow", `! ${plainText(sample.sentence)}`));
  if (first !== undefined)
    out.line(calibration.isTrusted ? `  ${plainText(first)}` : out.style("red", `✗ ${plainText(first)}`));
  for (const sentence of others) out.line(`  ${plainText(sentence)}`);
  out.line();
  if (channels.length > 0) {
    const rows = channels.map(({ channel, before, after, effects }) => [
      channel.replaceAll("_", "-"),
      number(before),
      number(after),
      effectsText(effects),
    ]);
    out.table(["channel", "before", "after", "effects"], rows);
    out.line();
  }
  const differing = workflows.filter(({ effects }) => Object.values(effects).some((count) => count > 0));
  if (differing.length > 0) {
    const rows = differing
      .slice(0, maxWorkflows)
      .map(({ workflowId, isChanged, before, after, people, effects }) => [
        `${plainText(workflowId)}${isChanged ? "" : " (unchanged)"}`,
        number(before),
        number(after),
        number(people),
        effectsText(effects),
      ]);
    out.table(["workflow", "before", "after", "people", "effects"], rows);
    if (differing.length > maxWorkflows) out.line(`… and ${differing.length - maxWorkflows} more`);
    out.line();
  }
  printDoubts(out, report);
  out.line(`${url.replace(/\/$/, "")}/backtests/${_id}`);
}

const minuteOf = (time: string): string => time.slice(0, 16).replace("T", " ");

/** Templates that fail, and why the replay differs from what happened. */
function printDoubts(
  out: Output,
  { renderFaults, calibration: { deviations }, skipped, limits }: BacktestReport,
): void {
  for (const { workflowId, stepId, reason, messages } of renderFaults)
    out.line(`${out.style("red", "✗")} ${plainText(`${workflowId} ${stepId}: ${reason} (${number(messages)})`)}`);
  for (const { sentence } of deviations) out.line(out.style("dim", `  ${plainText(sentence)}`));
  for (const { workflowId, notifications } of skipped.deletedWorkflows)
    out.line(out.style("dim", `  ${plainText(workflowId)} was deleted: ${number(notifications)} not replayed`));
  if (skipped.erasedPayloads > 0)
    out.line(out.style("dim", `  ${number(skipped.erasedPayloads)} not replayed: their payloads were erased`));
  if (skipped.assumedAnswers > 0)
    out.line(out.style("dim", `  ${number(skipped.assumedAnswers)} responses of bridges and requests were assumed`));
  for (const limit of limits) out.line(out.style("dim", `  ${plainText(limit)}`));
}

export function printThresholds(out: Output, exceeded: readonly Exceeded[]): void {
  if (exceeded.length === 0) out.line(`${out.style("green", "✓")} All limits are kept.`);
  for (const { limit, workflowId, most, least, found } of exceeded) {
    const of = workflowId === null ? limit : `${plainText(workflowId)} ${limit}`;
    const allowed = most === undefined ? `at least ${number(least ?? 0)}` : `at most ${number(most)}`;
    const what = found === null ? "nothing to compare" : number(found);
    out.line(`${out.style("red", "✗")} ${of}: ${what}, and ${allowed} is allowed`);
  }
}

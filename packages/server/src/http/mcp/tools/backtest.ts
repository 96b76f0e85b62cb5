// backtest: what files would have done to the events of the past days. It is started with the files, and read with its
// id; a short one ends while the tool waits.
import { setTimeout as sleep } from "node:timers/promises";
import { type Backtest, backtestLimits } from "@tidings/contract";
import { Type } from "@tidings/contract/schema";
import { answerOf, id, plural, quote } from "../answer.ts";
import { optional } from "../arguments.ts";
import { changingTool, Refusal, type ToolHost } from "../tool.ts";
import { filesInput, readFiles } from "./files.ts";

/** How long the tool waits for the report, and how often it looks. */
const maxWaitMs = 25_000;
const lookMs = 500;

function reportLines({ _id, status, from, to, progress, sample, report, failure }: Backtest): string[] {
  if (status === "failed") return [`Backtest ${id(_id)} failed: ${quote(failure)}`];
  if (!report)
    return [`Backtest ${id(_id)} is ${status}, ${Math.floor(progress.percent)} %: call again with this backtestId.`];
  const { sentences, totals, workflows, calibration, limits } = report;
  return [
    `Backtest ${id(_id)} of the events from ${from} to ${to}: ${plural(totals.runs, "run")} of ${plural(totals.people, "subscriber")}.`,
    ...(sample ? [quote(sample.sentence)] : []),
    ...sentences.map((text) => quote(text)),
    ...workflows
      .filter(({ people }) => people > 0)
      .slice(0, 20)
      .map(
        (one) =>
          `${id(one.workflowId)}: ${plural(one.before, "message")} as it was, ${one.after} as changed; ${Object.entries(
            one.effects,
          )
            .map(([effect, count]) => `${effect} ${count}`)
            .join(", ")}`,
      ),
    ...(calibration.percent === null
      ? []
      : [
          `The unchanged replay agrees with what happened in ${calibration.percent} % of ${plural(calibration.compared, "step")}.`,
        ]),
    ...calibration.deviations.slice(0, 10).map(({ sentence }) => quote(sentence)),
    ...limits.slice(0, 10).map((text) => quote(text)),
  ];
}

async function waitFor(host: ToolHost, backtest: Backtest): Promise<Backtest> {
  const end = performance.now() + maxWaitMs;
  let current = backtest;
  while ((current.status === "queued" || current.status === "running") && performance.now() < end) {
    await sleep(lookMs);
    current = await host.call("backtests.get", { params: { backtestId: backtest._id } });
  }
  return current;
}

export const backtest = changingTool(
  {
    name: "backtest",
    title: "Backtest",
    description:
      "Replays the events of the past days with changed files, and reports which messages would have been different. Sends nothing and changes nothing in the environment. Give files to start one, or the backtestId of one that runs or ended.",
    operations: ["backtests.get"],
    input: {
      backtestId: optional(Type.String({ minLength: 1, maxLength: 255, description: "To read the report later" })),
      files: optional(filesInput),
      lastDays: optional(
        Type.Integer({ minimum: 1, maximum: backtestLimits.days, default: 7, description: "Days up to now" }),
      ),
    },
    run: async (host, { backtestId, files, lastDays = 7 }) => {
      if ((backtestId === undefined) === (files === undefined))
        throw new Refusal("Give either files, to start a backtest, or the backtestId of one.");
      const begun =
        backtestId === undefined
          ? await host.call("backtests.create", { body: { lastDays, change: { files: readFiles(files!) } } })
          : await host.call("backtests.get", { params: { backtestId } });
      const ended = await waitFor(host, begun);
      return answerOf([...reportLines(ended), host.linkTo(`/backtests/${encodeURIComponent(ended._id)}`)]);
    },
  },
  { destructiveHint: false, idempotentHint: false, openWorldHint: false },
);

// `tidings plan`: what applying the files would change. Exit code 0: nothing, 2: something, 1: an error. With
// --backtest, also what they would have done to the past days.
import { refuseMoreArguments } from "../../arguments.ts";
import { periodOptions, readPeriod } from "../../backtest/options.ts";
import type { Call, Command } from "../../command.ts";
import { exitCodes, wrongUsage } from "../../failure.ts";
import { dirOption, issuesOption, pruneOption } from "../../files/options.ts";
import type { LocalFiles } from "../../files/read-folder.ts";
import type { Session } from "../../session.ts";

const help = "tidings plan --help";

export const plan: Command = {
  usage: "[--prune] [--out <file>] [--backtest [--threshold <file>]]",
  about:
    "Shows what would change in the environment, in sentences; what happens to runs in progress; and what others changed there since\n" +
    "your last pull. Changes nothing. The exit code is 0 without changes, 2 with changes, 1 after an error, including a workflow\n" +
    "that would fail, for example because its layout does not exist. With --backtest, the files are also tried on the events of\n" +
    "the past days, and the exit code is 1 if a limit of --threshold is exceeded.",
  example: "tidings plan --env production --out release.plan",
  options: {
    ...dirOption,
    ...pruneOption,
    ...issuesOption,
    out: { type: "string", value: "file", about: "Save the plan for `tidings apply <file>`" },
    backtest: { type: "boolean", about: "Also replay the past days with the files, as `tidings backtest` does" },
    ...periodOptions,
  },
  run: async (call) => {
    refuseMoreArguments(call, 0, help);
    const { io, out, values } = call;
    const rehearse = await readBacktest(call);
    const { resolve } = await import("node:path");
    const { makePlan } = await import("../../files/make-plan.ts");
    const { isRefused, refuseIssues, showPlan } = await import("../../files/plan-view.ts");
    const { savePlan } = await import("../../files/plan-file.ts");
    const { session, wanted, plan: made, local } = await makePlan(call);
    showPlan(out, made, session.environment.name, local);
    const isAllowed = values["allow-issues"] === true;
    const json = { environment: session.environment.identifier, ...made };
    if (out.isJson && isRefused(made, isAllowed)) {
      out.json(json);
      return exitCodes.failed;
    }
    refuseIssues(made, isAllowed);
    if (typeof values.out === "string") {
      savePlan(resolve(io.cwd, values.out), session, wanted, made);
      out.line(`Saved. To do exactly this: tidings apply ${values.out}`);
    }
    const code = made.changes.length > 0 ? exitCodes.changes : exitCodes.done;
    if (!rehearse || made.changes.length === 0) {
      if (rehearse) out.note("Nothing would change, so there is nothing to backtest.");
      out.json(json);
      return code;
    }
    out.line();
    if (made.changes.some(({ action }) => action === "deleted"))
      out.note("The backtest keeps what the plan deletes: it replays the files only.");
    const backtested = await rehearse(session, local);
    out.json({ ...json, ...backtested });
    return backtested.thresholds?.isKept === false ? exitCodes.failed : code;
  },
};

/** What makes the backtest, with --backtest. Its options are read before anything is planned. */
async function readBacktest(call: Call) {
  const { values } = call;
  if (!values.backtest) {
    const given = Object.keys(periodOptions).find((name) => values[name] !== undefined);
    if (given !== undefined) throw wrongUsage(`--${given} needs --backtest.`, help);
    return null;
  }
  const period = readPeriod(call, help);
  const { readThresholds } = await import("../../backtest/thresholds.ts");
  const { backtestFiles } = await import("../../backtest/backtest-files.ts");
  const thresholds = readThresholds(call);
  return (session: Session, local: LocalFiles) => backtestFiles(call, { session, local, period, thresholds });
}

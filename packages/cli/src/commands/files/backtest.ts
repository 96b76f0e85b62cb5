// `tidings backtest`: what the files would have done to the events of the past days. Nothing is sent. Exit code 1 where
// a limit is exceeded.
import { refuseMoreArguments } from "../../arguments.ts";
import { periodOptions, readPeriod } from "../../backtest/options.ts";
import type { Command } from "../../command.ts";
import { exitCodes } from "../../failure.ts";
import { dirOption } from "../../files/options.ts";

const help = "tidings backtest --help";

export const backtest: Command = {
  usage: "[--dir <folder>] [--days <number> | --from <time>] [--threshold <file>]",
  about:
    "Replays the events of the past days in the service, without the files and with them, and compares the messages: sent, not sent,\n" +
    "later, with different content. Sends nothing and changes nothing. Ctrl-C cancels it. With --threshold, the exit code is 1 if\n" +
    "more is different than the limits allow.",
  example: "tidings backtest --days 14 --threshold backtest.yaml",
  options: { ...dirOption, ...periodOptions },
  run: async (call) => {
    refuseMoreArguments(call, 0, help);
    const { out } = call;
    const period = readPeriod(call, help);
    const { readThresholds } = await import("../../backtest/thresholds.ts");
    const { backtestFiles } = await import("../../backtest/backtest-files.ts");
    const { readSound } = await import("../../files/make-plan.ts");
    const thresholds = readThresholds(call);
    const local = readSound(call);
    const session = await call.session();
    const made = await backtestFiles(call, { session, local, period, thresholds });
    out.json({ environment: session.environment.identifier, ...made });
    return made.thresholds?.isKept === false ? exitCodes.failed : exitCodes.done;
  },
};

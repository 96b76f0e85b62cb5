// A backtest of the files of a folder, from its request to its report. Ctrl-C cancels it in the service.
import { TidingsError } from "@tidings/client/source";
import type { Backtest, BacktestReport } from "@tidings/contract";
import type { Call } from "../command.ts";
import { CliError } from "../failure.ts";
import type { LocalFiles } from "../files/read-folder.ts";
import { told } from "../files/remote.ts";
import { countOf } from "../output.ts";
import type { Session } from "../session.ts";
import { pause } from "../time.ts";
import type { Period } from "./options.ts";
import { progressText } from "./view.ts";

export type Completed = Backtest & { report: BacktestReport };

type Run = { call: Pick<Call, "io" | "out" | "values">; session: Session; local: LocalFiles; period: Period };

const pollMs = 1_000;
/** Small periods are done sooner. */
const firstPollMs = 200;

export async function runBacktest(run: Run): Promise<Completed> {
  const { call, session } = run;
  const { io, out } = call;
  const started = await start(run);
  const progress = progressLine(call);
  if (!progress.isShown)
    out.note(`Backtest ${started._id} of ${countOf(started.progress.notifications, "notification")} has begun.`);
  try {
    let now = started;
    for (let wait = firstPollMs; now.status === "queued" || now.status === "running"; wait = pollMs) {
      progress.show(progressText(now));
      await pause(wait, io.signal);
      now = await read(session, started._id);
    }
    progress.clear();
    return completed(now);
  } catch (error) {
    progress.clear();
    if (io.signal.aborted) await cancel(run, started._id);
    throw error;
  }
}

async function start({ session, local, period }: Run): Promise<Backtest> {
  const body = { ...period, name: "Files", change: { files: local.resources } };
  try {
    return await told(() => session.tidings.backtests.create({ body }), local);
  } catch (error) {
    if (error instanceof TidingsError && error.code === "BACKTEST_RUNNING")
      throw new CliError(error.message, { fix: await wayOut(session) });
    if (error instanceof TidingsError && error.code === "BACKTEST_TEST_CLOCK")
      throw new CliError(error.message, { fix: "tidings clock off" });
    if (error instanceof TidingsError && error.code === "BACKTEST_EMPTY")
      throw new CliError(error.message, { fix: "Name more days with --days, or another period with --from and --to." });
    throw error;
  }
}

/** Someone else's backtest is not canceled for this one. */
async function wayOut({ tidings }: Session): Promise<string> {
  const { data } = await tidings.backtests.list({ query: { limit: 20 } });
  const running = data.find(({ status }) => status === "queued" || status === "running");
  return running
    ? `Wait for it (${Math.floor(running.progress.percent)} % done), or: tidings api POST /v2/backtests/${running._id}/cancel`
    : "It has ended meanwhile: run the command again.";
}

async function read({ tidings }: Session, backtestId: string): Promise<Backtest> {
  try {
    return await tidings.backtests.get({ params: { backtestId } });
  } catch (error) {
    if (error instanceof TidingsError && error.code === "BACKTEST_NOT_FOUND")
      throw new CliError(`Backtest ${backtestId} was canceled by someone else.`, { fix: "Run the command again." });
    throw error;
  }
}

function completed(backtest: Backtest): Completed {
  const { _id, status, failure, report } = backtest;
  if (status === "completed" && report) return { ...backtest, report };
  throw new CliError(`Backtest ${_id} has failed: ${failure ?? status}`);
}

async function cancel({ call, session }: Run, backtestId: string): Promise<void> {
  try {
    await session.tidings.backtests.cancel({ params: { backtestId } });
    call.out.note("The backtest was canceled. Nothing of it is kept.");
  } catch (error) {
    const isOver = error instanceof TidingsError && ["BACKTEST_ENDED", "BACKTEST_NOT_FOUND"].includes(error.code ?? "");
    if (!isOver)
      call.out.note(`Backtest ${backtestId} could not be canceled (${(error as Error).message}): it may still run.`);
  }
}

/** One line that is written over, on a terminal only: elsewhere every state would be a line of the log. */
function progressLine({ io: { stderr }, out, values }: Run["call"]) {
  const isShown = stderr.isTTY === true && !out.isJson && !values.quiet;
  const clear = () => void (isShown && stderr.write("\r\x1b[2K"));
  return { isShown, clear, show: (text: string) => void (isShown && stderr.write(`\r\x1b[2K${text}`)) };
}

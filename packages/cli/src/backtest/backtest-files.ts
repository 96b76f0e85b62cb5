// The backtest of a folder with its limits, as `tidings backtest` and `tidings plan --backtest` make it.
import { TidingsError } from "@tidings/client/source";
import type { Call } from "../command.ts";
import type { LocalFiles } from "../files/read-folder.ts";
import type { Session } from "../session.ts";
import type { Period } from "./options.ts";
import { type Completed, runBacktest } from "./run.ts";
import { type Exceeded, exceededLimits, refuseUnknownWorkflows, type Thresholds } from "./thresholds.ts";
import { printReport, printThresholds } from "./view.ts";

type Wanted = { session: Session; local: LocalFiles; period: Period; thresholds: Thresholds | null };
type Backtested = { backtest: Completed; thresholds: { isKept: boolean; exceeded: Exceeded[] } | null };

/** The report is printed; what the exit code depends on is returned. */
export async function backtestFiles(call: Call, { session, local, period, thresholds }: Wanted): Promise<Backtested> {
  const { out } = call;
  if (thresholds) refuseUnknownWorkflows(thresholds, await knownWorkflows(session, local, thresholds));
  const backtest = await runBacktest({ call, session, local, period });
  printReport(out, backtest, session.url);
  if (!thresholds) return { backtest, thresholds: null };
  const exceeded = exceededLimits(thresholds, backtest.report);
  printThresholds(out, exceeded);
  return { backtest, thresholds: { isKept: exceeded.length === 0, exceeded } };
}

/** Workflows of the files, and those of the environment that the limits name. */
async function knownWorkflows({ tidings }: Session, { resources }: LocalFiles, { workflows = {} }: Thresholds) {
  const known = (resources.workflows ?? []).map(({ workflowId }) => workflowId);
  for (const workflowId of Object.keys(workflows).filter((id) => !known.includes(id))) {
    const isThere = await tidings.workflows.retrieve({ params: { workflowId } }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof TidingsError && error.status === 404) return false;
        throw error;
      },
    );
    if (isThere) known.push(workflowId);
  }
  return known;
}

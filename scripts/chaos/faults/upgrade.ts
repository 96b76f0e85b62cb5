// Processes are replaced by those of the version before (a tag or commit), one after the other, and back again: a
// rolling downgrade and upgrade, which docs/rolling-upgrades.md allows between neighbouring releases on one database.
//
// An older program ignores what only the new one knows. 0.1.0 knows no waits, attention budgets and retractions: its
// worker would not wait, and would send beyond the budget. Such a release serves the API only, in one process, while
// the other one works. Operations that it lacks return 404, and clients repeat them.
import { areReady, type ServiceProcess } from "../stage/service-process.ts";
import { type Fault, membersOf } from "./fault.ts";

const readyMs = 120_000;
/** The migration of retractions, the newest feature that the load needs in a worker. */
const fullSchema = 60;

export const upgrade: Fault = {
  about: "processes are replaced by those of the version before, one after the other, and by these again",
  async begin(context) {
    const { earlier } = context.stage;
    if (!earlier) throw new Error("the version to upgrade from could not be built");
    const knowsAll = Number.parseInt(earlier.schema, 10) >= fullSchema;
    const all = membersOf(context).map(({ process }) => process);
    const replaced = knowsAll ? all : [context.random.pick(all)];
    const goBack = () => replaceAll(replaced, undefined, {});
    try {
      await replaceAll(replaced, earlier.root, knowsAll ? {} : { TIDINGS_ROLE: "api" });
    } catch (error) {
      await goBack();
      throw error;
    }
    const names = replaced.map(({ name }) => name).join(", ");
    return { end: goBack, detail: () => `${earlier.name} as ${names}${knowsAll ? "" : " (API only)"}, and back` };
  },
};

async function replaceAll(processes: ServiceProcess[], root: string | undefined, settings: Record<string, string>) {
  for (const process of processes) {
    await process.replaceBy(root, settings);
    if (!(await areReady([process], readyMs))) throw new Error(`${process.name} was not ready after it was replaced`);
  }
}

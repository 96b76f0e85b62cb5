// `tidings plan`: what applying the files would change. Exit code 0: nothing, 2: something, 1: an error.
import type { Command } from "../../command.ts";
import { exitCodes } from "../../failure.ts";
import { dirOption, pruneOption } from "../../files/options.ts";

export const plan: Command = {
  usage: "[--prune] [--out <file>]",
  about:
    "Shows what would change in the environment, in sentences; what becomes of runs under way; and what others changed there since\n" +
    "your last pull. Changes nothing. The exit code is 0 without changes, 2 with changes, 1 after an error.",
  example: "tidings plan --env production --out release.plan",
  options: {
    ...dirOption,
    ...pruneOption,
    out: { type: "string", value: "file", about: "Save the plan for `tidings apply <file>`" },
  },
  run: async (call) => {
    const { io, out, values } = call;
    const { resolve } = await import("node:path");
    const { makePlan } = await import("../../files/make-plan.ts");
    const { showPlan } = await import("../../files/plan-view.ts");
    const { savePlan } = await import("../../files/plan-file.ts");
    const { session, wanted, plan: made } = await makePlan(call);
    showPlan(out, made, session.environment.name);
    if (typeof values.out === "string") {
      savePlan(resolve(io.cwd, values.out), session, wanted, made);
      out.line(`Saved. To do exactly this: tidings apply ${values.out}`);
    }
    out.json({ environment: session.environment.identifier, ...made });
    return made.changes.length > 0 ? exitCodes.changes : exitCodes.done;
  },
};

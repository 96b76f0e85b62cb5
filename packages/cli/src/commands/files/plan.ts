// `tidings plan`: what applying the files would change. Exit code 0: nothing, 2: something, 1: an error.
import { refuseMoreArguments } from "../../arguments.ts";
import type { Command } from "../../command.ts";
import { exitCodes } from "../../failure.ts";
import { dirOption, issuesOption, pruneOption } from "../../files/options.ts";

export const plan: Command = {
  usage: "[--prune] [--out <file>]",
  about:
    "Shows what would change in the environment, in sentences; what happens to runs in progress; and what others changed there since\n" +
    "your last pull. Changes nothing. The exit code is 0 without changes, 2 with changes, 1 after an error, including a workflow\n" +
    "that would fail, for example because its layout does not exist.",
  example: "tidings plan --env production --out release.plan",
  options: {
    ...dirOption,
    ...pruneOption,
    ...issuesOption,
    out: { type: "string", value: "file", about: "Save the plan for `tidings apply <file>`" },
  },
  run: async (call) => {
    refuseMoreArguments(call, 0, "tidings plan --help");
    const { io, out, values } = call;
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
    out.json(json);
    return made.changes.length > 0 ? exitCodes.changes : exitCodes.done;
  },
};

// `tidings apply [plan]`: puts the files in place, all of them or nothing.
import { refuseMoreArguments } from "../../arguments.ts";
import type { Call, Command } from "../../command.ts";
import { dirOption, issuesOption, pruneOption } from "../../files/options.ts";
import type { Session } from "../../session.ts";

export const apply: Command = {
  usage: "[plan] [--prune]",
  about:
    "Shows the plan and applies it in one transaction, all or nothing. A saved plan is applied exactly as saved, and only if the\n" +
    "environment has not changed since. Applying again changes nothing. A workflow or layout with an error, such as a layout that\n" +
    "does not exist, is rejected without --allow-issues. In production, the command asks for confirmation.",
  example: "tidings apply --env production",
  options: {
    ...dirOption,
    ...pruneOption,
    ...issuesOption,
  },
  run: async (call) => {
    refuseMoreArguments(call, 1, "tidings apply --help");
    const { out, args, values } = call;
    const { countChanges, refuseIssues, showPlan } = await import("../../files/plan-view.ts");
    const { applyRemote } = await import("../../files/remote.ts");
    const { session, wanted, plan, local } = await (args[0] === undefined ? fromFiles(call) : fromPlan(call, args[0]));
    const allowIssues = values["allow-issues"] === true;
    showPlan(out, plan, session.environment.name, local);
    refuseIssues(plan, allowIssues);
    if (plan.changes.length > 0) await call.confirm(`Apply ${countChanges(plan)}`);
    const applied = await applyRemote(
      session,
      { ...wanted, expectedFingerprint: plan.fingerprint, allowIssues },
      local,
    );
    await rememberFingerprints(call, session, applied.fingerprints);
    if (applied.changes.length > 0) out.line("Applied.");
    out.json({ environment: session.environment.identifier, ...applied });
  },
};

const fromFiles = async (call: Call) => (await import("../../files/make-plan.ts")).makePlan(call);

async function fromPlan(call: Call, file: string) {
  const { resolve } = await import("node:path");
  const { loadPlan } = await import("../../files/plan-file.ts");
  const session = await call.session();
  return { session, local: undefined, ...loadPlan(resolve(call.io.cwd, file), session) };
}

/** The next plan shows what others changed from here on. A saved plan may be applied where there are no files. */
async function rememberFingerprints(call: Call, { environment }: Session, fingerprints: Record<string, string>) {
  const { folderOf } = await import("../../files/project.ts");
  const { openFolder } = await import("../../files/folder.ts");
  const { readState, writeState } = await import("../../files/state.ts");
  const folder = openFolder(folderOf(call));
  if (folder.read("tidings.yaml") === null) return;
  const state = readState(folder);
  writeState(folder, { ...state, environments: { ...state.environments, [environment._id]: fingerprints } });
}

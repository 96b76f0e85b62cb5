// `tidings publish <from> <to>`: workflows, layouts, categories, audiences, brand and attention budget of one
// environment into another, with the same plan as files.
import { refuseMoreArguments } from "../../arguments.ts";
import type { Command } from "../../command.ts";
import { confirmChange } from "../../confirm.ts";
import { wrongUsage } from "../../failure.ts";
import { issuesOption } from "../../files/options.ts";
import { findLogin, openSession, type Session } from "../../session.ts";

export const publish: Command = {
  usage: "<from> <to> [--prune] [--dry-run]",
  about:
    "Copies workflows, layouts, categories, audiences with a rule, the brand and the attention budget from one\n" +
    "environment to another, all or nothing, after showing the plan. Only the key of the second is needed.\n" +
    "Integrations, topics, fixed audiences and subscribers are never copied.",
  example: "tidings publish development production",
  options: {
    prune: { type: "boolean", about: "Delete workflows, layouts, categories and audiences that only the second has" },
    ...issuesOption,
    "dry-run": { type: "boolean", about: "Only show the plan; exit code 2 if there are changes" },
  },
  run: async (call) => {
    refuseMoreArguments(call, 2, "tidings publish --help");
    const { io, out, values, args } = call;
    const [from, to] = args;
    if (from === undefined || to === undefined)
      throw wrongUsage("Two environments are needed: from and to.", "tidings publish development production");
    const allowIssues = values["allow-issues"] === true;
    const { countChanges, refuseIssues, showPlan } = await import("../../files/plan-view.ts");
    const { applyRemote, planRemote } = await import("../../files/remote.ts");
    const session = await openTarget(call.session, () => openSession(findLogin(io, to)), to);
    const { environment, isProduction } = session;
    const { resources } = await session.tidings.files.export({ query: { environmentId: from } });
    const { workflows, layouts, categories, audiences, brand, attention } = resources;
    const wanted = {
      resources: {
        workflows,
        layouts,
        categories,
        audiences,
        ...(brand && { brand }),
        ...(attention && { attention }),
      },
      prune: values.prune === true,
    };
    const plan = await planRemote(session, wanted);
    showPlan(out, plan, environment.name);
    if (values["dry-run"]) {
      out.json({ from, to: environment.identifier, ...plan });
      return plan.changes.length > 0 ? 2 : 0;
    }
    refuseIssues(plan, allowIssues);
    if (plan.changes.length > 0 && isProduction && !values.yes)
      await confirmChange(io, `Publish ${countChanges(plan)} in ${environment.name}`);
    const applied = await applyRemote(session, { ...wanted, expectedFingerprint: plan.fingerprint, allowIssues });
    if (applied.changes.length > 0) out.line("Published.");
    out.json({ from, to: environment.identifier, ...applied });
    return 0;
  },
};

/**
 * The environment in use where it is the one that is named, as with a key in TIDINGS_API_KEY; else the stored login.
 */
async function openTarget(
  current: () => Promise<Session>,
  stored: () => Promise<Session>,
  to: string,
): Promise<Session> {
  const session = await current().catch(() => null);
  const isNamed = session && [session.environment.identifier, session.environment._id].includes(to);
  return isNamed ? session : stored();
}

// `tidings workflows ls`: the workflows of the environment, with their state.
import { numberOption, readAction, refuseMoreArguments } from "../../arguments.ts";
import type { Command } from "../../command.ts";
import { countOf } from "../../output.ts";

const actions = ["ls"] as const;
const help = "tidings workflows --help";
const tones = { ACTIVE: "green", INACTIVE: "dim", ERROR: "red" } as const;

export const workflows: Command = {
  usage: "ls [--limit 100]",
  about: "Lists the environment's workflows: identifier, name, status, steps and the last event.",
  example: "tidings workflows ls",
  actions,
  options: {
    limit: { type: "string", value: "number", about: "How many (default: 100)" },
  },
  run: async (call) => {
    readAction(call, actions, help);
    refuseMoreArguments(call, 1, help);
    const { out, values } = call;
    const limit = numberOption(values, "limit", { least: 1, most: 100, otherwise: 100 });
    const { tidings } = await call.session();
    const query = { limit, orderBy: "name" as const, orderDirection: "ASC" as const };
    const { workflows: found, totalCount } = await tidings.workflows.list({ query });
    if (found.length === 0) out.line("There are no workflows.");
    else
      out.table(
        ["workflow", "name", "state", "steps", "last event"],
        found.map((one) => [
          one.workflowId,
          one.name,
          out.style(tones[one.status], one.status.toLowerCase()),
          one.stepTypeOverviews.join(" → "),
          one.lastTriggeredAt?.slice(0, 16).replace("T", " ") ?? "",
        ]),
      );
    if (totalCount > found.length) out.line(out.style("dim", `${found.length} of ${countOf(totalCount, "workflow")}.`));
    out.json({ totalCount, workflows: found });
  },
};

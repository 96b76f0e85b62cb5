// `tidings validate`: everything that can be checked without a service.
import type { Command } from "../../command.ts";
import { exitCodes } from "../../failure.ts";
import { dirOption } from "../../files/options.ts";
import { countOf, plainText } from "../../output.ts";

export const validate: Command = {
  usage: "[--dir <folder>]",
  about:
    "Checks all files without a service: unknown members, JSON Schemas, Liquid templates and the variables they use, conditions,\n" +
    "waits, layouts. Each fault is told with file, line and column.",
  example: "tidings validate",
  options: {
    ...dirOption,
  },
  run: async (call) => {
    const { out } = call;
    const { folderOf } = await import("../../files/project.ts");
    const { openProject, readFolder } = await import("../../files/read-folder.ts");
    const { checkFiles } = await import("../../files/check-files.ts");
    const { describeProblem } = await import("../../files/problems.ts");
    const local = readFolder(openProject(folderOf(call)));
    const problems = await checkFiles(local);
    const { workflows = [], layouts = [] } = local.resources;
    for (const problem of problems) out.line(`${out.style("red", "error")} ${plainText(describeProblem(problem))}`);
    out.line(
      problems.length === 0
        ? `${countOf(workflows.length, "workflow")} and ${countOf(layouts.length, "layout")} checked: no faults.`
        : `Faults: ${problems.length}.`,
    );
    out.json({ isValid: problems.length === 0, problems });
    return problems.length === 0 ? exitCodes.done : exitCodes.failed;
  },
};

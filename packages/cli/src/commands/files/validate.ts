// `tidings validate`: everything that can be checked without a service.

import type { WorkflowFile } from "@tidings/contract";
import { refuseMoreArguments } from "../../arguments.ts";
import type { Command } from "../../command.ts";
import { exitCodes } from "../../failure.ts";
import { dirOption } from "../../files/options.ts";
import { countOf, plainText } from "../../output.ts";

export const validate: Command = {
  usage: "[--dir <folder>]",
  about:
    "Checks all files without a service: unknown members, JSON Schemas, Liquid templates and the variables they use, conditions,\n" +
    "waits, layouts. Each error is reported with file, line and column.",
  example: "tidings validate",
  options: {
    ...dirOption,
  },
  run: async (call) => {
    refuseMoreArguments(call, 0, "tidings validate --help");
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
        ? `${countOf(workflows.length, "workflow")} and ${countOf(layouts.length, "layout")} checked: no errors.`
        : `Faults: ${problems.length}.`,
    );
    // Without a folder of layouts the environment has them, and only the service knows which.
    const hasUnknownLayouts = local.resources.layouts === undefined && workflows.some(namesLayout);
    if (hasUnknownLayouts)
      out.line(
        "Layouts were not checked because the folder layouts/ does not exist. `tidings plan` looks them up in the environment.",
      );
    out.json({ isValid: problems.length === 0, problems, notChecked: hasUnknownLayouts ? ["layouts"] : [] });
    return problems.length === 0 ? exitCodes.done : exitCodes.failed;
  },
};

const namesLayout = ({ steps }: WorkflowFile): boolean =>
  steps.some(({ controlValues }) => typeof controlValues?.layoutId === "string");

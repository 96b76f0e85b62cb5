// `tidings init`: a folder with one commented workflow to begin with.
import { refuseMoreArguments } from "../../arguments.ts";
import type { Command } from "../../command.ts";
import { CliError } from "../../failure.ts";

export const init: Command = {
  usage: "[folder]",
  about: "Writes tidings.yaml and one workflow with comments. Existing files are not changed.",
  example: "tidings init notifications",
  run: async (call) => {
    refuseMoreArguments(call, 1, "tidings init --help");
    const { io, out } = call;
    const [name = "."] = call.args;
    const { resolve } = await import("node:path");
    const { mkdirSync } = await import("node:fs");
    const { ensureProject } = await import("../../files/project.ts");
    const { openFolder } = await import("../../files/folder.ts");
    const { exampleFiles } = await import("../../files/example.ts");
    const root = resolve(io.cwd, name);
    mkdirSync(root, { recursive: true });
    if (openFolder(root).read("tidings.yaml") !== null)
      throw new CliError(`${root} has a tidings.yaml already.`, { fix: "tidings plan" });
    const folder = ensureProject(root, null);
    const hasWorkflows = folder.list("workflows") !== null;
    const written = hasWorkflows ? [] : Object.entries(exampleFiles);
    for (const [path, text] of written) folder.write(path, text);
    out.line(`${root} is ready.`);
    for (const [path] of written) out.line(`  ${path}`);
    out.line("Next: tidings validate, then tidings plan.");
    out.json({ folder: root, files: ["tidings.yaml", ...written.map(([path]) => path)] });
  },
};

// `tidings init`: a folder with one commented workflow to begin with, or with a template of the gallery. A template can
// also be added to a folder that exists.
import { refuseMoreArguments } from "../../arguments.ts";
import type { Command } from "../../command.ts";
import { CliError } from "../../failure.ts";
import type { Folder } from "../../files/folder.ts";

export const init: Command = {
  usage: "[folder]",
  about:
    "Writes tidings.yaml and one workflow with comments. With --from, the workflow, scenario and layout of a template " +
    "of the gallery, also into a folder that has a tidings.yaml. Existing files are not changed.",
  example: "tidings init notifications --from order-confirmed",
  options: { from: { type: "string", value: "name", about: "A template of the gallery; an unknown name lists all" } },
  run: async (call) => {
    refuseMoreArguments(call, 1, "tidings init --help");
    const { io, out } = call;
    const [name = "."] = call.args;
    const { resolve } = await import("node:path");
    const { mkdirSync } = await import("node:fs");
    const { ensureProject } = await import("../../files/project.ts");
    const { openFolder } = await import("../../files/folder.ts");
    const root = resolve(io.cwd, name);
    const from = call.values.from as string | undefined;
    if (from === undefined && openFolder(root).read("tidings.yaml") !== null)
      throw new CliError(`${root} has a tidings.yaml already.`, { fix: "tidings plan" });
    const written = Object.entries(await filesFor(openFolder(root), from));
    mkdirSync(root, { recursive: true });
    const folder = ensureProject(root, null);
    for (const [path, text] of written) folder.write(path, text);
    out.line(`${root} is ready.`);
    for (const [path] of written) out.line(`  ${path}`);
    out.line(
      from === undefined ? "Next: tidings validate, then tidings plan." : "Next: tidings test, then tidings plan.",
    );
    out.json({ folder: root, files: ["tidings.yaml", ...written.map(([path]) => path)] });
  },
};

/** Decided before anything is written. */
async function filesFor(folder: Folder, from: string | undefined): Promise<Readonly<Record<string, string>>> {
  if (from !== undefined) return (await import("../../files/gallery-files.ts")).galleryFiles(from, folder);
  return folder.list("workflows") === null ? (await import("../../files/example.ts")).exampleFiles : {};
}

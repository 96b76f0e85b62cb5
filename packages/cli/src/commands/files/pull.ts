// `tidings pull`: writes the files of an environment.
import { refuseMoreArguments } from "../../arguments.ts";
import type { Command } from "../../command.ts";
import { CliError } from "../../failure.ts";
import { dirOption } from "../../files/options.ts";
import { countOf, plainText } from "../../output.ts";

export const pull: Command = {
  usage: "[--dir <folder>] [--force]",
  about:
    "Writes workflows, layouts, translations, integrations (without secrets) and topics as files. Files whose meaning has\n" +
    "not changed are kept, with their comments. Files that you changed since the last pull are listed, and overwritten only with --force.",
  example: "tidings pull --env development --dir notifications",
  options: {
    ...dirOption,
    force: { type: "boolean", about: "Overwrite files that were changed here" },
  },
  run: async (call) => {
    refuseMoreArguments(call, 0, "tidings pull --help");
    const { out, values } = call;
    const { mkdirSync } = await import("node:fs");
    const { openFolder } = await import("../../files/folder.ts");
    const { ensureProject, folderOf } = await import("../../files/project.ts");
    const { readFolder } = await import("../../files/read-folder.ts");
    const { hashFiles, planPull } = await import("../../files/pull-files.ts");
    const { readState, writeState } = await import("../../files/state.ts");
    const { writeResources } = await import("../../files/write-resources.ts");
    const { tidings, environment } = await call.session();
    const { resources, fingerprints } = await tidings.files.export();
    const root = folderOf(call);
    mkdirSync(root, { recursive: true });
    const texts = writeResources(resources);
    const folder = openFolder(root);
    const state = readState(folder);
    const plan = planPull(readFolder(folder), resources, state);
    if (plan.changedHere.length > 0 && !values.force)
      throw new CliError(
        [
          "Changed here since the last pull, and a pull would overwrite or remove:",
          ...plan.changedHere.slice(0, 50).map((path) => `  ${path}`),
        ].join("\n"),
        { fix: "Commit or apply them first, or pull with --force. Nothing was written." },
      );
    ensureProject(root, environment.identifier);
    for (const path of plan.remove) folder.remove(path);
    for (const [path, text] of plan.write) folder.write(path, text);
    writeState(folder, {
      ...state,
      environments: { ...state.environments, [environment._id]: fingerprints },
      files: hashFiles(folder, texts),
    });
    for (const path of plan.write.keys()) out.line(`${out.style("green", "written")}  ${path}`);
    for (const path of plan.remove) out.line(`${out.style("red", "removed")}  ${path}`);
    for (const key of plan.onlyHere) out.line(out.style("dim", `only here  ${key}: \`tidings plan\` shows it as new`));
    out.line(
      `${plan.write.size} written, ${plan.remove.length} removed. ${plainText(environment.name)} has ` +
        `${countOf(resources.workflows?.length ?? 0, "workflow")} and ${countOf(resources.layouts?.length ?? 0, "layout")}.`,
    );
    out.json({ written: [...plan.write.keys()], removed: plan.remove, onlyHere: plan.onlyHere });
  },
};

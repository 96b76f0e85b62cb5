// `tidings types`: TypeScript types of payloads, for the code that triggers events.
import { refuseMoreArguments } from "../../arguments.ts";
import type { Command } from "../../command.ts";
import { dirOption } from "../../files/options.ts";

export const types: Command = {
  usage: "[--out <file>]",
  about: "Writes a TypeScript type for each workflow's payload, from its payload schema. Does not need the service.",
  example: "tidings types --out src/tidings-payloads.ts",
  options: {
    ...dirOption,
    out: { type: "string", value: "file", about: "The file to write; standard output by default" },
  },
  run: async (call) => {
    refuseMoreArguments(call, 0, "tidings types --help");
    const { io, out, values } = call;
    const { writeFileSync } = await import("node:fs");
    const { resolve } = await import("node:path");
    const { folderOf } = await import("../../files/project.ts");
    const { openProject, readFolder } = await import("../../files/read-folder.ts");
    const { problemsError } = await import("../../files/problems.ts");
    const { writeTypes } = await import("../../files/payload-types.ts");
    const { resources, problems } = readFolder(openProject(folderOf(call)));
    if (problems.length > 0) throw problemsError(problems);
    const text = writeTypes(resources.workflows ?? []);
    if (typeof values.out === "string") {
      writeFileSync(resolve(io.cwd, values.out), text);
      out.line(`${values.out} written.`);
    } else if (!out.isJson) io.stdout.write(text);
    out.json({ types: text });
  },
};

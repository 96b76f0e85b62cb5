// `tidings schema [kind]`: JSON Schemas of the files, by which editors complete and check them.
import { refuseMoreArguments } from "../../arguments.ts";
import type { Command } from "../../command.ts";
import { wrongUsage } from "../../failure.ts";
import { dirOption } from "../../files/options.ts";

export const schema: Command = {
  usage: "[project|workflow|layout|integrations|topics|categories|audience|brand|attention]",
  about:
    "Without an argument, writes all schemas to .tidings/schema, which the first line of each YAML file refers to. With one, prints it.",
  example: "tidings schema workflow",
  actions: ["project", "workflow", "layout", "integrations", "topics", "categories", "audience", "brand", "attention"],
  options: {
    ...dirOption,
  },
  run: async (call) => {
    refuseMoreArguments(call, 1, "tidings schema --help");
    const { io, out, args } = call;
    const { editorSchema, fileKinds } = await import("@tidings/server/folder");
    if (args[0] !== undefined) {
      const kind = fileKinds.find((one) => one === args[0]);
      if (!kind) throw wrongUsage(`"${args[0]}" is not a kind of file.`, `One of: ${fileKinds.join(", ")}`);
      return void io.stdout.write(`${JSON.stringify(editorSchema(kind), null, 2)}\n`);
    }
    const { folderOf, writeSchemas } = await import("../../files/project.ts");
    const { openProject } = await import("../../files/read-folder.ts");
    writeSchemas(openProject(folderOf(call)));
    out.line(`${fileKinds.length} schemas written into .tidings/schema.`);
    out.json({ written: fileKinds.map((kind) => `.tidings/schema/${kind}.json`) });
  },
};

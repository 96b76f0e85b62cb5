// `tidings mcp`: the tools of the service for an assistant that starts programs, over standard input and output.
import { refuseMoreArguments } from "../../arguments.ts";
import type { Command } from "../../command.ts";
import { exitCodes } from "../../failure.ts";

export const mcp: Command = {
  usage: "",
  about:
    "Serves the tools of the service's /mcp to an assistant that starts programs, with the key in use: one JSON message a\n" +
    "line, until the input ends. The tools for files also take the folder of --dir or one below it.",
  example: "tidings mcp --env development",
  options: {
    dir: { type: "string", value: "folder", about: "The folder whose files tools may read (default: this one)" },
  },
  run: async (call) => {
    refuseMoreArguments(call, 0, "tidings mcp --help");
    const [{ findLogin }, { folderOf }, { serveLines }] = await Promise.all([
      import("../../session.ts"),
      import("../../files/project.ts"),
      import("../../mcp/serve.ts"),
    ]);
    // The environment is not asked for: a key may be for some operations only.
    const login = findLogin(call.io, call.values.env as string | undefined);
    call.out.note(`Tools of ${login.url}, for an assistant. Ctrl-C ends.`);
    await serveLines(call.io, login, folderOf(call));
    return exitCodes.done;
  },
};

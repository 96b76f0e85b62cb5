// `tidings key`: the API key of an environment, for the operator of the machine.
import { refuseMoreArguments } from "../../arguments.ts";
import type { Command } from "../../command.ts";
import { loadOperate } from "../../server-bundle.ts";

export const key: Command = {
  usage: "[<environment>]",
  about:
    "Prints the API key of an environment, of Development where none is named. Runs where the service is installed, while it\n" +
    "runs, with its settings (DATABASE_URL …): it reads the key from the database.",
  example: "tidings key\ntidings key production",
  run: async (call) => {
    refuseMoreArguments(call, 1, "tidings key --help");
    const { args, io, out } = call;
    const operate = await loadOperate("key");
    const shown = await operate.showKey(io.env, args[0]);
    out.line(shown);
    out.json({ key: shown });
  },
};

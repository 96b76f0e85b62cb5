// `tidings restore`: a backup into an empty database.
import { resolve } from "node:path";
import { refuseMoreArguments, requireArgument } from "../../arguments.ts";
import type { Command } from "../../command.ts";
import { wrongUsage } from "../../failure.ts";
import { loadOperate } from "../../server-bundle.ts";

const help = "tidings restore --help";

export const restore: Command = {
  usage: "<file> [--send-due | --skip-due]",
  about:
    "Checks the whole file, then fills an empty database with it: that of DATABASE_URL, or a new one in the folder\n" +
    "TIDINGS_DATA_DIR. The service must not run. What waited in the backup and was due before now may have been sent\n" +
    "since: choose whether it is sent or canceled. What is due later continues.",
  example: "TIDINGS_DATA_DIR=./restored tidings restore tidings-monday.backup --skip-due",
  options: {
    "send-due": { type: "boolean", about: "Send what was due before now, perhaps for the second time" },
    "skip-due": { type: "boolean", about: "Cancel what was due before now, with a reason in the activity" },
  },
  run: async (call) => {
    const { io, out, values } = call;
    const file = requireArgument(call, 0, "The file", help);
    refuseMoreArguments(call, 1, help);
    if (file === "-") throw wrongUsage("A restore reads the backup twice: name a file.", help);
    if (values["send-due"] && values["skip-due"])
      throw wrongUsage("--send-due and --skip-due exclude each other.", help);
    const due = values["send-due"] ? "send" : values["skip-due"] ? "skip" : undefined;
    const operate = await loadOperate("restore");
    const result = await operate.restore({
      file: resolve(io.cwd, file),
      due,
      env: io.env,
      say: out.note,
      signal: io.signal,
    });
    const { countText, timeText, openText } = operate;
    out.line(`Restored ${countText(result.rows, "row")} into ${result.target}, as of ${timeText(result.at)}.`);
    if (result.keyFile) out.line(`The encryption key of the backup is in ${result.keyFile}.`);
    if (result.due.length > 0) {
      const fate = due === "skip" ? "was canceled" : "will be sent when the service starts";
      out.line(`What was due since then ${fate}: ${openText(result.due)}.`);
    }
    out.line("Events that came after the backup are not in it. Start the service.");
    out.json(result);
  },
};

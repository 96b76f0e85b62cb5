// `tidings migrate`: brings the database of an installation up to date and ends.
import { refuseMoreArguments } from "../../arguments.ts";
import type { Command } from "../../command.ts";
import { countOf } from "../../output.ts";
import { loadOperate } from "../../server-bundle.ts";

export const migrate: Command = {
  usage: "",
  about:
    "Reads the settings of the server (DATABASE_URL …), applies the migrations that the database lacks, and ends: a job before\n" +
    "the processes of a new release start (docs/rolling-upgrades.md). Processes of the release before keep running meanwhile.",
  example: "tidings migrate",
  run: async (call) => {
    refuseMoreArguments(call, 0, "tidings migrate --help");
    const { io, out } = call;
    const operate = await loadOperate("migrate");
    const result = await operate.migrateDatabase(io.env, out.note);
    out.line(
      result.applied.length === 0
        ? "The database is up to date."
        : `${countOf(result.applied.length, "migration")} applied.`,
    );
    for (const { name, done } of result.background)
      out.line(`The service continues ${name} in the background: ${Math.floor(done * 100)} % done.`);
    out.json(result);
  },
};

// The PostgreSQL of `npm start` as that of a run: one server, which needs nothing on the machine. Faults that need a
// standby or a separate disk are not in the plan of such a run.
import { findEmbeddedAdminUrl, startEmbedded } from "@tidings/server/source/store/embedded/embedded";
import { ask } from "@tidings/testkit/postgres/ask";
import { readDatabasePid } from "@tidings/testkit/postgres/postmaster";
import { atExit } from "@tidings/testkit/programs/at-exit";
import { becomes } from "@tidings/testkit/programs/limits";
import type { Database, Server } from "./database.ts";

const settings = { max_connections: "150" };
const readyMs = 90_000;
const problem = "needs a PostgreSQL of Debian's: run without --embedded";

const refuse = (): never => {
  throw new Error(problem);
};

export async function openEmbedded(dataDir: string): Promise<Database> {
  const { url, version, stop } = await startEmbedded({ dataDir, settings });
  const adminUrl = (await findEmbeddedAdminUrl(dataDir))!;
  const forget = atExit(() => {
    try {
      process.kill(readDatabasePid(dataDir), "SIGQUIT");
    } catch {
      // It has ended, and its file with the id is gone.
    }
  });
  const query = (text: string) => ask(adminUrl, text);
  const server: Server = {
    ...{ name: "embedded", port: Number(new URL(url).port), url, adminUrl, query },
    stop: async () => refuse(),
    disk: { problem, usedMb: refuse, fill: refuse, free: refuse },
  };
  const isWhole = async () => (await query("select not pg_is_in_recovery() as is_primary"))[0].is_primary;
  return {
    servers: [server],
    primary: () => server,
    killPrimary: refuse,
    promoteStandby: async () => refuse(),
    rebuildStandby: async () => refuse(),
    async ensureRunning() {
      if (!(await becomes(isWhole, readyMs))) throw new Error(`PostgreSQL does not run ${readyMs / 1_000} s later`);
    },
    isWhole,
    version: async () => version,
    countInLog: refuse,
    logLength: refuse,
    async close() {
      await stop();
      forget();
    },
  };
}

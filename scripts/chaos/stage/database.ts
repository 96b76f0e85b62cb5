// PostgreSQL of a run: a primary and a synchronous standby on two servers whose addresses stay the same. After a
// failover the old primary is rebuilt as the standby of the new one.
import { readFileSync } from "node:fs";
import { type Cluster, createCluster } from "@tidings/testkit/postgres/cluster";
import type { Disk } from "@tidings/testkit/postgres/disk";
import { becomes, sleep } from "@tidings/testkit/programs/limits";

const startMs = 90_000;

/** What faults and the load know of a server. */
export type Server = Pick<Cluster, "name" | "port" | "url" | "adminUrl" | "query" | "stop"> & {
  disk: Pick<Disk, "problem" | "usedMb" | "fill" | "free">;
};

export type Database = {
  servers: readonly Server[];
  primary(): Server;
  /** SIGKILL to the primary. */
  killPrimary(): void;
  /** The standby accepts writes from now on. */
  promoteStandby(): Promise<void>;
  /** The old primary becomes the standby. */
  rebuildStandby(): Promise<void>;
  /** Starts the primary unless it runs, even after a crash from which it could not recover at once. */
  ensureRunning(): Promise<void>;
  /** The primary accepts writes, and the standby follows every commit. */
  isWhole(): Promise<boolean>;
  version(): Promise<string>;
  /** Lines of the primary's log since `from`, as returned by `logLength`, that contain the text. */
  countInLog(text: string, from: number): number;
  logLength(): number;
  close(): Promise<void>;
};

export async function openDatabase(): Promise<Database> {
  const servers = [await createCluster("server-1"), await createCluster("server-2")] as const;
  let [primary, standby]: readonly Cluster[] = servers;
  await primary!.create();
  await standby!.follow(primary!);
  const readLog = () => readFileSync(primary!.logFile, "utf8");
  const database: Database = {
    servers,
    primary: () => primary!,
    killPrimary: () => primary!.kill(),
    async promoteStandby() {
      await standby!.promote();
      [primary, standby] = [standby, primary];
    },
    async rebuildStandby() {
      if (standby!.isRunning()) await standby!.stop("immediate");
      await standby!.follow(primary!);
    },
    async ensureRunning() {
      const isUp = () => primary!.query("select 1").then(() => true);
      const deadline = performance.now() + startMs;
      while (performance.now() < deadline) {
        // A server that is in recovery refuses queries, and comes up automatically.
        if (await becomes(isUp, primary!.isRunning() ? 10_000 : 0)) return;
        if (!primary!.isRunning()) await primary!.start().catch(() => sleep(500));
      }
      throw new Error(`PostgreSQL does not run ${startMs / 1_000} s after the fault`);
    },
    async isWhole() {
      const [row] = await primary!.query(`select pg_is_in_recovery() as "isStandby",
        exists (select from pg_stat_replication where state = 'streaming' and sync_state = 'sync') as "isFollowed"`);
      return !row.isStandby && row.isFollowed;
    },
    async version() {
      const [row] = await primary!.query("show server_version");
      return row.server_version;
    },
    countInLog: (text, from) => readLog().slice(from).split(text).length - 1,
    logLength: () => readLog().length,
    async close() {
      for (const server of servers) await server.remove();
    },
  };
  if (!(await becomes(database.isWhole, 30_000))) throw new Error("the standby does not follow the primary");
  return database;
}

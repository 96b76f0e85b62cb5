// Faults in which PostgreSQL runs, but lacks something: space, connections, or a lock on its tables.
import pg from "pg";
import { sleep } from "../../../bench/support.ts";
import type { ChaosStage } from "../stage/stage.ts";
import { type Begun, type Fault, requireNo } from "./fault.ts";

const full = "No space left on device";

export const diskFull: Fault = {
  about: "the disk of the primary is full; PostgreSQL fails, and is started again when there is space",
  async begin({ stage: { database }, random }) {
    const primary = database.primary();
    const { disk } = primary;
    requireNo(disk.problem);
    const from = database.logLength();
    disk.fill();
    // Without this, PostgreSQL has space in its current file of the log for a while.
    const isLogFull = random.next() < 0.5;
    if (isLogFull) await primary.query("select pg_switch_wal()").catch(() => {});
    let failures = 0;
    return {
      async end() {
        failures = database.countInLog(full, from);
        disk.free();
        await database.ensureRunning();
        if (failures === 0) throw new Error("PostgreSQL never needed space meanwhile");
      },
      detail: () => `${disk.usedMb()} MB; ${failures} errors of PostgreSQL${isLogFull ? "; no space for its log" : ""}`,
    };
  },
};

export const connections: Fault = {
  about: "others take all connections that PostgreSQL has",
  async begin({ stage, held }): Promise<Begun> {
    const { database } = stage;
    const taken = new Set<pg.Client>();
    let isOver = false;
    const take = async () => {
      const client = new pg.Client({
        ...{ connectionString: database.primary().url, application_name: "others", connectionTimeoutMillis: 5_000 },
      });
      client.on("error", () => taken.delete(client));
      client.on("end", () => taken.delete(client));
      await client.connect();
      taken.add(client);
    };
    await endSessions(stage);
    const taking = (async () => {
      while (!isOver && !held.aborted) await take().catch(() => sleep(20));
    })();
    let most = 0;
    return {
      async end() {
        isOver = true;
        most = taken.size;
        await taking;
        await Promise.all([...taken].map((client) => client.end().catch(() => {})));
        if (most === 0) throw new Error("no connection could be taken");
      },
      detail: () => `${most} connections taken`,
    };
  },
};

const endSessions = ({ database }: ChaosStage) =>
  database
    .primary()
    .query("select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'tidings%'");

const lockable = ["events", "messages", "jobs", "queue.job_common"];

export const lockTables: Fault = {
  about: "a session holds exclusive locks on one or two tables",
  async begin({ stage: { database }, random }) {
    const tables = random.shuffle(lockable).slice(0, random.integer(1, 2));
    const client = new pg.Client({ connectionString: database.primary().adminUrl, application_name: "migration" });
    client.on("error", () => {});
    await client.connect();
    // A deadlock with the service ends one of the two.
    const lock = async () => {
      await client.query("begin; set local lock_timeout = '10s'");
      await client.query(`lock table ${tables.join(", ")} in access exclusive mode`);
    };
    try {
      await lock().catch(async () => {
        await client.query("rollback");
        await lock();
      });
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
    return {
      async end() {
        await client.query("commit").finally(() => client.end().catch(() => {}));
      },
      detail: () => tables.join(", "),
    };
  },
};

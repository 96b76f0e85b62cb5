// Faults in which PostgreSQL runs, but lacks something: space, connections, or a lock on its tables.
import { becomes, sleep } from "@tidings/testkit/programs/limits";
import pg from "pg";
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

/** So many at once, to be faster than the pools of the service. */
const takers = 10;
const fullMs = 10_000;

export const connections: Fault = {
  about: "others take all connections that PostgreSQL has, also those of the service",
  async begin({ stage: { database } }): Promise<Begun> {
    const taken = new Set<pg.Client>();
    let [isOver, most, refused] = [false, 0, 0];
    const take = async () => {
      const client = new pg.Client({
        ...{ connectionString: database.primary().url, application_name: "others", connectionTimeoutMillis: 5_000 },
      });
      client.on("error", () => {});
      client.on("end", () => taken.delete(client));
      await client.connect();
      taken.add(client);
      most = Math.max(most, taken.size);
    };
    const taking = Array.from({ length: takers }, async () => {
      while (!isOver)
        await take().catch(() => {
          refused++;
          return sleep(50);
        });
    });
    const giveBack = async () => {
      isOver = true;
      await Promise.all(taking);
      await Promise.all([...taken].map((client) => client.end().catch(() => {})));
    };
    try {
      await becomes(() => refused > 0, fullMs, 50);
      // Those of the service are free for everyone then. Asked through a connection that is held: there is no other.
      const [holder] = taken;
      if (!holder) throw new Error("no connection could be taken");
      await holder.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name like 'tidings%' and usename = current_user`);
    } catch (error) {
      await giveBack();
      throw error;
    }
    return {
      async end() {
        await giveBack();
        if (refused === 0) throw new Error("not all connections could be taken");
      },
      detail: () => `${most} connections taken`,
    };
  },
};

const lockable = ["events", "messages", "jobs", "queue.job_common"];
/** PostgreSQL ends one side of a deadlock with the service, and it may be this one. */
const maxDeadlocks = 5;
const deadlockDetected = "40P01";

export const lockTables: Fault = {
  about: "a session holds exclusive locks on one or two tables",
  async begin({ stage: { database }, random }) {
    const tables = random.shuffle(lockable).slice(0, random.integer(1, 2));
    const client = new pg.Client({ connectionString: database.primary().adminUrl, application_name: "migration" });
    client.on("error", () => {});
    await client.connect();
    const lock = async (deadlocks = 0): Promise<void> => {
      await client.query("begin; set local lock_timeout = '10s'");
      try {
        await client.query(`lock table ${tables.join(", ")} in access exclusive mode`);
      } catch (error) {
        if ((error as pg.DatabaseError).code !== deadlockDetected || deadlocks === maxDeadlocks) throw error;
        await client.query("rollback");
        await lock(deadlocks + 1);
      }
    };
    try {
      await lock();
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

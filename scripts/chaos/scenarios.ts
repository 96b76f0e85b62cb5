// What is broken in each scenario, and for how long.
import pg from "pg";
import { sleep } from "../../bench/support.ts";
import { startHostProxy } from "../../packages/server/test/support/proxies/host-proxy.ts";
import { startPgBouncer } from "../../packages/server/test/support/servers/pgbouncer.ts";
import { type Cluster, createCluster } from "./cluster.ts";

export type Stage = {
  /** Settings of the processes: the address of the database. */
  settings: Record<string, string>;
  clocks: string[];
  /** Breaks something, and repairs it as far as an operator would. Resolves when the repair is done. */
  breakIt(): Promise<void>;
  /** The database that counts in the end. */
  databaseUrl(): string;
  close(): Promise<void>;
};

type Scenario = { about: string; prepare(): Promise<Stage> };

const twoProcesses = ["", ""];
const serverSettings = ["max_connections = 200", "max_wal_senders = 4", "wal_keep_size = 256MB"];
/** As docs/failover.md advises. */
const roleSettings = [
  "statement_timeout = '60s'",
  "lock_timeout = '5s'",
  "idle_in_transaction_session_timeout = '300s'",
];

/** A scenario on one server. */
async function onCluster(
  work: (cluster: Cluster) => Promise<Partial<Stage>> | Partial<Stage>,
  settings = serverSettings,
) {
  const cluster = await createCluster(settings);
  const stage = await work(cluster);
  return {
    settings: { DATABASE_URL: cluster.url },
    clocks: twoProcesses,
    breakIt: () => sleep(20_000),
    databaseUrl: () => cluster.url,
    ...stage,
    async close() {
      await stage.close?.();
      await cluster.remove();
    },
  };
}

async function prepareFailover(): Promise<Stage> {
  const primary = await createCluster(serverSettings);
  const standby = await primary.addStandby();
  let current = primary;
  return {
    settings: {
      DATABASE_URL: `postgres://tidings@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/tidings?target_session_attrs=read-write`,
    },
    clocks: twoProcesses,
    async breakIt() {
      primary.kill();
      // A supervisor needs some seconds to be sure.
      await sleep(5_000);
      await standby.promote();
      current = standby;
    },
    databaseUrl: () => current.url,
    async close() {
      await primary.remove();
      await standby.remove();
    },
  };
}

const cutFor30s = (how: "stall" | "refuse") =>
  onCluster(async (cluster) => {
    const proxy = await startHostProxy({ host: "127.0.0.1", port: cluster.port });
    return {
      settings: { DATABASE_URL: `postgres://tidings@${proxy.host}/tidings` },
      async breakIt() {
        proxy.cut(how);
        await sleep(30_000);
        proxy.restore();
      },
      close: () => proxy.close(),
    };
  });

const exhaustConnections = () =>
  onCluster(
    (cluster) => ({
      async breakIt() {
        const taken = new Set<pg.Client>();
        const take = async () => {
          const client = new pg.Client({ connectionString: cluster.url, application_name: "others" });
          client.on("error", () => {});
          await client.connect();
          taken.add(client);
        };
        const endsAt = performance.now() + 20_000;
        await cluster.query(
          "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'tidings%'",
        );
        while (performance.now() < endsAt) await take().catch(() => sleep(20));
        await Promise.all([...taken].map((client) => client.end()));
      },
    }),
    ["max_connections = 70"],
  );

const lockTables = () =>
  onCluster((cluster) => ({
    async breakIt() {
      const client = new pg.Client({ connectionString: cluster.url, application_name: "somebody" });
      await client.connect();
      await client.query("begin; lock table events, messages in access exclusive mode");
      await sleep(30_000);
      await client.query("commit");
      await client.end();
    },
  }));

const throughPgBouncer = (mode: "session" | "transaction") =>
  onCluster(async (cluster) => {
    for (const setting of roleSettings) await cluster.query(`alter role tidings set ${setting}`);
    const options = { databaseUrl: cluster.url, mode, poolSize: mode === "session" ? 100 : 10 };
    let bouncer = await startPgBouncer(options);
    const { port } = new URL(bouncer.url);
    return {
      settings: { DATABASE_URL: bouncer.url, TIDINGS_DIRECT_DATABASE_URL: cluster.url },
      async breakIt() {
        await bouncer.stop();
        await sleep(5_000);
        bouncer = await startPgBouncer({ ...options, port: Number(port) });
      },
      close: () => bouncer.stop(),
    };
  });

export const scenarios: Record<string, Scenario> = {
  failover: { about: "primary killed, synchronous standby promoted after 5 s", prepare: prepareFailover },
  restart: {
    about: "PostgreSQL stopped for 5 s",
    prepare: () =>
      onCluster((cluster) => ({
        async breakIt() {
          await cluster.stop("fast");
          await sleep(5_000);
          await cluster.start();
        },
      })),
  },
  cut: { about: "no packet passes for 30 s, without a sign", prepare: () => cutFor30s("stall") },
  "cut-refused": { about: "connections closed and refused for 30 s", prepare: () => cutFor30s("refuse") },
  connections: { about: "others take all connections for 20 s", prepare: exhaustConnections },
  lock: { about: "events and messages locked for 30 s", prepare: lockTables },
  clock: {
    about: "the clock of one of two processes is two minutes slow",
    prepare: () => onCluster(() => ({ clocks: ["", "-120s"] })),
  },
  "clock-fast": {
    about: "the clock of one of two processes is two minutes fast",
    prepare: () => onCluster(() => ({ clocks: ["", "+120s"] })),
  },
  pgbouncer: { about: "PgBouncer, transaction mode, stopped for 5 s", prepare: () => throughPgBouncer("transaction") },
  "pgbouncer-session": {
    about: "PgBouncer, session mode, stopped for 5 s",
    prepare: () => throughPgBouncer("session"),
  },
};

// PostgreSQL servers of a scenario: Debian's binaries, each server in a temporary folder, without a password on this
// machine. PostgreSQL does not run as root, so there it runs as the user postgres.
import { execFile, execFileSync } from "node:child_process";
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";

const run = promisify(execFile);
const installed = "/usr/lib/postgresql";

function findBinaries(): string {
  const versions = existsSync(installed) ? readdirSync(installed) : [];
  const newest = versions.map(Number).sort((a, b) => b - a)[0];
  if (newest) return join(installed, String(newest), "bin");
  throw new Error("needs PostgreSQL with its server programs: apt-get install postgresql");
}

const idOf = (option: string): number => Number(execFileSync("id", [option, "postgres"]));

const user = process.getuid?.() === 0 ? { uid: idOf("-u"), gid: idOf("-g") } : {};

export type Cluster = {
  port: number;
  /** As the role of the service, which owns its database. */
  url: string;
  /** As a superuser. */
  adminUrl: string;
  query(text: string): Promise<pg.QueryResult["rows"]>;
  start(): Promise<void>;
  stop(mode: "fast" | "immediate"): Promise<void>;
  /** SIGKILL to all its processes. */
  kill(): void;
  /** A copy that follows every commit. With it, a commit waits for both disks. */
  addStandby(): Promise<Cluster>;
  promote(): Promise<void>;
  remove(): Promise<void>;
};

export async function createCluster(settings: string[] = []): Promise<Cluster> {
  const folder = makeFolder();
  const data = join(folder, "data");
  await runAs("initdb", ["-D", data, "-U", "admin", "-A", "trust", "-E", "UTF8", "--no-locale"]);
  const cluster = await clusterIn(folder, settings);
  await cluster.start();
  await cluster.query("create role tidings login");
  await cluster.query("create database tidings owner tidings");
  return cluster;
}

const runAs = (program: string, args: string[]) =>
  run(join(findBinaries(), program), args, { ...user, env: { LC_ALL: "C" }, cwd: "/", timeout: 120_000 });

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tidings-chaos-"));
  mkdirSync(join(folder, "sockets"));
  if (user.uid !== undefined) for (const path of [folder, join(folder, "sockets")]) chownSync(path, user.uid, user.gid);
  return folder;
}

async function clusterIn(folder: string, settings: string[]): Promise<Cluster> {
  const data = join(folder, "data");
  const port = await findFreePort();
  const own = [`port = ${port}`, `unix_socket_directories = '${join(folder, "sockets")}'`, ...settings];
  appendFileSync(join(data, "postgresql.conf"), `\n${own.join("\n")}\n`);
  const address = (role: string, database: string) => `postgres://${role}@127.0.0.1:${port}/${database}`;
  const adminUrl = address("admin", "postgres");
  const control = (...args: string[]) => runAs("pg_ctl", ["-D", data, "-w", "-t", "90", ...args]);
  const query: Cluster["query"] = async (text) => {
    const client = new pg.Client({ connectionString: adminUrl, connectionTimeoutMillis: 10_000 });
    client.on("error", () => {});
    await client.connect();
    return client
      .query(text)
      .then(({ rows }) => rows)
      .finally(() => client.end());
  };
  const cluster: Cluster = {
    port,
    url: address("tidings", "tidings"),
    adminUrl,
    query,
    async start() {
      await control("start", "-l", join(folder, "log"));
    },
    async stop(mode) {
      await control("stop", "-m", mode);
    },
    kill: () => killAll(readPid(data)),
    async addStandby() {
      const copy = makeFolder();
      const source = ["-h", "127.0.0.1", "-p", String(port), "-U", "admin"];
      await runAs("pg_basebackup", [...source, "-D", join(copy, "data"), "-R", "-X", "stream", "-c", "fast"]);
      const standby = await clusterIn(copy, settings);
      await standby.start();
      await query("alter system set synchronous_standby_names = '*'");
      await query("select pg_reload_conf()");
      return standby;
    },
    async promote() {
      await control("promote");
    },
    async remove() {
      await control("stop", "-m", "immediate").catch(() => {});
      rmSync(folder, { recursive: true, force: true });
    },
  };
  // What Ctrl-C leaves behind.
  process.once("exit", () => {
    if (existsSync(join(data, "postmaster.pid"))) killAll(readPid(data));
    rmSync(folder, { recursive: true, force: true });
  });
  return cluster;
}

const readPid = (data: string): number => Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]);

/** The first process is killed before the others: it would start a recovery when one of them dies. */
function killAll(postmaster: number): void {
  const isChild = (name: string) => {
    try {
      const status = readFileSync(`/proc/${name}/stat`, "utf8");
      return Number(status.slice(status.lastIndexOf(")") + 2).split(" ")[1]) === postmaster;
    } catch {
      return false;
    }
  };
  const children = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && isChild(name));
  for (const pid of [postmaster, ...children.map(Number)]) process.kill(pid, "SIGKILL");
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

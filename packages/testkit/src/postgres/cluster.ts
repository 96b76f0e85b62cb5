// A PostgreSQL server of a run: Debian's binaries, on its own disk and port, without a password on this machine.
// PostgreSQL does not run as root, so there it runs as the user postgres.
import { execFile, execFileSync } from "node:child_process";
import { appendFileSync, chownSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type pg from "pg";
import { atExit } from "../programs/at-exit.ts";
import { findPort } from "../programs/ports.ts";
import { ask } from "./ask.ts";
import { createDisk, type Disk } from "./disk.ts";
import { isPostgres, killPostgres, readPostmaster } from "./postmaster.ts";

const run = promisify(execFile);
const installed = "/usr/lib/postgresql";
const commandMs = 120_000;

function findBinaries(): string {
  const versions = existsSync(installed) ? readdirSync(installed) : [];
  const newest = versions.map(Number).sort((a, b) => b - a)[0];
  if (newest) return join(installed, String(newest), "bin");
  throw new Error("needs PostgreSQL with its server programs: apt-get install postgresql");
}

const idOf = (option: string): number => Number(execFileSync("id", [option, "postgres"]));

const findUser = (): { uid?: number; gid?: number } =>
  process.getuid?.() === 0 ? { uid: idOf("-u"), gid: idOf("-g") } : {};

/** Small enough that a disk can be filled: old files are deleted, and a new one needs space. */
const settings = [
  "max_connections = 150",
  "max_wal_senders = 4",
  "wal_keep_size = 64MB",
  "max_wal_size = 256MB",
  "min_wal_size = 32MB",
  "wal_recycle = off",
  "wal_retrieve_retry_interval = 500ms",
  "wal_receiver_timeout = 10s",
  "wal_sender_timeout = 10s",
  // In the data folder, so that a server that is killed leaves nothing elsewhere.
  "dynamic_shared_memory_type = mmap",
];

export type Cluster = {
  name: string;
  port: number;
  disk: Disk;
  /** As the role of the service, which owns its database. */
  url: string;
  /** As a superuser. */
  adminUrl: string;
  logFile: string;
  /** As a superuser, in the database of the service. */
  query(text: string): Promise<pg.QueryResult["rows"]>;
  /** An empty server with the role and the database of the service. */
  create(): Promise<void>;
  /** Replaces all data by a copy that follows every commit. With it, a commit waits for both disks. */
  follow(primary: Cluster): Promise<void>;
  isRunning(): boolean;
  start(): Promise<void>;
  stop(mode: "fast" | "immediate"): Promise<void>;
  /** SIGKILL to all its processes. */
  kill(): void;
  promote(): Promise<void>;
  remove(): Promise<void>;
};

export async function createCluster(name: string): Promise<Cluster> {
  const [binaries, user, port] = [findBinaries(), findUser(), await findPort()];
  const disk = createDisk();
  const [data, sockets] = [join(disk.folder, "data"), join(disk.folder, "sockets")];
  mkdirSync(sockets);
  if (user.uid !== undefined) for (const path of [disk.folder, sockets]) chownSync(path, user.uid, user.gid!);
  const runAs = (program: string, args: string[]) =>
    run(join(binaries, program), args, { ...user, env: { LC_ALL: "C" }, cwd: "/", timeout: commandMs });
  const control = (...args: string[]) => runAs("pg_ctl", ["-D", data, "-w", "-t", "90", ...args]);
  const own = [`port = ${port}`, `unix_socket_directories = '${sockets}'`, ...settings].join("\n");
  const configure = () => appendFileSync(join(data, "postgresql.conf"), `\n${own}\n`);
  const addressOf = (role: string, database: string) => `postgres://${role}@127.0.0.1:${port}/${database}`;
  const isRunning = () => isPostgres(readPostmaster(data));
  const kill = () => {
    if (isRunning()) killPostgres(readPostmaster(data)!);
  };
  const forget = atExit(kill);
  const cluster: Cluster = {
    ...{ name, port, disk, logFile: join(disk.folder, "log"), isRunning, kill },
    url: addressOf("tidings", "tidings"),
    adminUrl: addressOf("admin", "tidings"),
    query: (text) => ask(cluster.adminUrl, text),
    async create() {
      await runAs("initdb", ["-D", data, "-U", "admin", "-A", "trust", "-E", "UTF8", "--no-locale"]);
      configure();
      await cluster.start();
      const server = addressOf("admin", "postgres");
      await ask(server, "create role tidings login");
      await ask(server, "create database tidings owner tidings");
    },
    async follow(primary) {
      rmSync(data, { recursive: true, force: true });
      const source = ["-h", "127.0.0.1", "-p", String(primary.port), "-U", "admin"];
      await runAs("pg_basebackup", [...source, "-D", data, "-R", "-X", "stream", "-c", "fast"]);
      configure();
      await cluster.start();
      await primary.query("alter system set synchronous_standby_names = '*'");
      await primary.query("select pg_reload_conf()");
    },
    async start() {
      await control("start", "-l", cluster.logFile);
    },
    async stop(mode) {
      await control("stop", "-m", mode);
    },
    async promote() {
      await control("promote");
    },
    async remove() {
      if (cluster.isRunning()) await control("stop", "-m", "immediate").catch(() => {});
      forget();
      disk.remove();
    },
  };
  return cluster;
}

// PostgreSQL servers that are killed and started again on the same port, of the PostgreSQL that the repository brings.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "@tidings/testkit/wait";
import pg from "pg";
import { chooseUser, findFreePort, findPrograms, launcherFor, run } from "../../../src/store/embedded/process.ts";

export type KillableServer = {
  /** A role that owns its database, and nothing else. */
  url: string;
  /** The same database as another role; none needs a password. */
  urlOf(role: string): string;
  /** `kill -9`, and a new start, which recovers what was committed. */
  restart(): Promise<void>;
  stop(): Promise<void>;
};

export async function startKillable(name: string): Promise<KillableServer> {
  const programs = await findPrograms();
  const folder = mkdtempSync(join(tmpdir(), `tidings-${name}-`));
  const pgdata = join(folder, "data");
  const user = await chooseUser(folder);
  if (user) chownSync(folder, user.uid, user.gid);
  const launch = await launcherFor(user, [programs.postgres, programs.initdb, folder]);
  const env = { LC_ALL: "C" };
  const initdb = launch(programs.initdb, ["-D", pgdata, "-U", "root", "-A", "trust", "-N"]);
  await run(initdb.file, initdb.args, { ...initdb.as, cwd: folder, env });
  const port = await findFreePort();
  const urlOf = (role: string, database = "app") => `postgres://${role}@127.0.0.1:${port}/${database}`;
  const settings = [`port=${port}`, "listen_addresses=127.0.0.1", "unix_socket_directories="];
  let child: ChildProcess;
  const start = () =>
    // The memory of a killed server is in use until its last process has noticed.
    eventually(
      async () => {
        const options = settings.flatMap((setting) => ["-c", setting]);
        const { file, args, as } = launch(programs.postgres, ["-D", pgdata, ...options]);
        child = spawn(file, args, { ...as, cwd: pgdata, env, stdio: "ignore" });
        const isEnded = () => child.exitCode !== null || child.signalCode !== null;
        while (!isEnded()) if (await isUp(urlOf("root", "postgres"))) return true;
        return false;
      },
      `the ${name}'s PostgreSQL`,
      30_000,
    );
  const end = async (signal: NodeJS.Signals) => {
    const ended = once(child, "exit");
    const sessions = signal === "SIGKILL" ? childrenOf(child.pid!) : [];
    child.kill(signal);
    // They would end what they do first.
    for (const pid of sessions) killIfAlive(pid);
    await ended;
  };
  await start();
  const admin = new pg.Client({ connectionString: urlOf("root", "postgres") });
  await admin.connect();
  await admin.query("create role app login");
  await admin.query("create role shop login");
  await admin.query("create database app owner app");
  await admin.end();
  return {
    url: urlOf("app"),
    urlOf,
    async restart() {
      await end("SIGKILL");
      await start();
    },
    async stop() {
      await end("SIGQUIT");
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** Known on Linux; elsewhere they end with their parent. */
function childrenOf(pid: number): number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  return existsSync(file) ? readFileSync(file, "utf8").split(" ").filter(Boolean).map(Number) : [];
}

function killIfAlive(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

async function isUp(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on("error", () => {});
  try {
    await client.connect();
    return true;
  } catch {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

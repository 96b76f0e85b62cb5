// PostgreSQL servers of the programs that the repository brings, in a temporary folder, without passwords: for tests
// that kill and copy servers. A server belongs to the superuser `root`; the role `app` owns the database `app`.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chooseUser, findPrograms, launcherFor, run } from "@tidings/server/source/store/embedded/process";
import type pg from "pg";
import { findPort } from "../programs/ports.ts";
import { isRunning } from "../programs/program.ts";
import { eventually } from "../wait.ts";
import { ask } from "./ask.ts";
import { killPostgres } from "./postmaster.ts";

const startMs = 30_000;

export type Server = {
  port: number;
  urlOf(role: string, database?: string): string;
  /** One statement as superuser. */
  query(text: string, database?: string): Promise<pg.QueryResult["rows"]>;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** SIGKILL to all its processes, which would end what they do first. */
  kill(): Promise<void>;
};

export async function openServers(name: string) {
  const programs = await findPrograms();
  const folder = mkdtempSync(join(tmpdir(), `tidings-${name}-`));
  const user = await chooseUser(folder);
  if (user) chownSync(folder, user.uid, user.gid);
  const launch = await launcherFor(user, [programs.postgres, programs.initdb, folder]);
  const env = { LC_ALL: "C" };
  return {
    folder,
    user,
    /** Creates the data folder of a server. */
    async init(server: string): Promise<void> {
      const { file, args, as } = launch(programs.initdb, [
        ...["-D", join(folder, server), "-U", "root", "-A", "trust", "-N"],
      ]);
      await run(file, args, { ...as, cwd: folder, env });
    },
    /** A server on a data folder, which is not started yet. */
    async place(server: string, settings: string[] = []): Promise<Server> {
      const port = await findPort();
      const pgdata = join(folder, server);
      const fixed = [`port=${port}`, "listen_addresses=127.0.0.1", "unix_socket_directories="];
      const options = [...fixed, ...settings].flatMap((setting) => ["-c", setting]);
      const { file, args, as } = launch(programs.postgres, ["-D", pgdata, ...options]);
      const urlOf = (role: string, database = "app") => `postgres://${role}@127.0.0.1:${port}/${database}`;
      const query = (text: string, database?: string) => ask(urlOf("root", database), text);
      const isUp = () =>
        query("select 1", "postgres").then(
          () => true,
          () => false,
        );
      let child: ChildProcess;
      const end = async (send: () => void) => {
        if (!isRunning(child)) return;
        const ended = once(child, "exit");
        send();
        await ended;
      };
      return {
        ...{ port, urlOf, query },
        async start() {
          // The memory of a killed server is in use until its last process has noticed.
          const isStarted = async () => {
            child = spawn(file, args, { ...as, cwd: pgdata, env, stdio: "ignore" });
            while (isRunning(child)) {
              if (await isUp()) return true;
              await new Promise((resolve) => setTimeout(resolve, 20));
            }
            return false;
          };
          await eventually(isStarted, `the PostgreSQL ${name}`, startMs);
        },
        stop: () => end(() => child.kill("SIGQUIT")),
        kill: () => end(() => killPostgres(child.pid!)),
      };
    },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }),
  };
}

/** The role of a service or a customer, and its database. */
export async function createApp(server: Server): Promise<void> {
  await server.query("create role app login", "postgres");
  await server.query("create database app owner app", "postgres");
}

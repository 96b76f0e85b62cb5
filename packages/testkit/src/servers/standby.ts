// A primary and a streaming standby, of the PostgreSQL that the repository brings along. It has no pg_basebackup, and
// none is needed: the standby is a copy of the new data folder and replays the log from its beginning.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  chooseUser,
  findFreePort,
  findPrograms,
  launcherFor,
  run,
} from "@tidings/server/source/store/embedded/process";
import pg from "pg";
import { eventually } from "../wait.ts";

export type ReplicatedServers = {
  /** The role is an ordinary one that owns its database. */
  primaryUrl: string;
  replicaUrl: string;
  /** One statement as superuser. */
  onPrimary(statement: string): Promise<pg.QueryResult>;
  onReplica(statement: string): Promise<pg.QueryResult>;
  stopReplica(): Promise<void>;
  stop(): Promise<void>;
};

export async function startReplicatedServers(): Promise<ReplicatedServers> {
  const programs = await findPrograms();
  const folder = mkdtempSync(join(tmpdir(), "tidings-standby-"));
  const user = await chooseUser(folder);
  if (user) chownSync(folder, user.uid, user.gid);
  const launch = await launcherFor(user, [programs.postgres, programs.initdb, folder]);
  const env = { LC_ALL: "C" };

  const startServer = async (name: string, settings: string[]) => {
    const port = await findFreePort();
    const pgdata = join(folder, name);
    const fixed = [`port=${port}`, "listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off"];
    const options = [...fixed, ...settings].flatMap((setting) => ["-c", setting]);
    const { file, args, as } = launch(programs.postgres, ["-D", pgdata, ...options]);
    const child = spawn(file, args, { ...as, cwd: pgdata, env, stdio: "ignore" });
    const ended = once(child, "exit");
    const urlOf = (role: string, database: string) => `postgres://${role}@127.0.0.1:${port}/${database}`;
    const query = (statement: string, database = "postgres") => queryOnce(urlOf("root", database), statement);
    await eventually(() => query("select 1").catch(() => null), `the ${name}`);
    const stop = async () => {
      child.kill("SIGQUIT");
      await ended;
    };
    return { url: urlOf("app", "app"), port, query, stop };
  };

  const { file, args, as } = launch(programs.initdb, [
    "-D",
    join(folder, "primary"),
    "-U",
    "root",
    "-A",
    "trust",
    "-N",
  ]);
  await run(file, args, { ...as, cwd: folder, env });
  cpSync(join(folder, "primary"), join(folder, "standby"), { recursive: true });
  chmodSync(join(folder, "standby"), 0o700);
  writeFileSync(join(folder, "standby", "standby.signal"), "");
  if (user) await run("chown", ["-R", `${user.uid}:${user.gid}`, join(folder, "standby")]);

  const primary = await startServer("primary", []);
  await primary.query("create role app login");
  await primary.query("create database app owner app");
  const conninfo = `primary_conninfo=host=127.0.0.1 port=${primary.port} user=root`;
  const standby = await startServer("standby", [conninfo, "max_standby_streaming_delay=0"]);
  return {
    primaryUrl: primary.url,
    replicaUrl: standby.url,
    onPrimary: (statement) => primary.query(statement, "app"),
    onReplica: (statement) => standby.query(statement, "app"),
    stopReplica: standby.stop,
    async stop() {
      await standby.stop();
      await primary.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function queryOnce(url: string, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    return await client.query(statement);
  } finally {
    await client.end();
  }
}

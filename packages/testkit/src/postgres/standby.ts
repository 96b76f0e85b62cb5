// A primary and a streaming standby, of the PostgreSQL that the repository brings along. It has no pg_basebackup, and
// none is needed: the standby is a copy of the new data folder and replays the log from its beginning.
import { chmodSync, cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "@tidings/server/source/store/embedded/process";
import type pg from "pg";
import { createApp, openServers } from "./servers.ts";

export type ReplicatedServers = {
  /** The role is an ordinary one that owns its database. */
  primaryUrl: string;
  replicaUrl: string;
  /** One statement as superuser. */
  onPrimary(statement: string): Promise<pg.QueryResult["rows"]>;
  onReplica(statement: string): Promise<pg.QueryResult["rows"]>;
  stopReplica(): Promise<void>;
  stop(): Promise<void>;
};

export async function startReplicatedServers(): Promise<ReplicatedServers> {
  const servers = await openServers("standby");
  const { folder, user } = servers;
  await servers.init("primary");
  cpSync(join(folder, "primary"), join(folder, "standby"), { recursive: true });
  chmodSync(join(folder, "standby"), 0o700);
  writeFileSync(join(folder, "standby", "standby.signal"), "");
  if (user) await run("chown", ["-R", `${user.uid}:${user.gid}`, join(folder, "standby")]);

  const primary = await servers.place("primary", ["fsync=off"]);
  await primary.start();
  await createApp(primary);
  const conninfo = `primary_conninfo=host=127.0.0.1 port=${primary.port} user=root`;
  const standby = await servers.place("standby", ["fsync=off", conninfo, "max_standby_streaming_delay=0"]);
  await standby.start();
  return {
    primaryUrl: primary.urlOf("app"),
    replicaUrl: standby.urlOf("app"),
    onPrimary: (statement) => primary.query(statement),
    onReplica: (statement) => standby.query(statement),
    stopReplica: () => standby.stop(),
    async stop() {
      await standby.stop();
      await primary.stop();
      servers.remove();
    },
  };
}

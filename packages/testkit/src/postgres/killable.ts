// A PostgreSQL server that is killed and started again on the same port.
import { createApp, openServers } from "./servers.ts";

export type KillableServer = {
  /** A role that owns its database, and nothing else. */
  url: string;
  /** The same database as another role; none needs a password. */
  urlOf(role: string): string;
  /** `kill -9`, and a new start, which recovers what was committed. */
  restart(): Promise<void>;
  stop(): Promise<void>;
};

/** The role `shop` may log in as well. */
export async function startKillable(name: string): Promise<KillableServer> {
  const servers = await openServers(name);
  await servers.init("data");
  const server = await servers.place("data");
  await server.start();
  await createApp(server);
  await server.query("create role shop login");
  return {
    url: server.urlOf("app"),
    urlOf: (role) => server.urlOf(role),
    async restart() {
      await server.kill();
      await server.start();
    },
    async stop() {
      await server.stop();
      servers.remove();
    },
  };
}

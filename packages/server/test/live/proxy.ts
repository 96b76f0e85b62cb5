// A TCP proxy in front of PostgreSQL that can hold back the LISTEN connections: what a broken network does to them.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";
import { atEnd } from "@tidings/testkit/at-end";

export type DatabaseProxy = {
  url: string;
  /** Nothing passes on the LISTEN connections, in either direction. */
  pauseListeners(): void;
  resumeListeners(): void;
  /** Closes the LISTEN connections. */
  dropListeners(): void;
};

export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const listeners = new Set<Socket[]>();
  const sockets = new Set<Socket>();
  let isPaused = false;
  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname);
    const pair = [client, database];
    for (const [from, to] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(from);
      from.on("error", () => to.destroy());
      from.on("close", () => {
        to.destroy();
        sockets.delete(from);
        listeners.delete(pair);
      });
    }
    // The first packet names the application.
    client.once("data", (first) => {
      if (first.includes("tidings-listen")) {
        listeners.add(pair);
        if (isPaused) return;
      }
      database.write(first);
      client.pipe(database);
      database.pipe(client);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  atEnd(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  });
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    pauseListeners() {
      isPaused = true;
      for (const [client, database] of listeners) {
        client!.unpipe();
        database!.unpipe();
        client!.pause();
        database!.pause();
      }
    },
    resumeListeners() {
      isPaused = false;
      for (const pair of listeners) for (const socket of pair) socket.destroy();
    },
    dropListeners() {
      for (const pair of listeners) for (const socket of pair) socket.destroy();
    },
  };
}

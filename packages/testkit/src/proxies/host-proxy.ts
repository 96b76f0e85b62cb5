// A TCP proxy to a PostgreSQL server, as one of several hosts: it can be cut off with and without a sign, and be a host
// on which PostgreSQL refuses writes. It remembers what clients asked for when they connected.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export type HostProxy = {
  /** `127.0.0.1:port`. */
  host: string;
  /** The startup packets of all connections, as text. */
  startups: string[];
  /** How many connections are open. */
  countOpen(): number;
  /** `refuse` closes all connections and accepts none; `stall` lets nothing pass, without a sign. */
  cut(how: "refuse" | "stall"): void;
  /** Open connections continue where they stopped; new ones are accepted. */
  restore(): void;
  /** New sessions are read-only, or not. */
  setReadOnly(isReadOnly: boolean): void;
  close(): Promise<void>;
};

type State = "open" | "refuse" | "stall";

export async function startHostProxy(target: { host: string; port: number }): Promise<HostProxy> {
  const sockets = new Set<Socket>();
  const startups: string[] = [];
  let state: State = "open";
  let isReadOnly = false;
  const hold = (from: Socket, to: Socket) => {
    sockets.add(from);
    from.on("data", (chunk) => void to.write(chunk));
    from.on("end", () => to.end());
    from.on("error", () => to.destroy());
    from.on("close", () => {
      sockets.delete(from);
      to.destroy();
    });
    if (state === "stall") from.pause();
  };
  const server = createServer((client) => {
    if (state === "refuse") return void client.destroy();
    const database = connect(target.port, target.host);
    client.once("data", (first) => {
      startups.push(String(first));
      database.write(isReadOnly ? withReadOnly(first) : first);
      hold(client, database);
    });
    client.on("error", () => database.destroy());
    sockets.add(client);
    hold(database, client);
    if (state === "stall") client.pause();
  });
  const listen = (port: number) => once(server.listen(port, "127.0.0.1"), "listening");
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    host: `127.0.0.1:${port}`,
    startups,
    countOpen: () => sockets.size / 2,
    cut(how) {
      state = how;
      for (const socket of sockets) if (how === "refuse") socket.destroy();
      for (const socket of sockets) if (how === "stall") socket.pause();
    },
    restore() {
      state = "open";
      for (const socket of sockets) socket.resume();
    },
    setReadOnly(value) {
      isReadOnly = value;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** The startup packet with one more option: length, version, then names and values that end with zero bytes. */
function withReadOnly(startup: Buffer): Buffer {
  const option = Buffer.from("options\0-c default_transaction_read_only=on\0");
  const changed = Buffer.concat([startup.subarray(0, -1), option, startup.subarray(-1)]);
  changed.writeInt32BE(changed.length);
  return changed;
}

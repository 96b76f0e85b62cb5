// A TCP proxy whose packets can be held, delayed and refused, as by a network that is broken.
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** In one direction of one connection. */
const maxWaitingBytes = 1024 * 1024;

/**
 * `stall`: nothing passes, without a sign, and connections stay. `refuse`: connections are closed, new ones refused.
 * `slow`: each packet takes so many milliseconds, and all together so many bytes a second in each direction.
 */
export type LinkState =
  | { kind: "open" }
  | { kind: "stall" }
  | { kind: "refuse" }
  | { kind: "slow"; delayMs: readonly [number, number]; bytesPerSecond: number };

export type Link = {
  port: number;
  set(state: LinkState): Promise<void>;
  close(): Promise<void>;
};

type Flow = { from: Socket; update(): void };
type Flows = { state: LinkState; flows: Set<Flow> };

/** A proxy on `port` of this machine. */
export async function openLink(port: number, target: { host: string; port: number }): Promise<Link> {
  const link: Flows = { state: { kind: "open" }, flows: new Set() };
  const server = createServer((client) => {
    const behind = connect(target.port, target.host);
    for (const socket of [client, behind]) socket.setNoDelay(true);
    for (const [from, to] of [
      [client, behind],
      [behind, client],
    ] as const)
      addFlow(link, from, to);
  });
  server.on("error", () => {});
  const listen = async () => {
    if (!server.listening) await once(server.listen(port, "127.0.0.1"), "listening");
  };
  const unlisten = async () => {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    for (const { from } of link.flows) from.destroy();
    await closed;
  };
  await listen();
  return {
    port,
    async set(state) {
      link.state = state;
      if (state.kind === "refuse") await unlisten();
      else await listen();
      for (const flow of link.flows) flow.update();
    },
    close: unlisten,
  };
}

/** What comes from one socket goes to the other, now or later. */
function addFlow(link: Flows, from: Socket, to: Socket): void {
  const waiting: { chunk: Buffer; at: number }[] = [];
  let [waitingBytes, freeAt, isBlocked, hasEnded, isTimed] = [0, 0, false, false, false];
  const write = (chunk: Buffer) => {
    if (to.destroyed || to.write(chunk)) return;
    isBlocked = true;
    to.once("drain", () => {
      isBlocked = false;
      flow.update();
    });
  };
  const passLater = () => {
    if (isTimed) return;
    isTimed = true;
    setTimeout(passDue, Math.max(1, waiting[0]!.at - performance.now()));
  };
  const passDue = () => {
    isTimed = false;
    while (waiting.length > 0 && waiting[0]!.at <= performance.now()) {
      const { chunk } = waiting.shift()!;
      waitingBytes -= chunk.length;
      write(chunk);
    }
    if (waiting.length > 0) passLater();
    else if (hasEnded) to.end();
    flow.update();
  };
  const flow: Flow = {
    from,
    update() {
      if (link.state.kind === "stall" || isBlocked || waitingBytes > maxWaitingBytes) from.pause();
      else from.resume();
    },
  };
  link.flows.add(flow);
  from.on("data", (chunk: Buffer) => {
    const { state } = link;
    if (state.kind !== "slow" && waiting.length === 0) {
      write(chunk);
    } else {
      const now = performance.now();
      const [least, most] = state.kind === "slow" ? state.delayMs : [0, 0];
      const sendMs = state.kind === "slow" ? (chunk.length / state.bytesPerSecond) * 1_000 : 0;
      // In their order, one after the other through the narrow place.
      freeAt = Math.max(freeAt, now + least + Math.random() * (most - least)) + sendMs;
      waiting.push({ chunk, at: freeAt });
      waitingBytes += chunk.length;
      passLater();
    }
    flow.update();
  });
  from.on("end", () => {
    hasEnded = true;
    if (waiting.length === 0) to.end();
  });
  from.on("error", () => to.destroy());
  from.on("close", () => {
    link.flows.delete(flow);
    // What was sent before the end still arrives, as on a network.
    if (!hasEnded) to.destroy();
  });
  flow.update();
}

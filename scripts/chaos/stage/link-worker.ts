// The thread of links.ts: proxies whose packets can be held, delayed and refused.
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { parentPort } from "node:worker_threads";
import type { LinkAnswer, LinkRequest, LinkState } from "./links.ts";

/** In one direction of one connection. */
const maxWaitingBytes = 1024 * 1024;

type Flow = { from: Socket; update(): void };
type Link = { port: number; state: LinkState; flows: Set<Flow>; listen(): Promise<void>; unlisten(): Promise<void> };

const links = new Map<number, Link>();

function createLink(port: number, targetPort: number): Link {
  const flows = new Set<Flow>();
  const server = createServer((client) => {
    const database = connect(targetPort, "127.0.0.1");
    for (const socket of [client, database]) socket.setNoDelay(true);
    for (const [from, to] of [
      [client, database],
      [database, client],
    ] as const)
      addFlow(link, from, to);
  });
  server.on("error", () => {});
  const link: Link = {
    ...{ port, flows, state: { kind: "open" } },
    async listen() {
      if (!server.listening) await once(server.listen(port, "127.0.0.1"), "listening");
    },
    async unlisten() {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      for (const { from } of flows) from.destroy();
      await closed;
    },
  };
  return link;
}

/** What comes from one socket goes to the other, now or later. */
function addFlow(link: Link, from: Socket, to: Socket): void {
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

async function setState(link: Link, state: LinkState): Promise<void> {
  link.state = state;
  if (state.kind === "refuse") await link.unlisten();
  else await link.listen();
  for (const flow of link.flows) flow.update();
}

async function handle(request: LinkRequest): Promise<void> {
  if ("open" in request) {
    const link = createLink(request.open.port, request.open.targetPort);
    links.set(link.port, link);
    return link.listen();
  }
  const { ports, state } = request.set;
  await Promise.all(ports.map((port) => setState(links.get(port)!, state)));
}

parentPort!.on("message", async (request: LinkRequest) => {
  const answer: LinkAnswer = { id: request.id };
  try {
    await handle(request);
  } catch (error) {
    answer.error = (error as Error).message;
  }
  parentPort!.postMessage(answer);
});

// The comparison of live.ts, in its own process: WebSockets without a database, hub or tokens. Told by its parent, it
// sends messages of the same shape to one client after the other.
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";

const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
server.on("listening", () => process.send!((server.address() as AddressInfo).port));

const filler = "x".repeat(600);
let next = 0;

process.on("message", ({ rate, portions }: { rate: number; portions: number }) => {
  const timer = setInterval(() => {
    const clients = [...server.clients];
    for (let n = 0; n < rate; n++) clients[next++ % clients.length]!.send(JSON.stringify({ at: Date.now(), filler }));
    if (--portions === 0) clearInterval(timer);
  }, 100);
});

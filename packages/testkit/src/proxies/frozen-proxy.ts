// A proxy to a service that can stop responding without a word, as a frozen process or a cut cable does: connections
// stay open.

import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";
import { atEnd } from "../at-end.ts";

/** `freeze`: nothing passes in either direction until `thaw`. */
export async function startFreezableProxy(service: { url: string }) {
  const target = new URL(service.url);
  const sockets = new Set<Socket>();
  let isFrozen = false;
  const hold = (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    if (isFrozen) socket.pause();
  };
  const proxy = createServer((socket) => {
    const behind = connect(Number(target.port), target.hostname);
    for (const [one, other] of [
      [socket, behind],
      [behind, socket],
    ] as const) {
      hold(one);
      one.on("data", (chunk) => void other.write(chunk));
      one.on("end", () => other.end());
      if (isFrozen) one.pause();
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  atEnd(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => proxy.close(() => resolve(undefined)));
  });
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    freeze: () => {
      isFrozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw: () => {
      isFrozen = false;
      for (const socket of sockets) socket.resume();
    },
  };
}

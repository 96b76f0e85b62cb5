// Ports that stay free while the process that listens on one is dead: below the range from which the system takes the
// ports of outgoing connections.
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

const [first, last] = [15_000, 32_000];
const attempts = 50;
const given = new Set<number>();

export async function findPort(): Promise<number> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const port = randomInt(first, last);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
  throw new Error(`no free port was found between ${first} and ${last}`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, "127.0.0.1"), "listening");
    server.close();
    await once(server, "close");
    return true;
  } catch {
    return false;
  }
}

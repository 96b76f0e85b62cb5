// What all fake servers of HTTP have in common: a free port of this machine, and an end that waits for nobody.
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

export type OpenServer = { port: number; url: string; close(): Promise<void> };

export async function openHttpServer(listener: RequestListener): Promise<OpenServer> {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

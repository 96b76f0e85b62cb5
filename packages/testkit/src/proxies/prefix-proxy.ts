// A proxy that serves a service below the path /tidings, as nginx does: it takes the path away and says so in a header.
import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { atEnd } from "../at-end.ts";

const prefix = "/tidings";

/** Returns the address of the service behind the proxy. */
export async function startPrefixProxy(service: { url: string }): Promise<string> {
  const target = new URL(service.url);
  const proxy = createServer((request, response) => {
    if (!request.url?.startsWith(`${prefix}/`)) return void response.writeHead(404).end();
    const path = request.url.slice(prefix.length);
    const headers = { ...request.headers, "x-forwarded-prefix": prefix };
    const passed = send(
      { port: target.port, host: target.hostname, path, method: request.method, headers },
      (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      },
    );
    passed.on("error", () => response.destroy());
    response.on("close", () => passed.destroy());
    request.pipe(passed);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  atEnd(() => {
    proxy.closeAllConnections();
    return new Promise((resolve) => proxy.close(resolve));
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${prefix}`;
}

// A proxy that serves a service below the path /tidings, as nginx does: it takes the path away and says so in a header.
import { request as send } from "node:http";
import { atEnd } from "../at-end.ts";
import { openHttpServer } from "../servers/http.ts";

const prefix = "/tidings";

/** Returns the address of the service behind the proxy. */
export async function startPrefixProxy(service: { url: string }): Promise<string> {
  const target = new URL(service.url);
  const { url, close } = await openHttpServer((request, response) => {
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
  atEnd(close);
  return `${url}${prefix}`;
}

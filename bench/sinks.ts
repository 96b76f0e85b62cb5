// Receivers that accept every message at the least cost: an SMTP server, a web server that returns 200, and a collector
// of traces that counts spans (GET returns their number). They run in their own process, so that they do not block the
// event loop of the sender.
import { fork } from "node:child_process";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { text } from "node:stream/consumers";

export type Sink = { port: number; stop(): void };

export const startSink = (kind: "smtp" | "http" | "spans"): Promise<Sink> =>
  new Promise((resolve, reject) => {
    const child = fork(new URL(import.meta.url), [kind], { stdio: "inherit" });
    child.once("error", reject);
    child.once("message", (port) => resolve({ port: Number(port), stop: () => child.kill() }));
  });

/** Accepts every command and every message. */
function takeMail(socket: Socket): void {
  let buffered = "";
  let isData = false;
  socket.setEncoding("latin1").setNoDelay(true);
  socket.on("error", () => {});
  socket.write("220 sink\r\n");
  socket.on("data", (chunk: string) => {
    buffered += chunk;
    for (;;) {
      const end = buffered.indexOf(isData ? "\r\n.\r\n" : "\r\n");
      if (end < 0) return;
      const line = buffered.slice(0, end);
      buffered = buffered.slice(end + (isData ? 5 : 2));
      if (isData) {
        isData = false;
        socket.write("250 taken\r\n");
      } else if (/^DATA/i.test(line)) {
        isData = true;
        socket.write("354 go on\r\n");
      } else if (/^QUIT/i.test(line)) {
        socket.end("221 bye\r\n");
      } else socket.write("250 fine\r\n");
    }
  });
}

const acceptAll: RequestListener = (request, response) => {
  request.resume().on("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"));
};

let spans = 0;
const countSpans: RequestListener = async (request, response) => {
  if (request.method === "GET") return response.end(String(spans));
  spans += (await text(request)).split('"startTimeUnixNano"').length - 1;
  response.writeHead(200, { "content-type": "application/json" }).end("{}");
};

const servers = {
  smtp: () => createServer(takeMail),
  http: () => createHttpServer(acceptAll),
  spans: () => createHttpServer(countSpans),
};

const kind = process.argv[2];
if (process.send && kind !== undefined && Object.hasOwn(servers, kind)) {
  const server = servers[kind as keyof typeof servers]();
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
  process.once("disconnect", () => process.exit());
}

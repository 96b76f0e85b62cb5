// The other side of the wire: a real HTTP/1.1 and a real HTTP/2 server on this machine that respond as a scenario says.
// An adapter calls the provider's real address; at the edge of io that address is recorded and the call redirected
// here.

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createServer2, type Http2ServerRequest } from "node:http2";
import type { AddressInfo, Server, Socket } from "node:net";
import { createIo, type Io } from "../../src/index.ts";
import type { HttpRequest } from "../../src/kit/request.ts";
import { closedPort, resolveHere } from "../support.ts";
import type { ExpectedRequest, Preparation, Reply } from "./case.ts";

/** What the server does with a request: a response, or one of the failures. */
export type Act = Reply | "echo-400" | "silence" | "reset";

export type Seen = {
  method: string;
  /** As the adapter wrote it. */
  url: string;
  headers: Record<string, string>;
  body: Buffer;
};

export type Scenario = {
  /** The calls in their order; the last one sends. */
  calls: readonly ExpectedRequest[];
  /** What happens to the call of this number; it replaces the call's reply. */
  acts: Readonly<Record<number, Act>>;
};

type Incoming = IncomingMessage | Http2ServerRequest;
// The two servers hand out the same methods under types that do not meet.
type Outgoing = ServerResponse;

type Running = Scenario & {
  seen: Seen[];
  /** How often each method and path has been asked for. */
  counts: Map<string, number>;
};

export async function openStage() {
  const running = new Map<string, Running>();
  let last = 0;

  const handle = async (request: Incoming, response: Outgoing): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const [, key = "", path = ""] = /^\/~(\d+)(.*)$/s.exec(request.url ?? "") ?? [];
    const scenario = running.get(key);
    if (!scenario) return void response.writeHead(500).end();
    const seen = scenario.seen.at(-1);
    if (!seen) return void response.writeHead(500).end();
    seen.body = Buffer.concat(chunks);
    for (const [name, value] of Object.entries(request.headers)) {
      if (value !== undefined && !name.startsWith(":")) seen.headers[name] = String(value);
    }
    perform(actFor(scenario, seen), { request, response, path, seen });
  };

  const one = createServer(handle);
  const two = createServer2((request, response) => handle(request, response as unknown as Outgoing));
  const sockets = new Set<Socket>();
  for (const server of [one, two] as Server[]) {
    server.on("connection", (socket: Socket) => {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.once("close", () => sockets.delete(socket));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  }
  two.on("sessionError", () => {});
  const ports = { http: (one.address() as AddressInfo).port, http2: (two.address() as AddressInfo).port };
  const closed = await closedPort();

  /** An io whose calls end up in this scenario. */
  const play = (scenario: Scenario, options: { timeoutMs?: number; now?: Date; refuse?: true } = {}) => {
    const key = String(++last);
    const state: Running = { ...scenario, seen: [], counts: new Map() };
    running.set(key, state);
    const { timeoutMs = 15_000, now } = options;
    const io = createIo({
      resolveHost: resolveHere,
      capture: async () => {},
      timeoutMs,
      ...(now ? { now: () => now } : {}),
    });
    const lead = (request: HttpRequest, port: number): HttpRequest => {
      state.seen.push({ method: request.method, url: request.url, headers: {}, body: Buffer.alloc(0) });
      const url = new URL(request.url);
      const target = `http://provider.test:${options.refuse ? closed : port}/~${key}${url.pathname}${url.search}`;
      return { ...request, url: target };
    };
    const led: Io = {
      ...io,
      http: (request) => io.http(lead(request, ports.http)),
      http2: (request) => io.http2(lead(request, ports.http2)),
    };
    const end = async (): Promise<void> => {
      running.delete(key);
      await io.close();
    };
    return { io: led, seen: state.seen, end };
  };

  const close = (): void => {
    for (const socket of sockets) socket.destroy();
    one.close();
    two.close();
  };

  return { play, close };
}

/** Which of the calls this is: by method and path, and by order where several share them. */
function actFor(scenario: Running, seen: Seen): Act {
  const place = `${seen.method} ${pathOf(seen.url)}`;
  const fitting = scenario.calls.flatMap(({ method, url }, index) =>
    `${method} ${pathOf(url)}` === place ? [index] : [],
  );
  const count = scenario.counts.get(place) ?? 0;
  scenario.counts.set(place, count + 1);
  const index = fitting[Math.min(count, fitting.length - 1)];
  if (index === undefined) return { status: 404, body: { error: `the case expects no ${place}` } };
  const own = (scenario.calls[index] as Partial<Preparation>).reply;
  return scenario.acts[index] ?? own ?? { status: 500, body: "the case has no reply for this call" };
}

function pathOf(text: string): string {
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname}`;
}

type Moment = {
  request: Incoming;
  response: Outgoing;
  path: string;
  seen: Seen;
};

function perform(act: Act, { request, response, path, seen }: Moment): void {
  if (act === "silence") return;
  if (act === "reset") {
    if ("stream" in request && request.stream && "session" in request.stream) request.stream.session?.destroy();
    request.socket?.destroy();
    return;
  }
  const reply = act === "echo-400" ? { status: 400 } : act;
  // The worst a server can do with a secret: quote the whole request, both encoded and decoded.
  const echo = {
    request: { path, url: seen.url, headers: seen.headers, body: seen.body.toString(), decoded: decoded(seen) },
  };
  const body = "body" in reply ? reply.body : reply.status === 204 ? "" : echo;
  const text = typeof body === "string" ? body : JSON.stringify(body ?? {});
  response.writeHead(reply.status, {
    "content-type": "application/json",
    ...("headers" in reply ? reply.headers : {}),
  });
  response.end(reply.status === 204 ? undefined : text);
}

const decoded = ({ headers, url, body }: Seen): unknown => ({
  basic: Buffer.from(/^Basic (.+)$/.exec(headers.authorization ?? "")?.[1] ?? "", "base64").toString(),
  query: Object.fromEntries(new URL(url).searchParams),
  form: Object.fromEntries(new URLSearchParams(body.toString())),
});

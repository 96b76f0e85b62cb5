// A load balancer as installations have one: it asks each process whether it is ready, gives new requests to those that
// are, and keeps connections to them open. It repeats no request, so every failure is one that a client sees.
import { Agent, type IncomingMessage, request, type ServerResponse } from "node:http";
import { progress } from "../load/progress.ts";
import { openHttpServer } from "../servers/http.ts";
import { eventually } from "../wait.ts";

const askMs = 500;
const responseMs = 5_000;
const maxFailures = 3;
const waitMs = 60_000;

type Target = {
  url: URL;
  agent: Agent;
  isAsked: boolean;
  isReady: boolean;
  failures: number;
  isRetired: boolean;
  open: number;
};

export type Balancer = {
  url: string;
  /** Resolves when it is ready. */
  add(url: string): Promise<void>;
  /** Gives it no more requests, and resolves when those in progress have ended; streams stay open. */
  retire(url: string): Promise<void>;
  remove(url: string): void;
  /** Requests for which no process was ready. */
  unserved(): number;
  close(): void;
};

const isStream = ({ url = "" }: IncomingMessage) => url.startsWith("/v1/inbox/stream");

export async function startBalancer(): Promise<Balancer> {
  const targets = new Map<string, Target>();
  let [turn, unserved] = [0, 0];
  const choose = (): Target | undefined => {
    const ready = [...targets.values()].filter((target) => target.isReady && !target.isRetired);
    return ready[turn++ % ready.length];
  };
  const { url, close } = await openHttpServer((incoming, outgoing) => {
    const target = choose();
    if (target) return forward(target, incoming, outgoing);
    unserved++;
    outgoing.writeHead(503, { "content-type": "application/json" }).end('{"code":"NO_PROCESS_READY"}');
  });
  const timer = setInterval(() => {
    for (const target of targets.values()) if (!target.isAsked) void ask(target);
  }, askMs);
  return {
    url,
    async add(url) {
      const target = {
        ...{ url: new URL(url), agent: new Agent({ keepAlive: true }), open: 0 },
        ...{ isAsked: false, isReady: false, failures: 0, isRetired: false },
      };
      targets.set(url, target);
      await eventually(() => target.isReady, `${url} to be ready`, waitMs);
    },
    async retire(url) {
      const target = targets.get(url)!;
      target.isRetired = true;
      await eventually(() => target.open === 0, `the requests at ${url} to end`, waitMs);
    },
    remove(url) {
      targets.get(url)?.agent.destroy();
      targets.delete(url);
    },
    unserved: () => unserved,
    close() {
      clearInterval(timer);
      for (const { agent } of targets.values()) agent.destroy();
      void close();
    },
  };
}

/** As in Kubernetes, a process is not ready after three failures in a row: one slow response is not the end of it. */
async function ask(target: Target): Promise<void> {
  target.isAsked = true;
  const signal = AbortSignal.timeout(responseMs);
  // On its own connection, as a balancer does.
  const response = await fetch(new URL("/ready", target.url), { signal, headers: { connection: "close" } }).catch(
    () => null,
  );
  const text = await response?.text().catch(() => "");
  target.failures = response?.status === 200 ? 0 : target.failures + 1;
  const isReady = target.failures === 0 || (target.isReady && target.failures < maxFailures);
  if (target.isReady && !isReady) progress(`${target.url.host} is not ready: ${text ?? "it does not respond"}`);
  target.isReady = isReady;
  target.isAsked = false;
}

function forward(target: Target, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method, url: path } = incoming;
  const { connection: _, ...headers } = incoming.headers;
  // A stream has its own connection.
  const agent = isStream(incoming) ? false : target.agent;
  const step = isStream(incoming) ? 0 : 1;
  target.open += step;
  outgoing.once("close", () => {
    target.open -= step;
  });
  const onward = request(new URL(path ?? "/", target.url), { method, headers, agent });
  onward.on("response", (response) => {
    const { connection: _connection, "keep-alive": _keepAlive, ...rest } = response.headers;
    outgoing.writeHead(response.statusCode!, rest);
    // Head and first events of a stream must not wait for more.
    outgoing.flushHeaders();
    response.pipe(outgoing);
    response.on("error", () => outgoing.destroy());
  });
  onward.on("error", (error: NodeJS.ErrnoException) => {
    if (outgoing.headersSent) return void outgoing.destroy();
    outgoing.writeHead(502, { "content-type": "application/json" }).end(JSON.stringify({ code: error.code ?? "LOST" }));
  });
  outgoing.on("close", () => void (outgoing.writableFinished || onward.destroy()));
  incoming.pipe(onward);
}

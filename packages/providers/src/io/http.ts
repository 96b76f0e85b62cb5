// One HTTP/1.1 call that cannot be turned against the service: the guard resolves the host once and the connection goes
// to that address, redirects are returned as replies, and time and size are bounded.
//
// undici is used rather than fetch, which offers no way to choose the address it connects to, and rather than
// node:http, which takes almost twice the CPU time for a call (docs/decisions/0026-http-client.md).
import { isIP } from "node:net";
import type Undici from "undici";
import type { Dispatcher, Pool } from "undici";
import { errorText, rejected, SendError } from "../kit/outcome.ts";
import type { HttpReply } from "../kit/reply.ts";
import type { HttpRequest } from "../kit/request.ts";
import { type Deadline, startDeadline } from "./deadline.ts";
import {
  callFault,
  checkHeaders,
  createBodyCollector,
  parseUrl,
  type Resolve,
  type Target,
  toReply,
  withDeadline,
} from "./exchange.ts";

// Idle connections are dropped before most servers drop them (Node's own default is 5 s): a request written into a
// connection that the server is closing ends as `unknown`, which may need a manual decision.
const idleMs = 4000;
/** Hosts whose connections are kept. The one that was called longest ago is forgotten first. */
const maxHosts = 500;

export function createHttp(resolve: Resolve, timeoutMs: number) {
  const pools = new Map<string, Pool>();
  /** Loaded with the first call, because a start does not need it. */
  let undici: typeof Undici | undefined;

  /** Connections to one address under one name: a certificate is checked for the name. */
  const poolOf = (url: Target, address: string, { Pool }: typeof Undici): Pool => {
    const origin = `${url.protocol}//${isIP(address) === 6 ? `[${address}]` : address}:${url.port}`;
    const name = `${origin} ${url.host}`;
    const pool = pools.get(name) ?? new Pool(origin, poolOptions(timeoutMs));
    pools.delete(name);
    pools.set(name, pool);
    if (pools.size > maxHosts) {
      const [oldest, forgotten] = pools.entries().next().value!;
      pools.delete(oldest);
      // Calls in flight end first.
      void forgotten.close();
    }
    return pool;
  };

  const call = async (request: HttpRequest): Promise<HttpReply> => {
    const url = parseUrl(request.url);
    const deadline = startDeadline(timeoutMs);
    try {
      const { address } = await withDeadline(resolve(url.host), deadline, url.host);
      // Bundled, a CommonJS package has its exports in `default` alone.
      undici ??= (await import("undici")).default;
      return await exchange(poolOf(url, address, undici), { request, url, deadline });
    } finally {
      deadline.end();
    }
  };

  const close = (): void => {
    for (const pool of pools.values()) void pool.destroy();
    pools.clear();
  };

  return { call, close };
}

/** The deadline of a call is the only time limit for its response. */
const poolOptions = (timeoutMs: number): Pool.Options => ({
  keepAliveTimeout: idleMs,
  keepAliveMaxTimeout: idleMs,
  headersTimeout: 0,
  bodyTimeout: 0,
  connect: { timeout: timeoutMs },
});

type Exchange = { request: HttpRequest; url: Target; deadline: Deadline };

function exchange(pool: Pool, { request, url, deadline }: Exchange): Promise<HttpReply> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let head: { status: number; headers: Dispatcher.ResponseData["headers"] } | undefined;
    const body = createBodyCollector();
    const refuse = (error: unknown): void =>
      reject(new SendError(rejected("config", `The request cannot be sent: ${errorText(error)}`)));
    const fail = (error: Error & { code?: string }): void => {
      if (error.code === "UND_ERR_INVALID_ARG") refuse(error);
      else reject(callFault(url.host, error.message, { deadline, isWritten: controller !== undefined }));
    };
    const finish = (): void => resolve(toReply(head?.status, head?.headers ?? {}, body.finish()));
    const handler: Dispatcher.DispatchHandler = {
      // The connection is open and the request is written now: from here on a failure does not prove that nothing was
      // sent.
      onRequestStart(started) {
        if (deadline.isOver) started.abort(timeOver());
        else controller = started;
      },
      onResponseStart(_controller, status, headers) {
        head = { status, headers };
      },
      onResponseData(controller, chunk) {
        if (body.add(chunk)) return;
        finish();
        controller.abort(new Error("the reply is too long"));
      },
      onResponseEnd: finish,
      onResponseError: (_controller, error) => fail(error),
    };
    deadline.onOver(() => (controller ? controller.abort(timeOver()) : fail(timeOver())));
    try {
      const { method } = request;
      pool.dispatch({ method, path: url.path, headers: headersOf(request, url), body: request.body }, handler);
    } catch (error) {
      refuse(error);
    }
  });
}

const timeOver = () => new Error("the time is over");

/** Headers of the request, unchanged; ours where it has none of that name. */
function headersOf(request: HttpRequest, url: Target): Record<string, string> {
  const given = checkHeaders(request);
  const names = new Set(Object.keys(given).map((name) => name.toLowerCase()));
  const headers: Record<string, string> = { ...given, host: url.hostHeader };
  if (!names.has("user-agent")) headers["user-agent"] = "Tidings";
  if (!names.has("accept-encoding")) headers["accept-encoding"] = "identity";
  if (url.auth && !names.has("authorization")) {
    headers.authorization = `Basic ${Buffer.from(url.auth).toString("base64")}`;
  }
  return headers;
}

// One HTTP/2 call, with the same guarantees as http.ts: the guard resolves the name and the connection goes to that
// address, time and size are bounded, and a failure says whether the request can have reached the server.
//
// One session per origin is kept, because APNs treats a connection per message as an attack. A session without a
// response for 30 seconds is pinged before the next call, a session on which a call timed out accepts no new calls, and
// an idle session is closed after 5 minutes.

import http2 from "node:http2";
import { connect as connectTcp, isIP } from "node:net";
import { connect as connectTls } from "node:tls";
import { errorText, rejected, retry, SendError } from "../kit/outcome.ts";
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

const maxSessions = 20;
const idleMs = 5 * 60_000;
const pingAfterMs = 30_000;
const pingTimeoutMs = 2000;

type Connection = {
  session: http2.ClientHttp2Session;
  ready: Promise<void>;
  answeredAt: number;
  /** A ping in flight; concurrent calls share it. */
  ping?: Promise<boolean>;
  /** After GOAWAY: the last stream that the server has processed. */
  lastStream: number;
};

export function createHttp2(resolve: Resolve, timeoutMs: number) {
  // A Map keeps the order of insertion, so the first key is the one used longest ago.
  const connections = new Map<string, Connection>();

  const call = async (request: HttpRequest): Promise<HttpReply> => {
    const url = parseUrl(request.url);
    const deadline = startDeadline(timeoutMs);
    try {
      const connection = await connectTo(url, deadline);
      return await exchange(request, url, connection, deadline);
    } finally {
      deadline.end();
    }
  };

  const connectTo = async (url: Target, deadline: Deadline): Promise<Connection> => {
    const origin = `${url.protocol}//${url.hostHeader}`;
    const found = connections.get(origin);
    if (found && (await isAlive(found))) {
      connections.delete(origin);
      connections.set(origin, found);
      return found;
    }
    const { address } = await withDeadline(resolve(url.host), deadline, url.host);
    // Another caller may have opened one while the name was resolved.
    const meanwhile = connections.get(origin);
    if (meanwhile && meanwhile !== found && !meanwhile.session.closed) return meanwhile;
    const connection = open(url, address);
    connections.delete(origin);
    connections.set(origin, connection);
    connection.session.once("close", () => {
      if (connections.get(origin) === connection) connections.delete(origin);
    });
    const [oldest] = connections.keys();
    if (connections.size > maxSessions && oldest !== undefined) {
      // Closes when the calls on it are done.
      connections.get(oldest)?.session.close();
      connections.delete(oldest);
    }
    return connection;
  };

  const close = (): void => {
    for (const { session } of connections.values()) session.destroy();
    connections.clear();
  };

  return { call, close };
}

function open(url: Target, address: string): Connection {
  const session = http2.connect(`${url.protocol}//${url.hostHeader}`, {
    createConnection: () =>
      url.protocol === "https:"
        ? connectTls({
            host: address,
            port: url.port,
            ALPNProtocols: ["h2"],
            ...(isIP(url.host) ? {} : { servername: url.host }),
          })
        : connectTcp({ host: address, port: url.port }),
  });
  const ready = new Promise<void>((resolve, reject) => {
    session.once("connect", () => resolve());
    session.once("error", reject);
    session.once("close", () => reject(new Error("the connection was closed")));
  });
  // Each waiting call handles the rejection itself.
  ready.catch(() => {});
  const connection: Connection = { session, ready, answeredAt: Date.now(), lastStream: Number.POSITIVE_INFINITY };
  session.on("error", () => {});
  session.on("goaway", (_code, lastStream) => {
    connection.lastStream = lastStream;
    session.close();
  });
  session.setTimeout(idleMs, () => session.close());
  return connection;
}

/** Calls in flight on a session that accepts no new ones are left to finish. */
function isAlive(connection: Connection): boolean | Promise<boolean> {
  const { session } = connection;
  if (session.closed || session.destroyed) return false;
  if (session.connecting || Date.now() - connection.answeredAt < pingAfterMs) return true;
  connection.ping ??= ping(connection).finally(() => delete connection.ping);
  return connection.ping;
}

function ping(connection: Connection): Promise<boolean> {
  return new Promise((resolve) => {
    const { session } = connection;
    const dead = (): void => {
      session.destroy();
      resolve(false);
    };
    const timer = setTimeout(dead, pingTimeoutMs);
    const isSent = session.ping((error) => {
      clearTimeout(timer);
      if (error) return dead();
      connection.answeredAt = Date.now();
      resolve(true);
    });
    if (!isSent) {
      clearTimeout(timer);
      dead();
    }
  });
}

async function exchange(
  request: HttpRequest,
  url: Target,
  connection: Connection,
  deadline: Deadline,
): Promise<HttpReply> {
  await withDeadline(connection.ready, deadline, url.host).catch((error: unknown) => {
    connection.session.destroy();
    throw error instanceof SendError && !deadline.isOver
      ? error
      : new SendError(retry(`${url.host} could not be reached: ${errorText(error)}`));
  });
  return new Promise((resolve, reject) => {
    let stream: http2.ClientHttp2Stream;
    try {
      stream = connection.session.request(headersOf(request, url));
    } catch (error) {
      // A session that has just closed accepted nothing: retry. Any other error is a header that HTTP/2 cannot carry.
      const gone = connection.session.closed || connection.session.destroyed;
      reject(new SendError(gone ? retry(`${url.host}: ${errorText(error)}`) : rejected("config", errorText(error))));
      return;
    }
    deadline.onOver(() => stream.destroy(new Error("the time is over")));
    let isWritten = !stream.pending;
    stream.once("ready", () => (isWritten = true));
    let head: http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader = {};
    stream.once("response", (headers) => (head = headers));
    const body = createBodyCollector();
    const finish = (): void => {
      const status = head[":status"];
      if (status === undefined) return;
      connection.answeredAt = Date.now();
      resolve(toReply(status, head, body.finish()));
    };
    stream.on("data", (chunk: Buffer) => {
      if (body.add(chunk)) return;
      finish();
      stream.close(http2.constants.NGHTTP2_CANCEL);
    });
    stream.once("end", finish);
    const fail = (error?: Error): void => {
      if (deadline.isOver) connection.session.close();
      // By the protocol, a server has not processed streams that it refused or that came after its GOAWAY.
      const isRefused =
        stream.rstCode === http2.constants.NGHTTP2_REFUSED_STREAM || (stream.id ?? 0) > connection.lastStream;
      const cause = error?.message ?? "the connection was closed";
      reject(callFault(url.host, cause, { deadline, isWritten: isWritten && !isRefused }));
    };
    stream.once("error", fail);
    stream.once("close", () => fail());
    stream.end(request.body === undefined ? undefined : Buffer.from(request.body));
  });
}

function headersOf(request: HttpRequest, url: Target): http2.OutgoingHttpHeaders {
  return {
    "user-agent": "Tidings",
    ...checkHeaders(request),
    ":method": request.method,
    ":path": url.path,
    ":scheme": url.protocol.slice(0, -1),
    ":authority": url.hostHeader,
  };
}

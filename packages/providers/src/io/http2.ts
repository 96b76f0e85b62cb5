// One HTTP/2 call, with the promises of http.ts: the guard resolves the name and the connection goes to that address,
// time and size are bounded, and a failure says whether the request can have arrived.
//
// One session per origin is kept, because APNs takes a connection per message for an attack. A session that has not
// answered for a while is pinged before it is trusted with a message, one on which a call was not answered in time takes no
// new ones, and one that stays idle is closed.

import http2 from "node:http2";
import { connect as connectTcp, isIP } from "node:net";
import { connect as connectTls } from "node:tls";
import { rejected, retry, SendFault, unknown } from "../outcome.ts";
import type { HttpReply, HttpRequest } from "../request.ts";
import { freeHeaders, maxReplyBytes, parseJson, parseUrl, type Resolve, type Target, withDeadline } from "./http.ts";

const maxSessions = 20;
const idleMs = 5 * 60_000;
const trustMs = 30_000;
const pingMs = 2000;

interface Line {
  session: http2.ClientHttp2Session;
  ready: Promise<void>;
  answeredAt: number;
  /** Under way: whoever wants to know whether the session is alive shares it. */
  ping?: Promise<boolean>;
  /** After GOAWAY: the last stream the server has looked at. */
  lastStream: number;
}

export const createHttp2 = (resolve: Resolve, timeoutMs: number) => {
  // A Map keeps the order of insertion, so the first key is the one used longest ago.
  const lines = new Map<string, Line>();

  const call = async (request: HttpRequest): Promise<HttpReply> => {
    const url = parseUrl(request.url);
    const deadline = AbortSignal.timeout(timeoutMs);
    const line = await lineTo(url, deadline);
    return exchange(request, url, line, deadline);
  };

  const lineTo = async (url: Target, deadline: AbortSignal): Promise<Line> => {
    const origin = `${url.protocol}//${url.hostHeader}`;
    const found = lines.get(origin);
    if (found && (await isAlive(found))) {
      lines.delete(origin);
      lines.set(origin, found);
      return found;
    }
    const { address } = await withDeadline(resolve(url.host), deadline, url.host);
    // Another caller may have opened one while the name was resolved.
    const meanwhile = lines.get(origin);
    if (meanwhile && meanwhile !== found && !meanwhile.session.closed) return meanwhile;
    const line = open(url, address);
    lines.delete(origin);
    lines.set(origin, line);
    line.session.once("close", () => {
      if (lines.get(origin) === line) lines.delete(origin);
    });
    const [oldest] = lines.keys();
    if (lines.size > maxSessions && oldest !== undefined) {
      // Closes when the calls on it are done.
      lines.get(oldest)?.session.close();
      lines.delete(oldest);
    }
    return line;
  };

  const close = (): void => {
    for (const { session } of lines.values()) session.destroy();
    lines.clear();
  };

  return { call, close };
};

const open = (url: Target, address: string): Line => {
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
  // Every call that waits for it hears of a failure itself.
  ready.catch(() => {});
  const line: Line = { session, ready, answeredAt: Date.now(), lastStream: Number.POSITIVE_INFINITY };
  session.on("error", () => {});
  session.on("goaway", (_code, lastStream) => {
    line.lastStream = lastStream;
    session.close();
  });
  session.setTimeout(idleMs, () => session.close());
  return line;
};

/** Calls under way on a session that only takes no new ones are left to finish. */
const isAlive = (line: Line): boolean | Promise<boolean> => {
  const { session } = line;
  if (session.closed || session.destroyed) return false;
  if (session.connecting || Date.now() - line.answeredAt < trustMs) return true;
  line.ping ??= ping(line).finally(() => delete line.ping);
  return line.ping;
};

const ping = (line: Line): Promise<boolean> =>
  new Promise((resolve) => {
    const { session } = line;
    const dead = (): void => {
      session.destroy();
      resolve(false);
    };
    const timer = setTimeout(dead, pingMs);
    const isSent = session.ping((error) => {
      clearTimeout(timer);
      if (error) return dead();
      line.answeredAt = Date.now();
      resolve(true);
    });
    if (!isSent) {
      clearTimeout(timer);
      dead();
    }
  });

const exchange = async (request: HttpRequest, url: Target, line: Line, deadline: AbortSignal): Promise<HttpReply> => {
  await withDeadline(line.ready, deadline, url.host).catch((error: unknown) => {
    line.session.destroy();
    throw error instanceof SendFault && !deadline.aborted
      ? error
      : new SendFault(retry(`${url.host} could not be reached: ${textOf(error)}`));
  });
  return new Promise((resolve, reject) => {
    let stream: http2.ClientHttp2Stream;
    try {
      stream = line.session.request(headersOf(request, url), { signal: deadline });
    } catch (error) {
      // A session that closed this moment took nothing; anything else is a header it cannot carry.
      const gone = line.session.closed || line.session.destroyed;
      reject(new SendFault(gone ? retry(`${url.host}: ${textOf(error)}`) : rejected("config", textOf(error))));
      return;
    }
    let written = !stream.pending;
    stream.once("ready", () => (written = true));
    let head: http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader = {};
    stream.once("response", (headers) => (head = headers));
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (): void => {
      line.answeredAt = Date.now();
      resolve(toReply(head, Buffer.concat(chunks), size));
    };
    stream.on("data", (chunk: Buffer) => {
      size += chunk.length;
      // The status has said what became of the message; the rest of a huge page would only cost memory.
      if (size <= maxReplyBytes) chunks.push(chunk);
      else {
        finish();
        stream.close(http2.constants.NGHTTP2_CANCEL);
      }
    });
    stream.once("end", () => {
      if (head[":status"] !== undefined) finish();
    });
    const fail = (error?: Error): void => {
      if (deadline.aborted) line.session.close();
      const what = deadline.aborted
        ? `${url.host} did not answer in time`
        : `${url.host}: ${error?.message ?? "the connection was closed"}`;
      // The server promises that it did nothing with streams it refused or that came after its GOAWAY.
      const refused = stream.rstCode === http2.constants.NGHTTP2_REFUSED_STREAM || (stream.id ?? 0) > line.lastStream;
      reject(new SendFault(written && !refused ? unknown(`${what} (after the request was sent)`) : retry(what)));
    };
    stream.once("error", fail);
    stream.once("close", () => fail());
    stream.end(request.body === undefined ? undefined : Buffer.from(request.body));
  });
};

const headersOf = (request: HttpRequest, url: Target): http2.OutgoingHttpHeaders => ({
  "user-agent": "Tidings",
  ...freeHeaders(request),
  ":method": request.method,
  ":path": url.path,
  ":scheme": url.protocol.slice(0, -1),
  ":authority": url.hostHeader,
});

const toReply = (head: http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader, body: Buffer, size: number) => {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(head)) {
    if (value !== undefined && !name.startsWith(":")) headers[name] = String(value);
  }
  const text = body.toString("utf8");
  return { status: head[":status"] ?? 0, headers, text, json: size <= maxReplyBytes ? parseJson(text) : undefined };
};

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

// One HTTP call, made so that a caller's address cannot turn it against us: the host is resolved once by the guard
// and the connection goes to that very address, redirects come back as replies, and time and size are bounded.
// node:http is used rather than fetch because fetch offers no way to choose the address it connects to.

import http from "node:http";
import https from "node:https";
import { isIP } from "node:net";
import querystring from "node:querystring";
import { rejected, retry, SendFault, unknown } from "../outcome.ts";
import { framing, type HttpReply, type HttpRequest } from "../request.ts";

export type Resolve = (host: string) => Promise<{ address: string; family: number }>;

export const maxReplyBytes = 1024 * 1024;

// Idle connections are dropped before most servers drop them (Node's own default is 5 s): a request written into a
// connection the server is closing ends as "unknown", which costs a person's attention.
const idleMs = 4000;

export const createHttp = (resolve: Resolve, timeoutMs: number) => {
  const options = { keepAlive: true, maxFreeSockets: 256, timeout: idleMs };
  const agents = { "http:": new http.Agent(options), "https:": new https.Agent(options) };

  const call = async (request: HttpRequest): Promise<HttpReply> => {
    const url = parseUrl(request.url);
    const deadline = AbortSignal.timeout(timeoutMs);
    const { address } = await withDeadline(resolve(url.host), deadline, url.host);
    return exchange({ request, url, address, deadline, agents });
  };

  const close = (): void => {
    agents["http:"].destroy();
    agents["https:"].destroy();
  };

  return { call, close };
};

export interface Target {
  protocol: "http:" | "https:";
  host: string;
  port: number;
  path: string;
  hostHeader: string;
  auth?: string;
}

interface Exchange {
  request: HttpRequest;
  url: Target;
  address: string;
  deadline: AbortSignal;
  agents: { "http:": http.Agent; "https:": https.Agent };
}

// The host alone may be named in a reason: paths and queries of webhook addresses carry secrets.
export const parseUrl = (text: string): Target => {
  const url = URL.parse(text);
  if (!url) throw new SendFault(rejected("config", "The address of the provider is not a valid URL"));
  const { protocol } = url;
  if (protocol !== "http:" && protocol !== "https:") {
    throw new SendFault(rejected("config", `The address of the provider starts with ${protocol} instead of https:`));
  }
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const port = url.port ? Number(url.port) : protocol === "https:" ? 443 : 80;
  const target: Target = { protocol, host, port, path: `${url.pathname}${url.search}`, hostHeader: url.host };
  if (url.username) target.auth = `${querystring.unescape(url.username)}:${querystring.unescape(url.password)}`;
  return target;
};

const exchange = ({ request, url, address, deadline, agents }: Exchange): Promise<HttpReply> =>
  new Promise((resolve, reject) => {
    let written = false;
    const fail = (error: Error): void => {
      const what = deadline.aborted ? `${url.host} did not answer in time` : `${url.host}: ${error.message}`;
      reject(new SendFault(written ? unknown(`${what} (after the request was sent)`) : retry(what)));
    };
    const send = url.protocol === "https:" ? https.request : http.request;
    let call: http.ClientRequest;
    try {
      call = send({
        agent: agents[url.protocol],
        host: address,
        port: url.port,
        path: url.path,
        method: request.method,
        headers: headersOf(request, url),
        signal: deadline,
        ...(url.auth ? { auth: url.auth } : {}),
        ...(isIP(url.host) ? {} : { servername: url.host }),
      });
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      reject(new SendFault(rejected("config", `The request cannot be sent: ${said}`)));
      return;
    }
    // Node writes the request the moment the line is up: from then on a failure no longer proves that nothing was sent.
    call.once("socket", (socket) => {
      if (call.reusedSocket) written = true;
      else socket.once(url.protocol === "https:" ? "secureConnect" : "connect", () => (written = true));
    });
    call.on("error", fail);
    call.once("response", (reply) => {
      readBody(reply).then((read) => resolve(toReply(reply, read)), fail);
    });
    call.end(request.body);
  });

const headersOf = (request: HttpRequest, url: Target): Record<string, string> => ({
  "user-agent": "Tidings",
  "accept-encoding": "identity",
  ...freeHeaders(request),
  host: url.hostHeader,
  ...(request.body === undefined ? {} : { "content-length": String(Buffer.byteLength(request.body)) }),
});

/** Credentials may name a header, so this is asked of every request, whoever built it. */
export const freeHeaders = ({ headers }: HttpRequest): Record<string, string> => {
  for (const name in headers) {
    if (framing.test(name)) throw new Error(`the header ${name} cannot be set`);
  }
  return headers;
};

interface Body {
  text: string;
  whole: boolean;
}

/** By listeners: an iterator over a stream costs more than the rest of the call. */
const readBody = (reply: http.IncomingMessage): Promise<Body> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (): void =>
      resolve({
        text: Buffer.concat(chunks).subarray(0, maxReplyBytes).toString("utf8"),
        whole: size <= maxReplyBytes,
      });
    reply.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= maxReplyBytes) return;
      // The status has said what became of the message; the rest of a huge page would only cost memory.
      finish();
      reply.destroy();
    });
    reply.once("end", finish);
    reply.once("error", reject);
  });

const toReply = (reply: http.IncomingMessage, { text, whole }: Body): HttpReply => {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(reply.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return { status: reply.statusCode ?? 0, headers, text, json: whole ? parseJson(text) : undefined };
};

export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

export const withDeadline = <T>(work: Promise<T>, deadline: AbortSignal, host: string): Promise<T> =>
  new Promise((resolve, reject) => {
    const late = (): void => reject(new SendFault(retry(`${host} was not resolved in time`)));
    deadline.addEventListener("abort", late, { once: true });
    work.then(resolve, reject).finally(() => deadline.removeEventListener("abort", late));
  });

// One HTTP/1.1 call that cannot be turned against the service: the guard resolves the host once and the connection goes to
// that address, redirects are returned as replies, and time and size are bounded.
// node:http is used rather than fetch because fetch offers no way to choose the address it connects to.

import http from "node:http";
import https from "node:https";
import { isIP } from "node:net";
import { errorText, rejected, SendFault } from "../kit/outcome.ts";
import type { HttpReply } from "../kit/reply.ts";
import type { HttpRequest } from "../kit/request.ts";
import { type Deadline, startDeadline } from "./deadline.ts";
import {
  callFault,
  checkHeaders,
  collectBody,
  parseUrl,
  type Resolve,
  type Target,
  toReply,
  withDeadline,
} from "./exchange.ts";

// Idle connections are dropped before most servers drop them (Node's own default is 5 s): a request written into a
// connection that the server is closing ends as `unknown`, which may need a decision by a person.
const idleMs = 4000;

export function createHttp(resolve: Resolve, timeoutMs: number) {
  const options = { keepAlive: true, maxFreeSockets: 256, timeout: idleMs };
  const agents = { "http:": new http.Agent(options), "https:": new https.Agent(options) };

  const call = async (request: HttpRequest): Promise<HttpReply> => {
    const url = parseUrl(request.url);
    const deadline = startDeadline(timeoutMs);
    try {
      const { address } = await withDeadline(resolve(url.host), deadline, url.host);
      return await exchange({ request, url, address, deadline, agents });
    } finally {
      deadline.end();
    }
  };

  const close = (): void => {
    agents["http:"].destroy();
    agents["https:"].destroy();
  };

  return { call, close };
}

type Exchange = {
  request: HttpRequest;
  url: Target;
  address: string;
  deadline: Deadline;
  agents: { "http:": http.Agent; "https:": https.Agent };
};

function exchange({ request, url, address, deadline, agents }: Exchange): Promise<HttpReply> {
  return new Promise((resolve, reject) => {
    let isWritten = false;
    const fail = (error: Error): void => reject(callFault(url.host, error.message, { deadline, isWritten }));
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
        ...(url.auth ? { auth: url.auth } : {}),
        ...(isIP(url.host) ? {} : { servername: url.host }),
      });
    } catch (error) {
      reject(new SendFault(rejected("config", `The request cannot be sent: ${errorText(error)}`)));
      return;
    }
    deadline.onOver(() => call.destroy(new Error("the time is over")));
    // Node writes the request as soon as the connection is open: from then on a failure does not prove that nothing was sent.
    call.once("socket", (socket) => {
      if (call.reusedSocket) isWritten = true;
      else socket.once(url.protocol === "https:" ? "secureConnect" : "connect", () => (isWritten = true));
    });
    call.on("error", fail);
    call.once("response", (reply) => {
      reply.once("error", fail);
      collectBody(
        reply,
        (body) => resolve(toReply(reply.statusCode, reply.headers, body)),
        () => reply.destroy(),
      );
    });
    call.end(request.body);
  });
}

const headersOf = (request: HttpRequest, url: Target): Record<string, string> => ({
  "user-agent": "Tidings",
  "accept-encoding": "identity",
  ...checkHeaders(request),
  host: url.hostHeader,
  ...(request.body === undefined ? {} : { "content-length": String(Buffer.byteLength(request.body)) }),
});

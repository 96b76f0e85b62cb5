// WebSockets: plain ones at `/` and `/ws`, and the protocol of socket.io at `/socket.io/`, with its websocket transport
// only. The token is checked before the upgrade, so a client without a valid one gets an HTTP error. This is the part
// of socket.io that the published clients use; the package itself would take twice the memory for a connection
// (docs/decisions/0015-live-inbox.md).
import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { FastifyInstance } from "fastify";
import { type WebSocket, WebSocketServer } from "ws";
import type { Ctx } from "../../context.ts";
import { failure } from "../../failure.ts";
import { networkOf } from "../../lib/networks/addresses.ts";
import type { CloseReason, Port } from "../../pipeline/live/connections.ts";
import type { Hub, OpenConnection } from "../../pipeline/live/hub.ts";
import { refuseOrigin } from "../auth/inbox-cors.ts";
import { requireInboxSession } from "../auth/inbox-sessions.ts";
import { errorAnswer } from "../errors.ts";
import { requestIdOf } from "../request/request-id.ts";
import { createAddressReader } from "./client-address.ts";
import { toSocketEvents } from "./payloads.ts";

/** Clients send heartbeats only. */
const maxMessageBytes = 1_024;
const pongMs = 20_000;

type Protocol = {
  door: Port["door"];
  encode(name: string, data: unknown): string;
  /** Null: a heartbeat of the WebSocket protocol itself. */
  ping: string | null;
  greet(socket: WebSocket, connection: OpenConnection, id: string, beatMs: number): void;
  read(socket: WebSocket, text: string, connection: OpenConnection, id: string): void;
};

const plain: Protocol = {
  door: "websocket",
  encode: (event, data) => JSON.stringify({ event, data }),
  ping: null,
  greet: (_socket, connection) => connection.start(),
  read: (socket, text) => {
    if (text === "ping") socket.send("pong");
  },
};

/** Packets of engine.io and, behind a 4, of socket.io: 0 open or connect, 1 close or disconnect, 2 ping, 3 pong. */
const socketIo: Protocol = {
  door: "socket.io",
  encode: (event, data) => `42${JSON.stringify([event, data])}`,
  ping: "2",
  greet(socket, _connection, sid, beatMs) {
    const open = { sid, upgrades: [], pingInterval: beatMs, pingTimeout: pongMs, maxPayload: maxMessageBytes };
    socket.send(`0${JSON.stringify(open)}`);
  },
  read(socket, text, connection, sid) {
    if (text.startsWith("40/")) {
      const namespace = text.slice(2).split(",")[0];
      socket.send(`44${namespace},${JSON.stringify({ message: "Invalid namespace" })}`);
    } else if (text.startsWith("40")) {
      socket.send(`40${JSON.stringify({ sid })}`);
      connection.start();
    } else if (text.startsWith("41") || text === "1") socket.close();
  },
};

const protocols: Record<string, Protocol> = {
  "/": plain,
  "/ws": plain,
  "/socket.io": socketIo,
  "/socket.io/": socketIo,
};

export function addSockets(server: FastifyInstance, ctx: Ctx, hub: Hub): void {
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    clientTracking: false,
    maxPayload: maxMessageBytes,
  });
  const addressOf = createAddressReader(ctx.config.trustedProxies);
  const upgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    // Not `new URL(path, base)`, for which `//` is the beginning of another host.
    const url = URL.parse(`http://localhost${request.url ?? "/"}`);
    const path = url?.pathname ?? "";
    const protocol = Object.hasOwn(protocols, path) ? protocols[path] : undefined;
    if (!url || !protocol) throw failure("ROUTE_NOT_FOUND", { method: "GET", path: pathOf(request) });
    const session = await requireInboxSession(ctx, url.searchParams.get("token") ?? undefined);
    // Browsers send the header with every upgrade, and do not check the response as they do for requests.
    refuseOrigin(ctx, session.caller, request.headers.origin);
    await hub.admit();
    if (socket.destroyed) return;
    const link: Link = { client: null, isAnswered: true };
    const connection = hub.open({ ...session, network: networkOf(addressOf(request)) }, socketPort(protocol, link));
    socket.once("close", () => connection.end());
    sockets.handleUpgrade(request, socket, head, (client) => {
      link.client = client;
      const id = ctx.newId();
      const noteAnswer = () => {
        link.isAnswered = true;
      };
      client.on("error", () => client.terminate());
      client.on("pong", noteAnswer);
      client.on("message", (data) => {
        // Whatever a client sends shows that it is alive.
        noteAnswer();
        protocol.read(client, String(data), connection, id);
      });
      protocol.greet(client, connection, id, ctx.config.live.beatMs);
    });
  };
  server.server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    void upgrade(request, socket, head).catch((error) => refuse(server, request, socket, error));
  });
}

/** Codes of RFC 6455: 1001 going away, 1008 policy violation, 1012 service restart. */
const closeCodes: Record<CloseReason, number> = {
  restart: 1012,
  expired: 1008,
  revoked: 1008,
  deleted: 1008,
  slow: 1001,
  silent: 1001,
};

/** `client` is null until the upgrade is done. */
type Link = { client: WebSocket | null; isAnswered: boolean };

function socketPort({ door, encode, ping }: Protocol, link: Link): Port {
  return {
    door,
    send(event) {
      for (const { name, data } of toSocketEvents(event)) link.client?.send(encode(name, data));
    },
    bufferedBytes: () => link.client?.bufferedAmount ?? 0,
    beat() {
      if (!link.isAnswered) return false;
      link.isAnswered = false;
      if (ping === null) link.client?.ping();
      else link.client?.send(ping);
      return true;
    },
    close(reason) {
      const { client } = link;
      if (reason === "slow" || reason === "silent") return client?.terminate();
      client?.close(closeCodes[reason], reason);
      // A client that does not return the close frame must not delay a shutdown.
      setTimeout(() => client?.terminate(), 1_000).unref();
    },
  };
}

/** Without the query, which holds the token. */
const pathOf = ({ url = "/" }: IncomingMessage): string => url.split("?")[0]!;

/** The error body of the API, and the end of the connection. */
function refuse(server: FastifyInstance, request: IncomingMessage, socket: Duplex, error: unknown): void {
  if (socket.destroyed) return;
  const reqId = requestIdOf(request.headers);
  const { status, headers, body } = errorAnswer(error, { url: pathOf(request), log: server.log.child({ reqId }) });
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(text)}`,
    `x-request-id: ${reqId}`,
    "cache-control: no-store",
    "connection: close",
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${text}`);
}

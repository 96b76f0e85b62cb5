// Server-sent events: `GET /v1/inbox/stream`. Every event has an id with which the client resumes (Last-Event-ID).
import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Ctx } from "../../context.ts";
import { networkOf } from "../../lib/networks/addresses.ts";
import type { Port } from "../../pipeline/live/connections.ts";
import type { Hub } from "../../pipeline/live/hub.ts";
import { allowReading, refuseOrigin } from "../auth/inbox-cors.ts";
import { bearerOf, requireInboxSession, requireSubscriber } from "../auth/inbox-sessions.ts";
import { toStreamEvent } from "./payloads.ts";

const streamPath = "/v1/inbox/stream";

/** How long a client waits before it connects again; after a restart a random time up to the longest. */
const reconnectMs = 2_000;
const maxReconnectMs = 10_000;

export function addInboxStream(server: FastifyInstance, ctx: Ctx, hub: Hub): void {
  server.route({
    method: "GET",
    url: streamPath,
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      allowReading(request, reply);
      const session = await requireInboxSession(ctx, tokenOf(request));
      refuseOrigin(ctx, session.caller, request.headers.origin);
      await hub.admit();
      await requireSubscriber(ctx, session);
      const { raw } = reply;
      const connection = hub.open({ ...session, network: networkOf(request.ip) }, streamPort(raw));
      reply.hijack();
      raw.on("error", () => connection.end());
      raw.on("close", () => connection.end());
      // The client has gone while it waited for its turn.
      if (raw.destroyed) return connection.end();
      raw.writeHead(200, {
        // Those of CORS among them.
        ...(reply.getHeaders() as OutgoingHttpHeaders),
        "content-type": "text/event-stream; charset=utf-8",
        // nginx would keep back the events until its buffer is full.
        "x-accel-buffering": "no",
      });
      raw.write(`retry: ${reconnectMs}\n\n`);
      const last = request.headers["last-event-id"];
      connection.start(typeof last === "string" ? last : undefined);
    },
  });
}

/** EventSource of browsers cannot set headers, so the token may be in the query. */
const tokenOf = ({ headers, query }: FastifyRequest): string | undefined => {
  const { token } = query as { token?: unknown };
  return bearerOf(headers.authorization) ?? (typeof token === "string" ? token : undefined);
};

function streamPort(raw: ServerResponse): Port {
  return {
    door: "sse",
    send(event) {
      const { name, data } = toStreamEvent(event);
      raw.write(`event: ${name}\nid: ${event.token()}\ndata: ${JSON.stringify(data)}\n\n`);
    },
    bufferedBytes: () => raw.writableLength,
    beat() {
      raw.write(": heartbeat\n\n");
      return true;
    },
    close(reason) {
      if (reason === "slow") return void raw.destroy();
      if (reason === "restart")
        raw.write(`retry: ${reconnectMs + Math.floor(Math.random() * (maxReconnectMs - reconnectMs))}\n\n`);
      raw.end();
    },
  };
}

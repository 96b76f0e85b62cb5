// Server-sent events: `GET /v1/activity/stream`, new and changed events of an environment, for API keys and for members
// who may read the list of events.
import type { OutgoingHttpHeaders } from "node:http";
import { operations } from "@tidings/contract";
import type { FastifyInstance } from "fastify";
import { type ActivityChange, createActivityWatch } from "../../app/events/activity-watch.ts";
import type { NetworkCtx } from "../../context.ts";
import { failure } from "../../failure.ts";
import type { WrongKeyLimiter } from "../auth/api-keys.ts";
import { identifyCaller } from "../auth/caller.ts";

const activityStreamPath = "/v1/activity/stream";

const listEvents = operations["activity.listEvents"];

/** Streams of one process, and of one environment. */
const maxStreams = 200;
const maxPerEnvironment = 20;
const beatMs = 25_000;
/** A client that does not read is disconnected; it reads the list when it connects again. */
const maxBufferedBytes = 1_000_000;

/** Calls the function when a session has ended, a member was removed or has another role, or an API key has changed. */
export type WatchCallers = (recheck: () => void) => void;

export function addActivityStream(
  server: FastifyInstance,
  ctx: NetworkCtx,
  { wrongKeys, watchCallers }: { wrongKeys: WrongKeyLimiter; watchCallers: WatchCallers },
): void {
  const watch = createActivityWatch(ctx);
  const rechecks = new Set<() => void>();
  watchCallers(() => {
    for (const recheck of rechecks) recheck();
  });
  const open = new Map<() => void, string>();
  server.addHook("preClose", async () => {
    for (const end of [...open.keys()]) end();
    await watch.close();
  });

  server.route({
    method: "GET",
    url: activityStreamPath,
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const caller = await identifyCaller(ctx, wrongKeys, listEvents, request, reply);
      refuseTooMany([...open.values()], caller.environmentId);
      const { raw } = reply;
      reply.hijack();
      raw.writeHead(200, {
        ...(reply.getHeaders() as OutgoingHttpHeaders),
        "content-type": "text/event-stream; charset=utf-8",
        // nginx would keep back the events until its buffer is full.
        "x-accel-buffering": "no",
      });
      raw.write("retry: 2000\n\nevent: ready\ndata: {}\n\n");
      const send = (change: ActivityChange) => {
        if (raw.writableLength > maxBufferedBytes) return void raw.destroy();
        raw.write(`event: activity\ndata: ${JSON.stringify(change)}\n\n`);
      };
      const stop = watch.watch(caller.environmentId, send);
      // The key may have been revoked or have expired since, or the member signed out; a stream is as valid as the
      // request that opened it.
      const recheck = () =>
        void identifyCaller(ctx, wrongKeys, listEvents, request, reply).then(
          () => void raw.write(": heartbeat\n\n"),
          () => end(),
        );
      const beat = setInterval(recheck, beatMs).unref();
      rechecks.add(recheck);
      const end = () => {
        clearInterval(beat);
        rechecks.delete(recheck);
        stop();
        if (!open.delete(end)) return;
        ctx.metrics.liveConnections.dec({ door: "activity" });
        raw.end();
      };
      open.set(end, caller.environmentId);
      ctx.metrics.liveConnections.inc({ door: "activity" });
      raw.on("error", end);
      raw.on("close", end);
      if (raw.destroyed) end();
    },
  });
}

function refuseTooMany(environmentIds: string[], environmentId: string): void {
  const own = environmentIds.filter((id) => id === environmentId).length;
  if (environmentIds.length < maxStreams && own < maxPerEnvironment) return;
  const message = `This process has as many streams of activity as it may have (${maxPerEnvironment} of an environment)`;
  throw failure("UNAVAILABLE", {}, { message, headers: { "retry-after": "10" } });
}

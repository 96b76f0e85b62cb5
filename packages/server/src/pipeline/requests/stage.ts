// The stage `request`: makes the HTTP requests of `http_request` steps. What it has in common with other stages that
// ask is in ../asks. The files of this folder: request.ts and prepare.ts (what is sent), call.ts (one call),
// response.ts (what a response means), effect.ts (what follows from a reply), mask.ts (what is shown and stored).
import type { NetworkCtx } from "../../context.ts";
import { pauseIfDue } from "../../lib/load/pauses.ts";
import { addRequestHosts, findRequestHosts } from "../../store/workflows/call-breakers.batch.ts";
import type { Asking, AskSource, Planned } from "../asks/ask.ts";
import { healthOf } from "../asks/health.ts";
import { createAskStage } from "../asks/stage.ts";
import type { Batch } from "../batch.ts";
import { loadDigests } from "../run/digests.ts";
import { loadFacts } from "../run/facts.ts";
import type { Run } from "../run/run.ts";
import { requestDetail } from "../steps/http-request.ts";
import { beginCallSpan } from "../trace/calls.ts";
import { callHost, type RequestReply, refused } from "./call.ts";
import { effectOf } from "./effect.ts";
import { type PreparedCall, requestOf } from "./prepare.ts";
import { assumedReply } from "./response.ts";

const source: AskSource<PreparedCall, RequestReply> = {
  kind: "request",
  breakers: "request_hosts",
  pausedReason: "the host is paused after failures in a row",
  asked: (now) => requestDetail("request_queued", now),
  isRetry: ({ d }) => d === "request_retry",
  retry: (now, raw) => requestDetail("request_retry", now, { raw }),
  plan,
  call,
  outcomeOf: ({ outcome }) => outcome,
  addBreakers: (batch, keys) => addRequestHosts(batch.db, keys, batch.now()),
  effectOf,
};

export const createRequestStage = (ctx: NetworkCtx) => createAskStage(ctx, source);

async function call(ctx: NetworkCtx, { run }: Asking, { request, secretValues }: PreparedCall): Promise<RequestReply> {
  const { method, url } = request;
  const { traced, end } = beginCallSpan(ctx, run.event.trace, { name: `${method} http_request`, url, method });
  const reply = await callHost(
    ctx.requestHttp,
    { ...request, headers: { ...traced, ...request.headers } },
    secretValues,
  );
  const { kind } = reply.outcome;
  end(reply.response?.status ?? null, kind === "accepted" ? undefined : kind);
  ctx.metrics.attempts.inc({ provider: "http_request", outcome: kind });
  return reply;
}

async function plan(batch: Batch, runs: Run[], asking: Asking[]): Promise<Planned<PreparedCall, RequestReply>[]> {
  const facts = await loadFacts(batch, runs, new Map(), { digests: await loadDigests(batch, runs) });
  const read: { one: Asking; request: PreparedCall | { fault: string } | null }[] = [];
  for (const one of asking) {
    await pauseIfDue();
    const { environmentId } = one.run;
    const isSimulated = batch.clock.isStopped(environmentId);
    const now = batch.clock.now(environmentId);
    const request = requestOf(one.run, one.job, facts, now);
    read.push({ one, request: "fault" in request || !isSimulated ? request : null });
  }
  const keys = read.flatMap(({ one: { run }, request }) =>
    request && "request" in request ? { environment_id: run.environmentId, url: originOf(request) } : [],
  );
  const found = await findRequestHosts(batch.db, keys);
  const hosts = new Map(found.map((host) => [`${host.environment_id} ${host.url}`, host]));
  return read.map(({ one, request }): Planned<PreparedCall, RequestReply> => {
    // On a test clock time does not pass, and other programs would not wait for it: no request is sent.
    if (request === null) return { ...one, reply: assumedReply(one.job.step.controlValues) };
    if ("fault" in request) return { ...one, reply: refused(request.fault) };
    const url = originOf(request);
    return {
      ...one,
      target: { url, health: healthOf(hosts.get(`${one.run.environmentId} ${url}`)) },
      call: () => request,
    };
  });
}

const originOf = ({ request }: PreparedCall): string => new URL(request.url).origin;

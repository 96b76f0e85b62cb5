// The stage `bridge`: asks the customer's code for the content of a step. What it has in common with other stages that
// ask is in ../asks. The files of this folder: request.ts (what is sent), call.ts (one signed call), response.ts (what
// a response means), retry.ts (when the bridge is asked again), effect.ts (what follows from a reply).
import type { NetworkCtx } from "../../context.ts";
import { findBridgesOfRuns } from "../../store/workflows/bridges.batch.ts";
import type { Asking, AskSource, Planned } from "../asks/ask.ts";
import { healthOf } from "../asks/health.ts";
import { createAskStage } from "../asks/stage.ts";
import type { Batch } from "../batch.ts";
import { detail } from "../rules/details.ts";
import { loadDigests } from "../run/digests.ts";
import { loadFacts } from "../run/facts.ts";
import type { Run } from "../run/run.ts";
import { beginCallSpan } from "../trace/calls.ts";
import { type BridgeReply, callBridge } from "./call.ts";
import { effectOf } from "./effect.ts";
import { type StepRequest, stepRequest } from "./request.ts";
import { isTooLate } from "./retry.ts";

type BridgeCall = { url: string; key: string; workflowId: string; request: StepRequest };

const source: AskSource<BridgeCall, BridgeReply> = {
  kind: "bridge",
  breakers: "bridges",
  pausedReason: "the bridge is paused after failures in a row",
  asked: (now) => detail("bridge_asked", now),
  isRetry: ({ d }) => d === "bridge_retry",
  retry: (now, raw) => detail("bridge_retry", now, { raw }),
  plan,
  call,
  outcomeOf,
  effectOf,
};

export const createBridgeStage = (ctx: NetworkCtx) => createAskStage(ctx, source);

async function call(ctx: NetworkCtx, { run, job }: Asking, { url, key, workflowId, request }: BridgeCall) {
  const query = { action: "execute", workflowId, stepId: job.step.stepId } as const;
  const { traced, end } = beginCallSpan(ctx, run.event.trace, { name: "POST bridge", url });
  const reply = await callBridge(ctx.webhookHttp, { url, key, query, body: request, now: ctx.now(), traced });
  end(null, reply.kind === "answered" ? undefined : reply.kind);
  ctx.metrics.attempts.inc({ provider: "bridge", outcome: reply.kind });
  return reply;
}

async function plan(batch: Batch, runs: Run[], asking: Asking[]): Promise<Planned<BridgeCall, BridgeReply>[]> {
  const bridges = await findBridgesOfRuns(
    batch.db,
    asking.map(({ run: { environmentId, notificationId, version, event } }) => ({
      environment_id: environmentId,
      id: notificationId,
      workflow_id: version.workflowId,
      event_url: event.bridgeUrl,
    })),
  );
  const bridgeOf = new Map(bridges.map((bridge) => [bridge.id, bridge]));
  const facts = await loadFacts(batch, runs, new Map(), { digests: await loadDigests(batch, runs) });
  return asking.map((one) => {
    const { run, job } = one;
    const refused = (reason: string) => ({ ...one, reply: { kind: "refused", reason } as const });
    const { url = null, secret = null, ...breaker } = bridgeOf.get(run.notificationId) ?? {};
    if (url === null) return refused("the workflow no longer has a bridge");
    if (secret === null) return refused("the environment has no key to sign with");
    if (job.bridge && isTooLate(job.bridge.askedAt, batch.clock.now(run.environmentId).getTime())) {
      return refused(`it did not respond in time${job.bridge.error ? `; ${job.bridge.error}` : ""}`);
    }
    const { workflowId } = run.version.definition;
    return {
      ...one,
      target: { url, health: healthOf(breaker) },
      call: () => ({ url, key: batch.secrets.decrypt(secret), workflowId, request: stepRequest(run, job, facts) }),
    };
  });
}

/** A bridge that refuses, or whose code fails, is up. */
function outcomeOf(reply: BridgeReply) {
  if (reply.kind === "unavailable") return { kind: "retry", reason: reply.reason } as const;
  if (reply.kind === "answered") return { kind: "accepted" } as const;
  return { kind: "rejected", class: "config", reason: reply.reason } as const;
}

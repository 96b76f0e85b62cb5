// One step of a workflow that is defined in code, as its bridge returns it outside a run. `preview`: missing parts of
// the payload and missing results of earlier steps are made up from their schemas, and the code is not asked whether it
// skips the step. `execute`: as in a run.
import type { Caller, NetworkCtx } from "../../context.ts";
import { callBridge } from "../../pipeline/bridge/call.ts";
import type { StepRequest } from "../../pipeline/bridge/request.ts";
import { readAnswer } from "../../pipeline/bridge/response.ts";
import type { BridgeAnswer } from "../../store/tables.ts";
import { findBridgeKey } from "../../store/workflows/bridges.ts";

type AskedStep = {
  action: "execute" | "preview";
  url: string;
  workflowId: string;
  stepId: string;
  request: StepRequest;
};

export async function askStep(
  ctx: NetworkCtx,
  { environmentId }: Caller,
  { action, url, workflowId, stepId, request }: AskedStep,
): Promise<BridgeAnswer | { fault: string }> {
  const secret = await findBridgeKey(ctx.reads.db, environmentId, url);
  if (secret === undefined) return { fault: "the environment has no key to sign with" };
  const query = { action, workflowId, stepId };
  const key = ctx.secrets.decrypt(secret);
  const reply = await callBridge(ctx.webhookHttp, { url, key, query, body: request, now: ctx.now() });
  return reply.kind === "answered" ? readAnswer(reply.body) : { fault: reply.reason };
}

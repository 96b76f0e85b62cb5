// The request to try an integration that kept failing at once, instead of at the time of its next probe.
import type { Input, Output } from "@tidings/contract";
import { findProvider } from "@tidings/providers";
import type { Caller, Ctx, NetworkCtx } from "../../context.ts";
import { enqueueReleases } from "../../pipeline/deliver/release.ts";
import { callCost } from "../../pipeline/tasks.ts";
import { closeCircuit, makeProbeDue, recordFailedCheck } from "../../store/integrations/health.ts";
import { findHealth, lockIntegrations } from "../../store/integrations/integrations.ts";
import { countHeld } from "../../store/queue/held.ts";
import { unseal } from "./credentials.ts";
import { type CheckFault, checkWithProvider } from "./integration-checks.ts";
import { loadHealth } from "./integration-health.ts";
import { requireIntegration, toIntegration } from "./integrations.ts";

/** What the check of "try now" found out; null when there was none. */
type Tried = { fault: CheckFault | null } | null;

/** With no message that could be the probe, the provider is asked about the credentials instead, where it can be. */
export async function tryCheck(
  ctx: NetworkCtx,
  caller: Caller,
  { params }: Input<"integrations.tryNow">,
): Promise<Tried> {
  const row = await requireIntegration(ctx, caller, params.integrationId);
  const health = await findHealth(ctx.db, caller.environmentId, row.id);
  if (!row.active || !findProvider(row.provider_id)?.hasCheck) return null;
  if (!health || (health.state === "closed" && health.failing_since === null)) return null;
  const held = health.state === "closed" ? [] : await countHeld(ctx.db, caller.environmentId, [row.id], 1);
  if (held.length > 0) return null;
  const credentials = unseal(ctx.secrets, row.credentials);
  return { fault: await checkWithProvider(ctx, caller, row.provider_id, credentials) };
}

/** Messages that are woken for a probe: the first may be one that is no longer wanted. */
const probeMessages = 3;

export async function tryNow(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"integrations.tryNow">,
  tried: Tried,
): Promise<Output<"integrations.tryNow">> {
  const { environmentId } = caller;
  await lockIntegrations(ctx.db, environmentId);
  const row = await requireIntegration(ctx, caller, params.integrationId);
  if (tried?.fault)
    await recordFailedCheck(ctx.db, environmentId, { integrationId: row.id, error: tried.fault, now: ctx.now() });
  else if (tried) {
    await closeCircuit(ctx.db, environmentId, { integrationId: row.id, cause: "answered", now: ctx.now() });
    await enqueueReleases(ctx, [{ environmentId, id: row.id }]);
  } else {
    await makeProbeDue(ctx.db, environmentId, row.id, ctx.now());
    const held = { integrationIds: [row.id], limit: probeMessages, spreadMs: 0, cost: callCost };
    await ctx.queue.wakeHeld(ctx.db, environmentId, held);
  }
  return toIntegration(ctx, caller, row, (await loadHealth(ctx, caller, [row.id])).get(row.id));
}

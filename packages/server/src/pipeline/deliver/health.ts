// Records the results of calls in the circuit breakers of their integrations (breaker.ts). Most calls change nothing: the
// breaker of an integration without failures, before and now, is not even locked.
import type { Ctx } from "../../context.ts";
import { findHealthOfBatch, lockHealth, updateHealth } from "../../store/integrations/breakers.batch.ts";
import type { HealthRow, IntegrationRow } from "../../store/integrations/integrations.ts";
import { afterCall, type BreakerCall, type Health, isLocalFault, isProviderFailure } from "./breaker.ts";

export const toHealth = (row: HealthRow): Health => ({
  state: row.state,
  failures: row.failures,
  probes: row.probes,
  openedAt: row.opened_at,
  nextProbeAt: row.next_probe_at,
});

type IntegrationCall = BreakerCall & { integration: IntegrationRow };

export async function recordHealth(ctx: Ctx, calls: IntegrationCall[]): Promise<void> {
  const now = ctx.now();
  const relevant = calls.filter(({ outcome, isProbe }) => isProbe || !isLocalFault(outcome));
  const byIntegration = Map.groupBy(relevant, ({ integration }) => integration.id);
  const known = await findHealthOfBatch(ctx.db, [...byIntegration.keys()]);
  const failing = new Set(
    known.flatMap((row) => (row.failures > 0 || row.state !== "closed" ? row.integration_id : [])),
  );
  const changing = [...byIntegration.values()].flatMap((own) => {
    const { integration } = own[0]!;
    return failing.has(integration.id) || own.some(({ outcome }) => isProviderFailure(outcome)) ? integration : [];
  });
  if (changing.length === 0) return;
  const rows = await lockHealth(ctx.db, changing, now);
  const updated = rows.map((row): HealthRow => {
    const own = byIntegration.get(row.integration_id)!;
    const before = toHealth(row);
    const after = own.reduce((health, call) => afterCall(health, call, now, ctx.config.delivery.breaker), before);
    logChange(ctx, own[0]!.integration, before, after);
    return {
      ...row,
      state: after.state,
      failures: after.failures,
      probes: after.probes,
      opened_at: after.openedAt,
      next_probe_at: after.nextProbeAt,
      updated_at: now,
    };
  });
  await updateHealth(ctx.db, updated);
}

function logChange(ctx: Ctx, integration: IntegrationRow, before: Health, after: Health): void {
  const facts = { integration: integration.identifier, environmentId: integration.environment_id };
  if (before.state === "closed" && after.state === "open") {
    ctx.metrics.circuitsOpened.inc({ provider: integration.provider_id });
    ctx.log.warn({ ...facts, failures: after.failures }, "circuit breaker opened: the integration is only probed");
  } else if (before.state !== "closed" && after.state === "closed") {
    ctx.log.info(facts, "circuit breaker closed: the integration answers again");
  }
}

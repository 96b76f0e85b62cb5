// What calls to providers say about the health of their integrations, written when their results are. Most calls change
// nothing: an integration that had no trouble and has none is not even locked.
import type { Ctx } from "../../context.ts";
import { findHealthOfBatch, lockHealth, updateHealth } from "../../store/integrations/breakers.batch.ts";
import type { HealthRow, IntegrationRow } from "../../store/integrations/integrations.ts";
import { afterCall, type Call, type Health, isTrouble, isUnasked } from "./breaker.ts";

export const toHealth = (row: HealthRow): Health => ({
  state: row.state,
  failures: row.failures,
  probes: row.probes,
  openedAt: row.opened_at,
  nextProbeAt: row.next_probe_at,
});

type Sent = Call & { integration: IntegrationRow };

export async function recordHealth(ctx: Ctx, sent: Sent[]): Promise<void> {
  const now = ctx.now();
  const telling = sent.filter(({ outcome, isProbe }) => isProbe || !isUnasked(outcome));
  const byIntegration = Map.groupBy(telling, ({ integration }) => integration.id);
  const known = await findHealthOfBatch(ctx.db, [...byIntegration.keys()]);
  const unwell = new Set(
    known.flatMap((row) => (row.failures > 0 || row.state !== "closed" ? row.integration_id : [])),
  );
  const concerned = [...byIntegration.values()].flatMap((own) => {
    const { integration } = own[0]!;
    return unwell.has(integration.id) || own.some(({ outcome }) => isTrouble(outcome)) ? integration : [];
  });
  if (concerned.length === 0) return;
  const rows = await lockHealth(ctx.db, concerned, now);
  const changed = rows.map((row): HealthRow => {
    const own = byIntegration.get(row.integration_id)!;
    const before = toHealth(row);
    const after = own.reduce((health, call) => afterCall(health, call, now, ctx.config.delivery.breaker), before);
    report(ctx, own[0]!.integration, before, after);
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
  await updateHealth(ctx.db, changed);
}

function report(ctx: Ctx, integration: IntegrationRow, before: Health, after: Health): void {
  const facts = { integration: integration.identifier, environmentId: integration.environment_id };
  if (before.state === "closed" && after.state === "open") {
    ctx.metrics.circuitsOpened.inc({ provider: integration.provider_id });
    ctx.log.warn({ ...facts, failures: after.failures }, "an integration keeps failing and is only probed from now on");
  } else if (before.state !== "closed" && after.state === "closed") {
    ctx.log.info(facts, "an integration answers again");
  }
}

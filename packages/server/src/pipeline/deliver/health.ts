// Records the results of calls in the health of their integrations: the circuit breaker (breaker.ts), the last error
// and the last success. Most calls change nothing: the row of an integration that works is written once a minute, and
// not even locked otherwise.
import type { Outcome } from "@tidings/providers";
import type { Ctx } from "../../context.ts";
import { findHealthOfBatch, lockHealth, updateHealth } from "../../store/integrations/breakers.batch.ts";
import type { HealthRow, IntegrationRow } from "../../store/integrations/integrations.ts";
import type { IntegrationErrorClass } from "../../store/tables.ts";
import { afterCall, type BreakerCall, type Health, isLocalFault, isProviderFailure } from "./breaker.ts";
import { enqueueReleases } from "./release.ts";

export const toHealth = (row: HealthRow): Health => ({
  state: row.state,
  failures: row.failures,
  probes: row.probes,
  openedAt: row.opened_at,
  nextProbeAt: row.next_probe_at,
});

type IntegrationCall = BreakerCall & { integration: IntegrationRow };

type IntegrationError = { text: string; class: IntegrationErrorClass };

/** A success, or an error of the same kind, is not written again for so long. */
const successPauseMs = 60_000;
const errorPauseMs = 10_000;

/** Null: the provider responded successfully, even when it refused the recipient or the content. */
function errorOf(outcome: Outcome): IntegrationError | null {
  if (outcome.kind === "retry") return { text: outcome.reason, class: "transient" };
  if (outcome.kind === "unknown") return { text: outcome.reason, class: "unknown" };
  if (outcome.kind !== "rejected" || outcome.class === "recipient" || outcome.class === "content") return null;
  return { text: outcome.reason, class: outcome.class };
}

type Row = HealthRow | undefined;
const timeOf = (date: Date | null | undefined): number => date?.getTime() ?? Number.NEGATIVE_INFINITY;

/** Its last call failed, and none has succeeded since. */
const isAfterError = (row: Row): boolean => timeOf(row?.last_error_at) > timeOf(row?.last_success_at);

/** Whether a call changes what is stored of its integration. */
function isWorthWriting(row: Row, outcome: Outcome, now: Date): boolean {
  if (row && (row.failures > 0 || row.state !== "closed")) return true;
  if (isProviderFailure(outcome)) return true;
  const error = errorOf(outcome);
  if (!error) return isAfterError(row) || now.getTime() - timeOf(row?.last_success_at) > successPauseMs;
  const isSame = isAfterError(row) && row?.last_error_class === error.class;
  return !isSame || now.getTime() - timeOf(row?.last_error_at) > errorPauseMs;
}

/** What the row says after a call. */
function afterOutcome(row: HealthRow, error: IntegrationError | null, now: Date): HealthRow {
  if (!error) return { ...row, failing_since: null, last_success_at: now };
  return {
    ...row,
    failing_since: row.failing_since ?? now,
    last_error: error.text,
    last_error_class: error.class,
    last_error_at: now,
  };
}

export async function recordHealth(ctx: Ctx, calls: IntegrationCall[]): Promise<void> {
  const now = ctx.now();
  const relevant = calls.filter(({ outcome, isProbe }) => isProbe || !isLocalFault(outcome));
  const byIntegration = Map.groupBy(relevant, ({ integration }) => integration.id);
  const known = new Map(
    (await findHealthOfBatch(ctx.db, [...byIntegration.keys()])).map((row) => [row.integration_id, row]),
  );
  const changing = [...byIntegration.values()].flatMap((own) => {
    const { integration } = own[0]!;
    return own.some(({ outcome }) => isWorthWriting(known.get(integration.id), outcome, now)) ? integration : [];
  });
  if (changing.length === 0) return;
  const rows = await lockHealth(ctx.db, changing, now);
  const updated = rows.map((row) => {
    const own = byIntegration.get(row.integration_id)!;
    const after = own.reduce((health, call) => afterOne(ctx, health, call, now), row);
    logChange(ctx, own[0]!.integration, row, after);
    return { before: row, after: { ...after, updated_at: now } };
  });
  await updateHealth(
    ctx.db,
    updated.map(({ after }) => after),
  );
  const closed = updated.filter(({ before, after }) => before.state !== "closed" && after.state === "closed");
  await enqueueReleases(
    ctx,
    closed.map(({ after }) => ({ environmentId: after.environment_id, id: after.integration_id })),
  );
}

function afterOne({ config }: Ctx, row: HealthRow, call: BreakerCall, now: Date): HealthRow {
  const { state, failures, probes, openedAt, nextProbeAt } = afterCall(
    toHealth(row),
    call,
    now,
    config.delivery.breaker,
  );
  const next = { ...row, state, failures, probes, opened_at: openedAt, next_probe_at: nextProbeAt };
  return isLocalFault(call.outcome) ? next : afterOutcome(next, errorOf(call.outcome), now);
}

function logChange(ctx: Ctx, integration: IntegrationRow, before: HealthRow, after: HealthRow): void {
  const facts = { integration: integration.identifier, environmentId: integration.environment_id };
  if (before.state === "closed" && after.state === "open") {
    ctx.metrics.circuitsOpened.inc({ provider: integration.provider_id });
    ctx.log.warn(
      { ...facts, failures: after.failures, error: after.last_error },
      "circuit breaker opened: the integration is only probed",
    );
  } else if (before.state !== "closed" && after.state === "closed") {
    ctx.log.info(facts, "circuit breaker closed: the integration responds again, and waiting messages are sent");
  }
}

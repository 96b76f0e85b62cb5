// How an integration is doing, in words for people: its circuit breaker, its last error, and what waits for it.
import type { IntegrationHealth, Output } from "@tidings/contract";
import { findConnectionFault, summarizeError } from "@tidings/providers";
import type { Caller, Ctx } from "../../context.ts";
import { timeOfId } from "../../lib/ids.ts";
import { findHealth, type HealthRow, listHealth, listIntegrations } from "../../store/integrations/integrations.ts";
import { countHeld, type HeldCount } from "../../store/queue/held.ts";

/** Waiting messages that are counted for an environment. */
export const maxHeldCounted = 100_000;

export type HealthFacts = { row?: HealthRow; held?: HeldCount };

/** The health of these integrations, by id. */
export async function loadHealth(
  ctx: Ctx,
  { environmentId }: Pick<Caller, "environmentId">,
  integrationIds: readonly string[],
): Promise<Map<string, HealthFacts>> {
  const [only] = integrationIds;
  const rows =
    integrationIds.length === 1
      ? [await findHealth(ctx.db, environmentId, only!)]
      : await listHealth(ctx.db, environmentId);
  const held = await countHeld(ctx.db, environmentId, integrationIds, maxHeldCounted);
  const facts = new Map<string, HealthFacts>(integrationIds.map((id) => [id, {}]));
  for (const row of rows) if (row && facts.has(row.integration_id)) facts.get(row.integration_id)!.row = row;
  for (const count of held) facts.get(count.integration_id)!.held = count;
  return facts;
}

const oldestOf = (held: HeldCount | undefined): string | undefined =>
  held && new Date(timeOfId(held.oldest)).toISOString();

type Waiting = Output<"system.retrieve">["environment"]["waiting"];

/**
 * The integrations that messages wait for, the most first. One that responds again is among them until all are sent.
 */
export async function listWaiting(ctx: Ctx, environmentId: string): Promise<Waiting> {
  const integrations = new Map((await listIntegrations(ctx.db, environmentId)).map((one) => [one.id, one]));
  const held = await countHeld(ctx.db, environmentId, [...integrations.keys()], maxHeldCounted);
  if (held.length === 0) return [];
  const states = new Map((await listHealth(ctx.db, environmentId)).map((row) => [row.integration_id, row.state]));
  return held
    .map(({ integration_id: integrationId, count, oldest }) => ({
      integrationId,
      name: integrations.get(integrationId)!.name,
      channel: integrations.get(integrationId)!.channel,
      state: states.get(integrationId) ?? "closed",
      count,
      oldestAt: new Date(timeOfId(oldest)).toISOString(),
    }))
    .sort((a, b) => b.count - a.count);
}

export function toLastError(
  row: Pick<HealthRow, "last_error" | "last_error_class" | "last_error_at"> | undefined,
): IntegrationHealth["lastError"] {
  if (!row?.last_error || !row.last_error_at) return undefined;
  const { last_error: message, last_error_class, last_error_at: at } = row;
  const errorClass = last_error_class ?? "transient";
  const cause = findConnectionFault(message)?.cause ?? (errorClass === "unknown" ? "unknown" : undefined);
  return { message, summary: summarizeError(message, errorClass), class: errorClass, cause, at: at.toISOString() };
}

export const toHealthView = ({ row, held }: HealthFacts): IntegrationHealth => ({
  state: row?.state ?? "closed",
  failures: row?.failures ?? 0,
  openedAt: row?.opened_at?.toISOString(),
  nextProbeAt: row?.next_probe_at?.toISOString(),
  failingSince: row?.failing_since?.toISOString(),
  lastError: toLastError(row),
  lastSuccessAt: row?.last_success_at?.toISOString(),
  waiting: held?.count ?? 0,
  oldestWaitingAt: oldestOf(held),
});

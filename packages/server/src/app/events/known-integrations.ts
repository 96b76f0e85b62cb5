// The integrations that execution details name, for sentences about deliveries that wait or failed.
import type { Ctx } from "../../context.ts";
import { integrationIdsIn, type KnownIntegration, type KnownIntegrations } from "../../pipeline/rules/delivery-text.ts";
import type { JobRow } from "../../store/events/jobs.ts";
import { findIntegrationStates, type IntegrationState } from "../../store/integrations/integration-states.ts";

/** One statement for all of the jobs, and none where no delivery waits or failed. */
export async function findKnownIntegrations(
  { db }: Ctx,
  environmentId: string,
  jobs: readonly Pick<JobRow, "details">[],
): Promise<KnownIntegrations> {
  const ids = new Set(jobs.flatMap(({ details }) => integrationIdsIn(details)));
  const states = await findIntegrationStates(db, environmentId, [...ids]);
  return new Map(states.map((state) => [state.id, toKnown(state)]));
}

function toKnown({ name, health }: IntegrationState): KnownIntegration {
  if (!health || health.state === "closed") return { name };
  return {
    name,
    openedAt: isoTime(health.opened_at),
    nextTryAt: isoTime(health.next_probe_at),
    lastError: health.last_error ?? undefined,
  };
}

const isoTime = (time: string | null): string | undefined => (time === null ? undefined : new Date(time).toISOString());

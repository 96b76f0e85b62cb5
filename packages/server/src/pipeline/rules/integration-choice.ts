// Which integration sends: the primary first, then the other active ones in order of priority. The list goes on as
// failover. Integrations with conditions are left out until conditions are evaluated.
import type { Channel } from "@tidings/contract";
import type { IntegrationRow } from "../../store/integrations.ts";

/** In order of delivery; `integrations` comes from the store in that order. */
export const candidatesFor = (
  integrations: IntegrationRow[],
  environmentId: string,
  channel: Channel,
): IntegrationRow[] =>
  integrations.filter(
    (integration) =>
      integration.environment_id === environmentId &&
      integration.channel === channel &&
      integration.conditions.length === 0,
  );

/** The one to try after those that failed, or null when all did. */
export const nextCandidate = (candidates: IntegrationRow[], failed: ReadonlySet<string>): IntegrationRow | null =>
  candidates.find((integration) => !failed.has(integration.id)) ?? null;

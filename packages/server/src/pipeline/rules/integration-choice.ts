// Which integration sends. Email and SMS: the integration that the event names, then those whose conditions pass, then
// the primary and the other unconditional ones in order of priority; the rest of the list is the failover order. Chat
// and push use every integration that has an address of the subscriber (rules/subscriber-channels.ts).
import type { Channel } from "@tidings/contract";
import type { IntegrationRow } from "../../store/integrations/integrations.ts";
import { type FilterScope, passesFilters, renderFilters } from "./step-filters.ts";

/**
 * The integrations to try, in order; `integrations` are the active ones, as the store orders them. `scopeOf` is called
 * only when an integration has conditions; without it such integrations are left out. Empty when there is no
 * integration, or when the `named` one is not among them: then no other is used instead.
 */
export function candidatesFor(
  integrations: readonly IntegrationRow[],
  environmentId: string,
  channel: Channel,
  { scopeOf, named }: { scopeOf?: () => FilterScope; named?: string } = {},
): IntegrationRow[] {
  const active = integrations.filter((one) => one.environment_id === environmentId && one.channel === channel);
  const hasConditions = (one: IntegrationRow) => one.conditions.length > 0;
  const scope = scopeOf && active.some(hasConditions) ? scopeOf() : null;
  const unnamed = [
    ...active.filter(
      (one) => hasConditions(one) && scope && passesFilters(renderFilters(one.conditions, scope), scope),
    ),
    ...active.filter((one) => !hasConditions(one)),
  ];
  if (named === undefined) return unnamed;
  const first = active.find((one) => one.identifier === named);
  return first ? [first, ...unnamed.filter((one) => one !== first)] : [];
}

/** Why this integration is the first candidate, for the details of the job. */
export function reasonFor(integration: IntegrationRow, named: string | undefined): string {
  if (named !== undefined) return "named by the event";
  if (integration.conditions.length > 0) return "its conditions pass";
  return integration.is_primary ? "primary" : "first in order of priority";
}

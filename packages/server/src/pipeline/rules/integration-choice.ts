// Which integration sends. Email and SMS: the one that the event names, then those whose conditions pass, then the primary
// and the other unconditional ones in order of priority; the list goes on as failover. Chat and push use every one that
// reaches the subscriber (rules/contact.ts).
import type { Channel } from "@tidings/contract";
import type { IntegrationRow } from "../../store/integrations/integrations.ts";
import { type FilterScope, passesFilters, renderFilters } from "./step-filters.ts";

/**
 * In order of delivery; `integrations` are the active ones, as the store orders them. Without a scope, integrations with
 * conditions are left out; it is asked for only when there are some. Empty when there is no integration, or when the one that
 * is `named` is not among them: no other one is guessed.
 */
export function candidatesFor(
  integrations: readonly IntegrationRow[],
  environmentId: string,
  channel: Channel,
  scopeOf: (() => FilterScope) | null = null,
  named?: string,
): IntegrationRow[] {
  const active = integrations.filter((one) => one.environment_id === environmentId && one.channel === channel);
  const hasConditions = (one: IntegrationRow) => one.conditions.length > 0;
  const scope = scopeOf && active.some(hasConditions) ? scopeOf() : null;
  const usual = [
    ...active.filter(
      (one) => hasConditions(one) && scope && passesFilters(renderFilters(one.conditions, scope), scope),
    ),
    ...active.filter((one) => !hasConditions(one)),
  ];
  if (named === undefined) return usual;
  const first = active.find((one) => one.identifier === named);
  return first ? [first, ...usual.filter((one) => one !== first)] : [];
}

/** Why the first candidate is the first, for people who read the details of a job. */
export function reasonFor(integration: IntegrationRow, named: string | undefined): string {
  if (named !== undefined) return "named by the event";
  if (integration.conditions.length > 0) return "its conditions pass";
  return integration.is_primary ? "primary" : "first in order of priority";
}

/** The one to try after those that failed, or null when all did. */
export const nextCandidate = (candidates: IntegrationRow[], failed: ReadonlySet<string>): IntegrationRow | null =>
  candidates.find((integration) => !failed.has(integration.id)) ?? null;

// Which level decides whether a channel step runs. Levels, weakest first: the workflow's own definition, then what people
// set in the dashboard. A level that says nothing about a channel leaves the decision to the weaker one; when nobody
// says anything, the channel is enabled.
import type { Channel, WorkflowPreference } from "@tidings/contract";
import type { DetailName } from "./details.ts";

export type PreferenceLevels = { user: WorkflowPreference | null; default: WorkflowPreference };

const verdictOf = (level: WorkflowPreference | null, channel: Channel): boolean | undefined =>
  level?.channels?.[channel]?.enabled ?? level?.all?.enabled;

/** Null when the step may run, otherwise the detail that names the level which said no. */
export function filteredBy(levels: PreferenceLevels, channel: Channel): DetailName | null {
  const user = verdictOf(levels.user, channel);
  if (user !== undefined) return user ? null : "filtered_by_dashboard";
  return verdictOf(levels.default, channel) === false ? "filtered_by_workflow" : null;
}

/** A critical workflow cannot be changed or switched off by subscribers. */
export const isCritical = (levels: PreferenceLevels): boolean =>
  levels.user?.all?.readOnly ?? levels.default.all?.readOnly ?? false;

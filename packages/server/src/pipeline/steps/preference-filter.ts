// The question every channel step asks first: does the subscriber, or the workflow itself, want this channel?
import type { Channel } from "@tidings/contract";
import { detail } from "../rules/details.ts";
import { filteredBy, withChoices } from "../rules/preferences.ts";
import type { StepInput, StepResult } from "../run.ts";

/** Null when the step may run; otherwise its result, with the level that said no. */
export function filteredByPreferences({ run, facts, now }: StepInput, channel: Channel): StepResult | null {
  const { version, contextKeys } = run;
  const chosen = facts.preferences.get(run.subscriber?.id ?? "") ?? [];
  const levels = withChoices(version.definition.preferences, chosen, version.workflowId, contextKeys);
  const filtered = filteredBy(levels, channel);
  return filtered && { kind: "skipped", details: [detail(filtered, now)] };
}

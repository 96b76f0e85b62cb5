// How often a subscriber wants the digest of a workflow: what the workflow offers, and what is refused. How the engine
// uses the choice: pipeline/steps/digest-choice.ts.
import { type DigestFrequency, digestFrequencies, offeredFrequencies } from "@tidings/contract";
import { invalid } from "../../failure.ts";
import { chosenFrequency } from "../../pipeline/rules/preferences.ts";
import type { PreferenceRow, PreferenceWorkflow } from "../../store/subscribers/preferences.ts";

/** What at least one digest step of the workflow offers. */
function offeredBy({ digests }: Pick<PreferenceWorkflow, "digests">): DigestFrequency[] {
  const offered = new Set(digests.flatMap(offeredFrequencies));
  return digestFrequencies.filter((one) => offered.has(one));
}

export type ShownFrequency = { digestFrequency?: DigestFrequency | null; digestFrequencies?: DigestFrequency[] };

/** No members for a workflow that offers nothing. A choice that is no longer offered is not shown. */
export function viewFrequency(
  workflow: PreferenceWorkflow,
  stored: PreferenceRow[],
  contextKeys: string[],
): ShownFrequency {
  const offered = offeredBy(workflow);
  if (offered.length === 0) return {};
  const chosen = chosenFrequency(stored, workflow.id, contextKeys);
  return {
    digestFrequency: chosen !== null && offered.includes(chosen) ? chosen : null,
    digestFrequencies: offered,
  };
}

/** What a form submitted: null for an empty text, undefined for what the workflow does not offer. */
export function readFrequency(
  workflow: PreferenceWorkflow,
  given: string | undefined,
): DigestFrequency | null | undefined {
  return given === "" ? null : offeredBy(workflow).find((one) => one === given);
}

/** Refuses a frequency that the workflow does not offer. A choice can always be removed. */
export function checkFrequency(
  workflow: PreferenceWorkflow | undefined,
  given: DigestFrequency | null | undefined,
  field: string,
): void {
  if (given === undefined) return;
  const refuse = (message: string) => invalid({ [field]: { messages: [`${field} ${message}`], value: given } });
  if (!workflow) throw refuse("needs workflowId: subscribers choose a frequency for one workflow");
  if (given === null) return;
  const offered = offeredBy(workflow);
  if (offered.includes(given)) return;
  const name = workflow.workflow_id;
  throw offered.length === 0
    ? refuse(`cannot be set for the workflow ${name}: none of its digest steps has allowFrequencyChoice`)
    : refuse(`must be one of: ${offered.join(", ")}, because the workflow ${name} offers no others`);
}

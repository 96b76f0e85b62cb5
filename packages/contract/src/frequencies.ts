// How often a subscriber wants the digests of a workflow, where its digest steps let subscribers choose.
import type { JsonObject } from "./schema.ts";

export const digestFrequencies = ["instant", "hourly", "daily", "weekly"] as const;
export type DigestFrequency = (typeof digestFrequencies)[number];

/** The frequencies that a digest step with these control values offers, in their order; none unless it allows it. */
export function offeredFrequencies({ allowFrequencyChoice, frequencies }: JsonObject): DigestFrequency[] {
  if (allowFrequencyChoice !== true) return [];
  return digestFrequencies.filter((one) => !Array.isArray(frequencies) || frequencies.includes(one));
}

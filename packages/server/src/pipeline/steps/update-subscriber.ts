// Update subscriber: sets fields and `data` of the person that the run is for. The change is a claim, because others
// may change the same person at the same moment (effects/subscriber-updates.ts); later steps of the run see the new
// values.
import { withinBudget } from "../../lib/work.ts";
import type { RecipientRow } from "../../store/subscribers/subscribers.ts";
import { readChange } from "../effects/profile-changes.ts";
import { detailOf, entry } from "../rules/details.ts";
import { contentScope } from "../rules/scope.ts";
import type { StepInput, StepResult } from "../run/run.ts";
import type { StepHandler } from "./handler.ts";

const details = {
  subscriber_updated: entry("Subscriber updated", "Success", {
    reason: ({ fields, isTest }, { person, be }) =>
      isTest || be === "is"
        ? `it would change ${namesOf(fields)} of ${person}${isTest ? ", and a test changes nobody" : ""}`
        : `it changed ${namesOf(fields)} of ${person}`,
  }),
  subscriber_unchanged: entry("Subscriber not changed", "Success", {
    reason: (_raw, { person }) => `${person} has these values already`,
  }),
  update_invalid: entry("Subscriber could not be updated", "Failed", { source: "Payload", by: "step" }),
};
const detail = detailOf(details);

export default { run: runUpdate, details } satisfies StepHandler;

/** Names of fields in a sentence, and in the stored detail. */
const maxNamed = 10;
const maxKept = 100;

function namesOf(fields: unknown): string {
  const names = Array.isArray(fields) ? fields : [];
  const more = names.length > maxNamed ? [`${names.length - maxNamed} more`] : [];
  return [...names.slice(0, maxNamed), ...more].join(", ");
}

function runUpdate(input: StepInput): StepResult {
  const { run, job, facts, now } = input;
  const claimed = facts.claimResults.get(job.id);
  switch (claimed?.kind) {
    case "updated": {
      const { fields } = claimed;
      const raw = { fields: fields.slice(0, maxKept), ...(run.version.definition.isTest && { isTest: true }) };
      const changed = fields.length > 0;
      const done = changed ? detail("subscriber_updated", now, { raw }) : detail("subscriber_unchanged", now);
      return { kind: "done", output: { changed }, details: [done] };
    }
    case "refused":
      return { kind: "failed", details: [detail("update_invalid", now, { raw: { reason: claimed.reason } })] };
    default: {
      const changeOf = (stored: RecipientRow) =>
        withinBudget(() =>
          readChange(job.step.controlValues, contentScope({ ...input, run: { ...run, subscriber: stored } })),
        );
      return { kind: "claim", claim: { kind: "update", jobId: job.id, changeOf } };
    }
  }
}

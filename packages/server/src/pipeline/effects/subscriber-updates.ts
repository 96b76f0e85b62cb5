// The changes of subscribers by steps, for a whole batch. The rows are locked before the templates are rendered, so
// changes of the same subscriber follow each other, and one that counts misses nothing. Each is an entry of the audit
// log.
import { pauseIfDue } from "../../lib/load/pauses.ts";
import { insertStepChanges } from "../../store/members/audit-log.ts";
import { lockSubscribersByKeys, type RecipientRow, setProfilesOfMany } from "../../store/subscribers/subscribers.ts";
import type { Batch } from "../batch.ts";
import type { Claim, Run } from "../run/run.ts";
import { changedFields } from "./audited-fields.ts";
import { applyChange, type ChangedField } from "./profile-changes.ts";

export type UpdateClaim = { run: Run; claim: Extract<Claim, { kind: "update" }> };

/** The subscriber after the change, or why it was not changed. */
export type Updated = { row: RecipientRow; changed: ChangedField[] } | { fault: string };

/** By job id. Test versions change nobody. */
export async function updateSubscribers(batch: Batch, updates: UpdateClaim[]): Promise<Map<string, Updated>> {
  const { tests = [], real = [] } = Object.groupBy(updates, ({ run }) =>
    run.version.definition.isTest ? "tests" : "real",
  );
  const results = await previewUpdates(batch, tests);
  for (const [environmentId, own] of Map.groupBy(real, ({ run }) => run.environmentId)) {
    const keys = own.map(({ run }) => run.subscriber!.subscriber_id);
    const locked = await lockSubscribersByKeys(batch.db, environmentId, [...new Set(keys)]);
    const rows = new Map(locked.map((row): [string, RecipientRow] => [row.id, row]));
    const applied = await applyInOrder(own, rows);
    const now = batch.now();
    const changed = own.flatMap((one) => {
      const result = applied.get(one.claim.jobId)!;
      return "fault" in result || result.changed.length === 0 ? [] : [{ ...one, changed: result.changed }];
    });
    const ids = new Set(changed.map(({ run }) => run.subscriber!.id));
    await setProfilesOfMany(batch.db, environmentId, { rows: [...ids].map((id) => rows.get(id)!), now });
    const entries = changed.map((one) => toEntry(batch.newId(), one));
    await insertStepChanges(batch.db, environmentId, { entries, now });
    for (const [jobId, result] of applied) results.set(jobId, result);
  }
  return results;
}

/** For a dry run, and for test versions: what the changes would be, laid over the subscribers of the runs. */
export const previewUpdates = (_batch: Batch, updates: UpdateClaim[]): Promise<Map<string, Updated>> =>
  applyInOrder(updates, new Map(updates.map(({ run }) => [run.subscriber!.id, run.subscriber!])));

/** Changes `rows`. */
async function applyInOrder(updates: UpdateClaim[], rows: Map<string, RecipientRow>): Promise<Map<string, Updated>> {
  const results = new Map<string, Updated>();
  for (const { run, claim } of updates) {
    await pauseIfDue();
    const before = rows.get(run.subscriber!.id);
    const change = before ? claim.changeOf(before) : { fault: "the subscriber was deleted" };
    const result: Updated = "fault" in change ? change : applyChange(before!, change);
    if ("row" in result) rows.set(result.row.id, result.row);
    results.set(claim.jobId, result);
  }
  return results;
}

/** Who changed it is the workflow; `by` among the new values says in which step and event. */
function toEntry(id: string, { run, claim, changed }: UpdateClaim & { changed: ChangedField[] }) {
  const { workflowId, name } = run.version.definition;
  const stepId = run.jobs.find((job) => job.id === claim.jobId)!.step.stepId;
  const pick = (side: "before" | "after") =>
    Object.fromEntries(changed.flatMap((one) => (one[side] === undefined ? [] : [[one.name, one[side]]])));
  const { before, after } = changedFields(pick("before"), pick("after"));
  return {
    id,
    actor: `Workflow ${name}`.slice(0, 300),
    target: run.subscriber!.subscriber_id,
    before,
    after: { ...after, by: { workflowId, stepId, transactionId: run.event.transactionId } },
  };
}

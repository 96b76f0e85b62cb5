// Who of a batch of runs is in the audiences that conditions of their steps name.
import type { Batch } from "../batch.ts";
import { isFinished } from "../run/advance.ts";
import type { Facts, Run } from "../run/run.ts";
import { findMemberships } from "./memberships.ts";
import { audienceIdsOf } from "./tested-audiences.ts";

/** One query for each environment with a run that has such a condition, and none for the others. */
export async function loadAudiences({ db, clock }: Batch, runs: Run[]): Promise<Facts["audiences"]> {
  const testing = runs.filter(
    ({ version, subscriber, jobs }) =>
      audienceIdsOf(version.definition).length > 0 && subscriber && jobs.some((job) => !isFinished(job)),
  );
  const found = new Map<string, string[]>();
  for (const [environmentId, inside] of Map.groupBy(testing, (run) => run.environmentId)) {
    const subscriberIds = [...new Set(inside.map(({ subscriber }) => subscriber!.id))];
    const audienceIds = [...new Set(inside.flatMap(({ version }) => audienceIdsOf(version.definition)))];
    const memberships = await findMemberships(db, environmentId, subscriberIds, audienceIds, clock.now(environmentId));
    for (const [subscriberId, ids] of memberships) found.set(subscriberId, ids);
  }
  return found;
}

// The check of a draft: its state, which is a column of the broadcast, and the people it goes over.
import type { BroadcastCheckItem, BroadcastContent, BroadcastStatus } from "@tidings/contract";
import { type RawBuilder, sql } from "kysely";
import type { Db } from "../db.ts";
import type { RecipientRow } from "../subscribers/subscribers.ts";
import type { WorkflowDefinition } from "../tables.ts";
import type { TriggerTarget } from "../workflows/workflows.ts";

/** People by outcome. `later`: those who get it later, by the reason; they are in an outcome too. */
export type StepTally = {
  stepId: string;
  name: string;
  type: string;
  outcomes: Record<string, number>;
  later: Record<string, number>;
};

/** An error of a template, and how many people it holds up. */
type TemplateFault = { stepId: string; reason: string; people: number };

export type LinkFault = { url: string; problem: string };

/**
 * What is sent, fixed when the check began; `definition` only while it runs. `savedVersionId`: the version of the saved
 * workflow that it has; null for steps written in place.
 */
export type CheckSource = {
  target: TriggerTarget;
  definition: WorkflowDefinition | null;
  savedVersionId: string | null;
};

/**
 * What a check has counted. `id`: of this check; a new one replaces it. `page`: pages that are done. `urls`: links of
 * the first messages; `links`: what they returned.
 */
export type CheckState = {
  id: string;
  status: "running" | "completed" | "failed";
  page: number;
  people: number;
  checked: number;
  after: string | null;
  until: string | null;
  isEveryone: boolean;
  source: CheckSource | null;
  steps: StepTally[];
  faults: TemplateFault[];
  /** `hasAddress`: the service knows its own address, which the link needs. */
  mails: { total: number; withLink: number; hasAddress: boolean };
  urls: string[];
  links: { count: number; faults: LinkFault[] } | null;
  /** What was wrong with the draft from the beginning. */
  items: BroadcastCheckItem[];
  startedAt: string;
  finishedAt: string | null;
};

export type CheckedBroadcast = {
  id: string;
  status: BroadcastStatus;
  content: BroadcastContent;
  audience: { include: string[]; exclude?: string[]; everyone?: boolean };
  revision: number;
  checked: CheckState | null;
  checked_revision: number | null;
};

export async function findCheckedBroadcast(
  db: Db,
  environmentId: string,
  id: string,
): Promise<CheckedBroadcast | undefined> {
  const { rows } = await sql<CheckedBroadcast>`
    select id, status, content, audience, revision, checked, checked_revision from broadcasts
    where environment_id = ${environmentId} and id = ${id}`.execute(db);
  return rows[0];
}

/** Replaces a check that runs: its tasks find another id and end. */
export async function startCheck(
  db: Db,
  environmentId: string,
  id: string,
  { state, revision }: { state: CheckState; revision: number },
): Promise<void> {
  await sql`
    update broadcasts set checked = ${JSON.stringify(state)}::jsonb, checked_revision = ${revision}
    where environment_id = ${environmentId} and id = ${id}`.execute(db);
}

/** False when the check was replaced, or another worker has counted this page. */
export async function saveCheck(
  db: Db,
  environmentId: string,
  id: string,
  { before, after }: { before: Pick<CheckState, "id" | "page">; after: CheckState },
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update broadcasts set checked = ${JSON.stringify(after)}::jsonb
    where environment_id = ${environmentId} and id = ${id} and checked->>'id' = ${before.id}
      and (checked->>'page')::int = ${before.page} and checked->>'status' = 'running'`.execute(db);
  return numAffectedRows > 0n;
}

const columns = sql.raw(
  [
    ...["id", "environment_id", "subscriber_id", "first_name", "last_name", "email", "phone", "avatar", "locale"],
    ...["timezone", "data", "channels", "is_online", "last_online_at"],
  ]
    .map((name) => `s.${name}`)
    .join(", "),
);

type PeopleRange = { isIncluded: RawBuilder<boolean>; after: string | null; until: string; limit: number };

/** The next people, by id. `isIncluded`: over `subscribers s`. */
export async function findPeopleAfter(
  db: Db,
  environmentId: string,
  { isIncluded, after, until, limit }: PeopleRange,
): Promise<RecipientRow[]> {
  const { rows } = await sql<RecipientRow>`
    select ${columns} from subscribers s where s.environment_id = ${environmentId} and s.id <= ${until}
      ${after === null ? sql`` : sql`and s.id > ${after}`} and (${isIncluded})
    order by s.id limit ${limit}`.execute(db);
  return rows;
}

export async function countPeople(db: Db, environmentId: string, isIncluded: RawBuilder<boolean>): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from subscribers s
    where s.environment_id = ${environmentId} and (${isIncluded})`.execute(db);
  return rows[0]!.count;
}

/** Whether a person is left out. */
export async function hasOthers(db: Db, environmentId: string, isIncluded: RawBuilder<boolean>): Promise<boolean> {
  const { rows } = await sql`
    select 1 from subscribers s where s.environment_id = ${environmentId} and (${isIncluded}) is not true
    limit 1`.execute(db);
  return rows.length > 0;
}

/** How many of the newest and of the oldest people a sample is taken from. */
const samplePool = 500;

export async function samplePeople(
  db: Db,
  environmentId: string,
  isIncluded: RawBuilder<boolean>,
  limit: number,
): Promise<RecipientRow[]> {
  const own = sql`select ${columns} from subscribers s where s.environment_id = ${environmentId} and (${isIncluded})`;
  const { rows } = await sql<RecipientRow>`
    select * from (select distinct on (id) * from (
      (${own} order by s.id limit ${samplePool}) union all (${own} order by s.id desc limit ${samplePool})) as pool) as s
    order by md5(id::text) limit ${limit}`.execute(db);
  return rows;
}

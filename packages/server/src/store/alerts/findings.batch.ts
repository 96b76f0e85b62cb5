// What alert rules look for, over all environments at once. Each query takes the rules of one kind and returns rows
// with the rule that they belong to.
import { sql } from "kysely";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import type { HealthRow } from "../integrations/integrations.ts";
import { schema } from "../queue/boss.ts";
import { taskKinds } from "../queue/claims.ts";

/** Findings of one kind that one pass reads: an installation in trouble needs no longer list. */
const maxFindings = 1_000;

type RuleSince = { rule_id: string; environment_id: string; before: Date };

export type FailingIntegration = {
  rule_id: string;
  id: string;
  name: string;
  provider_id: string;
  channel: string;
  failing_since: Date;
} & Pick<HealthRow, "state" | "failures" | "last_error" | "last_error_class">;

/**
 * Active integrations without a success since a rule's `before`: their circuit is not closed, they failed so often in a
 * row, or the provider refuses the credentials.
 */
export async function findFailingIntegrations(
  db: Db,
  rules: RuleSince[],
  minFailures: number,
): Promise<FailingIntegration[]> {
  const { rows } = await sql<FailingIntegration>`
    select r.rule_id, i.id, i.name, i.provider_id, i.channel, h.state, h.failures, h.last_error, h.last_error_class,
      coalesce(h.failing_since, h.opened_at) as failing_since
    from ${rowsOf("r", { rule_id: "uuid", environment_id: "uuid", before: "timestamptz" }, rules)}
    join integrations i on i.environment_id = r.environment_id and i.active and i.deleted_at is null
    join integration_health h on h.integration_id = i.id
    where coalesce(h.failing_since, h.opened_at) <= r.before
      and (h.state <> 'closed' or h.failures >= ${minFailures} or h.last_error_class in ('auth', 'quota', 'config'))
    order by r.rule_id, i.id limit ${maxFindings}`.execute(db);
  return rows;
}

type RuleOfLetters = { rule_id: string; environment_id: string; more_than: number; since: string };

/** With the integration and the class of error that most of them have. */
export type LetterCount = {
  rule_id: string;
  count: number;
  integration_id: string;
  error_class: string;
  error: string;
};

/** Environments with more open dead letters than a rule allows, counted up to 1,000 or just beyond the limit. */
export async function countLettersOfRules(db: Db, rules: RuleOfLetters[]): Promise<LetterCount[]> {
  const shape = { rule_id: "uuid", environment_id: "uuid", more_than: "integer", since: "uuid" };
  const { rows } = await sql<LetterCount>`
    select r.rule_id, g.total as count, g.integration_id, g.error_class, g.error
    from ${rowsOf("r", shape, rules)}
    cross join lateral (
      select integration_id, error_class, max(error_text) as error, (sum(count(*)) over ())::integer as total
      from (
        select integration_id, error_class, error_text from dead_letters d
        where d.environment_id = r.environment_id and d.status = 'open' and d.id >= r.since
        order by d.id desc limit greatest(1000, r.more_than + 1)) as newest
      group by integration_id, error_class order by count(*) desc, integration_id limit 1) as g
    where g.total > r.more_than
    order by r.rule_id limit ${maxFindings}`.execute(db);
  return rows;
}

export type QueueAge = { environment_id: string; kind: string; oldest: Date };

/** The oldest task of each environment that has been due since `before`, from the 5,000 that wait longest. */
export async function findOldTasks(db: Db, before: Date): Promise<QueueAge[]> {
  const jobs = sql.table(`${schema}.job_common`);
  const { rows } = await sql<QueueAge>`
    select distinct on (environment_id) environment_id, kind, oldest from (
      select w.environment_id, k.kind, w.start_after as oldest
      from unnest(${[...taskKinds]}::text[]) as k(kind)
      cross join unnest(array['created', 'retry']::${sql.raw(schema)}.job_state[]) as s(state)
      cross join lateral (
        select singleton_key as environment_id, start_after from ${jobs} j
        where j.name = k.kind and j.state = s.state and (j.state <= 'active') is true and j.start_after <= ${before}
        order by j.start_after limit 5000) as w
      where w.environment_id is not null) as waiting
    order by environment_id, oldest`.execute(db);
  return rows;
}

export type FailingWebhookOfRule = {
  rule_id: string;
  id: string;
  url: string;
  failures: number;
  failing_since: Date | null;
  last_error: string | null;
  disabled_reason: string | null;
};

/** Webhooks without a success since a rule's `before`, and those that the service switched off after `offSince`. */
export async function findFailingWebhooks(
  db: Db,
  rules: RuleSince[],
  { minFailures, offSince }: { minFailures: number; offSince: Date },
): Promise<FailingWebhookOfRule[]> {
  const { rows } = await sql<FailingWebhookOfRule>`
    select r.rule_id, w.id, w.url, w.failures, w.failing_since, w.last_error, w.disabled_reason
    from ${rowsOf("r", { rule_id: "uuid", environment_id: "uuid", before: "timestamptz" }, rules)}
    join webhooks w on w.environment_id = r.environment_id and w.deleted_at is null
    where w.disabled_at > ${offSince}
      or (w.active and w.failing_since <= r.before and w.failures >= ${minFailures})
    order by r.rule_id, w.id limit ${maxFindings}`.execute(db);
  return rows;
}

export type FailingSourceOfRule = {
  rule_id: string;
  id: string;
  name: string;
  failing_since: Date;
  last_error: string | null;
};

/** Sources in use that could not be read since a rule's `before`. */
export async function findFailingSources(db: Db, rules: RuleSince[]): Promise<FailingSourceOfRule[]> {
  const { rows } = await sql<FailingSourceOfRule>`
    select r.rule_id, s.id, s.name, s.failing_since, s.last_error
    from ${rowsOf("r", { rule_id: "uuid", environment_id: "uuid", before: "timestamptz" }, rules)}
    join sources s on s.environment_id = r.environment_id
    where not s.paused and s.failing_since <= r.before
    order by r.rule_id, s.id limit ${maxFindings}`.execute(db);
  return rows;
}

export type ChoreState = { name: string; tries: number; due_at: Date };

/** The chores of housekeeping that failed so often in a row, or have been due since `before`. */
export async function findTroubledChores(
  db: Db,
  { minTries, before }: { minTries: number; before: Date },
): Promise<ChoreState[]> {
  const { rows } = await sql<ChoreState>`
    select data->>'name' as name, retry_count as tries, start_after as due_at
    from ${sql.table(`${schema}.job_common`)}
    where name = 'housekeeping' and (state <= 'active') is true
      and (retry_count >= ${minTries} or (state < 'active' and start_after <= ${before}))
    order by 1 limit ${maxFindings}`.execute(db);
  return rows;
}

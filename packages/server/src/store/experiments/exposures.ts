// Exposures: the runs that passed an experiment, with the variant of their subscriber. Statistics are counted from
// them, from the jobs of their runs, and from signals.
import { channels, experimentFigures } from "@tidings/contract";
import { type Selectable, sql } from "kysely";
import type { Insert } from "../bulk.ts";
import type { Db } from "../db.ts";
import type { Tables } from "../tables.ts";

export type ExposureRow = Selectable<Tables["exposures"]>;

const columns = {
  environment_id: "uuid",
  notification_id: "uuid",
  step_id: "uuid",
  step_index: "smallint",
  subscriber_id: "uuid",
  variant: "text",
  exposed_at: "timestamptz",
};

export const exposureInsert = (rows: ExposureRow[]): Insert => ({ table: "exposures", columns, rows });

/** What is counted. `limit`: how many runs are read, the newest. `captures`: providers that only keep messages. */
export type ExposureRange = {
  stepId: string;
  from: Date;
  to: Date;
  limit: number;
  captures: readonly string[];
  goals: readonly string[];
  goalDays: number;
};

type MessageFigure = (typeof experimentFigures)[number];

export type VariantRow = {
  variant: string;
  people: number;
  /** How many of these people had another variant in a later run. */
  moved: number;
  runs: number;
  /** By figure: how many messages, and how many people have at least one. */
  messages: Record<MessageFigure, number>;
  reached: Record<MessageFigure, number>;
  /** By the name of a goal: how many people reached it. */
  goals: Record<string, number>;
};

const has = (name: string) => sql`j.details @> ${sql.lit(JSON.stringify([{ d: name }]))}::jsonb`;

/** A step that sent, to however many devices, is one message. What a provider reported or a reader did is a detail. */
const conditions: Record<MessageFigure, ReturnType<typeof sql>> = {
  sent: sql`true`,
  delivered: sql`j.type = 'in_app' or ${has("delivered")} or ${has("opened")} or ${has("clicked")}`,
  opened: sql`case when j.type = 'in_app' then ${has("read")} else ${has("opened")} or ${has("clicked")} end`,
  clicked: has("clicked"),
  read: sql`j.type = 'in_app' and ${has("read")}`,
};

const each = (write: (figure: MessageFigure) => ReturnType<typeof sql>) => sql.join(experimentFigures.map(write));
const countsOf = (figure: MessageFigure) => sql`count(*) filter (where ${conditions[figure]}) as ${sql.ref(figure)}`;
const objectOf = (value: (figure: MessageFigure) => ReturnType<typeof sql>) =>
  sql`json_build_object(${sql.join(experimentFigures.map((figure) => sql`${sql.lit(figure)}, ${value(figure)}`))})`;

/**
 * By variant. A person counts in the variant of the first run that is read, with the runs in that variant. Jobs and
 * signals are looked up by key: `offset 0` keeps the planner from joining (store/keys.ts).
 */
export async function countVariants(
  db: Db,
  environmentId: string,
  { stepId, from, to, limit, captures, goals, goalDays }: ExposureRange,
): Promise<VariantRow[]> {
  const { rows } = await sql<VariantRow>`
    with runs as materialized (
      select notification_id, step_index, subscriber_id, variant, exposed_at from exposures
      where environment_id = ${environmentId} and step_id = ${stepId} and exposed_at >= ${from} and exposed_at < ${to}
      order by exposed_at desc limit ${limit}),
    firsts as materialized (
      select distinct on (subscriber_id) subscriber_id, variant, exposed_at from runs
      order by subscriber_id, exposed_at, notification_id),
    people as (
      select f.variant, f.subscriber_id, count(*) as runs, bool_or(r.variant <> f.variant) as moved,
        ${each((figure) => sql`coalesce(sum(s.${sql.ref(figure)}), 0) as ${sql.ref(figure)}`)}
      from firsts f join runs r using (subscriber_id)
      cross join lateral (
        select ${each(countsOf)} from jobs j
        where j.environment_id = ${environmentId} and j.notification_id = r.notification_id and r.variant = f.variant
          and j.step_index > r.step_index and j.type = any(${[...channels]}::text[]) and j.status = 'completed'
          and ${has("message_sent")} and coalesce(j.provider_id, '') <> all(${captures}::text[])) as s
      group by 1, 2),
    reached as (
      select variant, json_object_agg(name, people) as goals from (
        select f.variant, g.name, count(*) as people from firsts f cross join unnest(${goals}::text[]) as g(name)
        where exists (
          select 1 from signals s where s.environment_id = ${environmentId} and s.subscriber_id = f.subscriber_id
            and s.name = g.name and s.created_at >= f.exposed_at
            and s.created_at < f.exposed_at + make_interval(days => ${goalDays}) offset 0)
        group by 1, 2) as g group by 1)
    select p.variant, count(*)::int as people, sum(p.runs)::int as runs,
      (count(*) filter (where p.moved))::int as moved,
      ${objectOf((figure) => sql`sum(p.${sql.ref(figure)})::int`)} as messages,
      ${objectOf((figure) => sql`(count(*) filter (where p.${sql.ref(figure)} > 0))::int`)} as reached,
      (select coalesce(max(g.goals::text), '{}')::json from reached g where g.variant = p.variant) as goals
    from people p group by p.variant`.execute(db);
  return rows;
}

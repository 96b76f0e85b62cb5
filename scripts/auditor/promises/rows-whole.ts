// Rows belong together: partitioned tables have no foreign keys, so that nothing but the code keeps them so.
import type { Judge, PromiseCheck } from "../judge.ts";
import type { World } from "../world.ts";

/** Each counts the rows that were compared, and those without their counterpart. */
const questions: { what: string; text: string }[] = [
  {
    what: "runs without their event",
    text: `select count(*) as count, count(*) filter (where o.id is null) as broken, min(t.id::text) filter (where o.id is null) as id
      from notifications t left join events o on o.environment_id = t.environment_id and o.id = t.event_id
      where t.environment_id = any($1::uuid[])`,
  },
  {
    what: "jobs without their run",
    text: `select count(*) as count, count(*) filter (where o.id is null) as broken, min(t.id::text) filter (where o.id is null) as id
      from jobs t left join notifications o on o.environment_id = t.environment_id and o.id = t.notification_id
      where t.environment_id = any($1::uuid[])`,
  },
  {
    what: "messages without their run",
    text: `select count(*) as count, count(*) filter (where o.id is null) as broken, min(t.id::text) filter (where o.id is null) as id
      from messages t left join notifications o on o.environment_id = t.environment_id and o.id = t.notification_id
      where t.environment_id = any($1::uuid[])`,
  },
  {
    what: "messages of another event than their run",
    text: `select count(*) as count, count(*) filter (where o.event_id <> t.event_id) as broken,
        min(t.id::text) filter (where o.event_id <> t.event_id) as id
      from messages t join notifications o on o.environment_id = t.environment_id and o.id = t.notification_id
      where t.environment_id = any($1::uuid[])`,
  },
  {
    what: "messages of another person than their run",
    text: `select count(*) as count, count(*) filter (where o.subscriber_id <> t.subscriber_id) as broken,
        min(t.id::text) filter (where o.subscriber_id <> t.subscriber_id) as id
      from messages t join notifications o on o.environment_id = t.environment_id and o.id = t.notification_id
      where t.environment_id = any($1::uuid[])`,
  },
  {
    what: "messages of providers without their job",
    text: `select count(*) as count, count(*) filter (where o.id is null) as broken, min(t.id::text) filter (where o.id is null) as id
      from messages t left join jobs o on o.environment_id = t.environment_id and o.notification_id = t.notification_id
        and o.id = t.job_id
      where t.environment_id = any($1::uuid[]) and t.channel <> 'in_app'`,
  },
  {
    what: "runs with neither jobs nor finished jobs",
    text: `select count(*) as count, count(*) filter (where j.n is null) as broken, min(t.id::text) filter (where j.n is null) as id
      from notifications t left join (select notification_id, count(*) as n from jobs group by 1) j on j.notification_id = t.id
      where t.environment_id = any($1::uuid[]) and t.finished_jobs is null`,
  },
  {
    what: "jobs of a channel that are completed, and have no message that was sent",
    text: `select count(*) as count, count(*) filter (where m.id is null) as broken, min(t.notification_id::text) filter (where m.id is null) as id
      from jobs t left join messages m on m.environment_id = t.environment_id and m.job_id = t.id and m.status = 'sent'
      where t.environment_id = any($1::uuid[]) and t.status = 'completed' and t.type in ('email', 'sms')`,
  },
  {
    what: "two runs of one event for one person",
    text: `select sum(n) as count, count(*) filter (where n > 1) as broken, min(event_id) filter (where n > 1) as id from (
        select event_id::text as event_id, count(*) as n from notifications
        where environment_id = any($1::uuid[]) group by event_id, subscriber_id) as q`,
  },
  {
    what: "two events with one transaction id",
    text: `select sum(n) as count, count(*) filter (where n > 1) as broken, min(transaction_id) filter (where n > 1) as id from (
        select transaction_id, count(*) as n from events
        where environment_id = any($1::uuid[]) and refusal is null group by environment_id, transaction_id) as q`,
  },
  {
    what: "attempts without their message",
    text: `select count(*) as count, count(*) filter (where o.id is null) as broken, min(t.message_id::text) filter (where o.id is null) as id
      from attempts t left join messages o on o.environment_id = t.environment_id and o.id = t.message_id
      where t.environment_id = any($1::uuid[])`,
  },
];

export default {
  id: "rows-whole",
  title: "Rows have the rows they belong to, and none exists twice",
  async check(world, judge) {
    if (!world.database) return judge.note("without the database");
    for (const question of questions) await ask(world, judge, question);
  },
} satisfies PromiseCheck;

async function ask({ database, run }: World, judge: Judge, { what, text }: (typeof questions)[number]): Promise<void> {
  const ids = run.environments.map(({ id }) => id);
  const [found] = await database!.query<{ count: string | null; broken: string; id: string | null }>(text, [ids]);
  judge.compared(Number(found!.count ?? 0));
  if (Number(found!.broken) > 0) judge.broken(`${found!.broken} ${what}, such as ${found!.id}`);
}

// Counts are those of the lists: what an inbox says of itself, what the stream said last, what the rows say, and the
// counts that the database keeps for lists of subscribers and topics.
import type { Judge, PromiseCheck } from "../judge.ts";
import { wasConnectedAtEnd } from "../streams.ts";
import type { World } from "../world.ts";

const names = ["unread", "unseen", "total"] as const;

export default {
  id: "counts-equal-lists",
  title: "Counts equal the lists they count",
  async check(world, judge) {
    for (const [key, inbox] of world.finals.inboxes) {
      const listed = countOf(inbox.messages);
      compare(judge, listed, inbox.counts, (name) => `the inbox of ${inbox.person} in ${inbox.environment}: ${name}`);
      const live = world.streams.inboxes.get(key);
      if (live?.lastCounts && wasConnectedAtEnd(live, world.streams.lastAt)) {
        const { unread, unseen } = live.lastCounts;
        compare(judge, listed, { unread, unseen }, (name) => `the stream of ${inbox.person} said of ${name}`);
      }
      const rows = world.rows?.byPerson.get(key)?.filter(({ isListed }) => isListed);
      if (world.rows)
        compare(judge, countOf(rows ?? []), listed, (name) => `rows of ${inbox.person}: ${name} in the list`);
    }
    if (!world.database) return judge.note("without the database: only the counts that clients read");
    await checkKeptCounts(world, judge);
  },
} satisfies PromiseCheck;

type Counts = { unread?: number; unseen?: number; total?: number };

const countOf = (messages: readonly { isRead: boolean; isSeen: boolean }[]) => ({
  unread: messages.filter(({ isRead }) => !isRead).length,
  unseen: messages.filter(({ isSeen }) => !isSeen).length,
  total: messages.length,
});

function compare(judge: Judge, right: Counts, given: Counts, say: (name: string) => string): void {
  for (const name of names) {
    if (right[name] === undefined || given[name] === undefined) continue;
    judge.expect(given[name] === right[name], () => `${say(name)} is ${given[name]}, and not ${right[name]}`);
  }
}

type Kept = { name: string; kept: string; counted: string };

/** The counts of `list_counts`: of a topic's subscriptions, and of all subscribers of an environment. */
async function checkKeptCounts({ database, run }: World, judge: Judge): Promise<void> {
  const rows = await database!.query<Kept>(
    `select t.key as name, coalesce((select sum(c.count) from list_counts c
         where c.environment_id = t.environment_id and c.list_id = t.id), 0) as kept,
       (select count(*) from topic_subscriptions s where s.topic_id = t.id) as counted
     from topics t where t.environment_id = any($1::uuid[])
     union all
     select 'subscribers', (select sum(c.count) from list_counts c where c.environment_id = e.id and c.list_id = e.id),
       (select count(*) from subscribers s where s.environment_id = e.id)
     from environments e where e.id = any($1::uuid[])`,
    [run.environments.map(({ id }) => id)],
  );
  for (const { name, kept, counted } of rows) {
    if (kept === null) continue;
    judge.expect(
      Number(kept) === Number(counted),
      () => `the kept count of ${name} is ${kept}, its list has ${counted}`,
    );
  }
}

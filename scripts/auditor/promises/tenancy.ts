// Environments are apart: no text of one shows up in an inbox, a stream, at an address or in a row of another, and no
// row leads to a row of another environment.

import type { Judge, PromiseCheck } from "../judge.ts";
import type { World } from "../world.ts";

export default {
  id: "tenancy",
  title: "Nothing of an environment is anywhere in another one",
  async check(world, judge) {
    const { finals, streams, rows, texts } = world;
    const check = (text: string, environment: string, where: string, at?: number) => {
      judge.compared();
      const [other] = texts.findOthers(text, environment);
      if (other) judge.broken(`${text.slice(0, 80)}, of ${other}, is ${where} in ${environment}`, { at });
    };
    for (const { messages, environment, person } of finals.inboxes.values()) {
      for (const { text, createdAt } of messages) check(text, environment, `in the inbox of ${person}`, createdAt);
    }
    for (const { messages, environment, person } of streams.inboxes.values()) {
      for (const { text, firstAt } of messages.values())
        check(text, environment, `in the stream of ${person}`, firstAt);
    }
    const owners = findOwners(world);
    for (const { text, to, tries, messageId } of world.deliveries.messages.values()) {
      const owner = owners.get(to);
      if (owner) check(text, owner, `at the address ${to}`, tries[0]!.at);
      else
        judge.broken(`${text} was sent to ${to}, which is no one's address`, { at: tries[0]!.at, detail: messageId });
    }
    checkEvents(world, judge);
    if (!rows) return judge.note("without the database: only what clients and providers saw");
    for (const { text, environment, id, createdAt } of rows.messages.values())
      check(text, environment, `message ${id}`, createdAt);
    for (const { text, environment, id, createdAt } of rows.events.values())
      check(text, environment, `event ${id}`, createdAt);
    await checkReferences(world, judge);
  },
} satisfies PromiseCheck;

/** Ids of events are unique in the run, although clients may choose them. */
function checkEvents({ finals, ledger }: World, judge: Judge): void {
  const owners = new Map([...ledger.events.values()].map((entry) => [entry.transactionId, entry.environment]));
  for (const { environment, transactionId } of finals.events) {
    const owner = owners.get(transactionId) ?? environment;
    judge.expect(owner === environment, () => `${transactionId}, of ${owner}, is listed in ${environment}`);
  }
}

const findOwners = ({ run }: World): Map<string, string> =>
  new Map(
    run.environments.flatMap(({ name, people }) =>
      people.flatMap(
        ({ email, phone }) =>
          [
            [email, name],
            [phone, name],
          ] as const,
      ),
    ),
  );

/** Table, column and the table whose id it has. Rows of both have an environment. */
const references = [
  ["notifications", "event_id", "events"],
  ["notifications", "subscriber_id", "subscribers"],
  ["notifications", "workflow_id", "workflows"],
  ["notifications", "workflow_version_id", "workflow_versions"],
  ["jobs", "notification_id", "notifications"],
  ["messages", "notification_id", "notifications"],
  ["messages", "event_id", "events"],
  ["messages", "subscriber_id", "subscribers"],
  ["messages", "workflow_id", "workflows"],
  ["messages", "integration_id", "integrations"],
  ["attempts", "message_id", "messages"],
  ["attempts", "integration_id", "integrations"],
  ["events", "workflow_id", "workflows"],
  ["transaction_ids", "event_id", "events"],
  ["topic_subscriptions", "topic_id", "topics"],
  ["topic_subscriptions", "subscriber_id", "subscribers"],
  ["dead_letters", "message_id", "messages"],
  ["retractions", "event_id", "events"],
  ["retracted_messages", "notification_id", "notifications"],
  ["signals", "subscriber_id", "subscribers"],
  ["run_waits", "notification_id", "notifications"],
  ["attention_ledgers", "subscriber_id", "subscribers"],
  ["subscriber_preferences", "subscriber_id", "subscribers"],
  ["digest_windows", "leader_notification_id", "notifications"],
] as const;

async function checkReferences({ database }: World, judge: Judge): Promise<void> {
  for (const [table, column, target] of references) {
    const [found] = await database!.query<{ count: string; broken: string; id: string | null }>(
      `select count(*) as count, count(*) filter (where t.environment_id <> o.environment_id) as broken,
         min(o.id::text) filter (where t.environment_id <> o.environment_id) as id
       from ${table} t join ${target} o on o.id = t.${column}`,
    );
    judge.compared(Number(found!.count));
    if (Number(found!.broken) === 0) continue;
    judge.broken(`${found!.broken} rows of ${table} lead to ${target} of another environment`, { detail: found!.id });
  }
}

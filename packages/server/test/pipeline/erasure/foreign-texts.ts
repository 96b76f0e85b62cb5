// Texts that come from providers, receivers, failed tasks and calls by SQL, not from callers of the API. They may name
// a person, so an erasure has to find the person in them.
import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Db } from "../../../src/store/db.ts";

/** The tables that `writeForeignTexts` writes the person into. */
export const foreignTables = [
  "alert_messages",
  "alerts",
  "attempts",
  "dead_letter_replays",
  "early_receipts",
  "failed_tasks",
  "integration_health",
  "jobs",
  "receipts",
  "sql_outbox",
];

/** Needs an attempt, an open job and the health of an integration in the environment. */
export async function writeForeignTexts(db: Db, person: { subscriberId: string; email: string }): Promise<void> {
  const text = `no mailbox for ${person.email}`;
  const json = JSON.stringify({ text, nested: [{ [person.subscriberId]: person.email }] });
  const [{ environment_id, integration_id, message_id }] = (
    await sql<{ environment_id: string; integration_id: string; message_id: string }>`
      update attempts set reason = ${text}, provider_message_id = ${`mail-for-${person.subscriberId}`}
      returning environment_id, integration_id, message_id`.execute(db)
  ).rows as [{ environment_id: string; integration_id: string; message_id: string }];
  await sql`update jobs set output = ${json}::jsonb, details = jsonb_set(details, '{0,r}', ${json}::jsonb)`.execute(db);
  await sql`update integration_health set last_error = ${text}`.execute(db);
  await sql`
    insert into receipts (integration_id, external_id, status, reported_at, message_id, environment_id, created_at, recipient)
    values (${integration_id}, ${`receipt-${person.email}`}, 'bounced', now(), ${message_id}, ${environment_id}, now(),
      ${person.email})`.execute(db);
  await sql`
    insert into early_receipts (id, environment_id, integration_id, name, receipt)
    values (${randomUUID()}, ${environment_id}, ${integration_id}, 'a message to come', ${json}::jsonb)`.execute(db);
  await sql`
    insert into failed_tasks (id, environment_id, kind, data, error, attempts, status, created_at)
    values (${randomUUID()}, ${environment_id}, 'run', ${json}::jsonb, ${text}, 20, 'open', now())`.execute(db);
  const calls = [
    { kind: "trigger", to: person.subscriberId, payload: { text } },
    { kind: "trigger", to: [{ subscriberId: person.subscriberId, email: person.email }, "bob"], payload: { text } },
    { kind: "trigger", to: "bob", actor: person.subscriberId, payload: { text } },
    { kind: "subscriber", subscriberId: person.subscriberId, email: person.email },
  ];
  for (const { kind, ...call } of calls) {
    const body = JSON.stringify(call);
    // Nothing is taken from the outbox: the environment has no source.
    await sql`
      insert into sql_outbox (environment_id, transaction_id, kind, key, body)
      values (${environment_id}, ${`call-${person.email}`}, ${kind}, ${person.subscriberId}, ${body}::jsonb)`.execute(
      db,
    );
    const data = JSON.stringify({ sourceId: randomUUID(), transactionId: "t", kind, body: call });
    await sql`
      insert into failed_tasks (id, environment_id, kind, data, error, attempts, status, created_at)
      values (${randomUUID()}, ${environment_id}, 'relay', ${data}::jsonb, ${text}, 1, 'open', now())`.execute(db);
  }
  await sql`
    insert into dead_letter_replays
      (id, environment_id, status, filter, per_second, total, done, turn, created_at, updated_at, finished_at)
    values (${randomUUID()}, ${environment_id}, 'done', ${json}::jsonb, 10, 1, 1, 1, now(), now(), now())`.execute(db);
  const alertId = randomUUID();
  await sql`
    insert into alerts (environment_id, id, rule_id, rule_name, kind, code, subject_type, subject_id, subject_name, facts,
      status, opened_at, last_seen_at, resolved_at, closed_at)
    values (${environment_id}, ${alertId}, ${randomUUID()}, 'Rule', 'integration', 'integration_failing', 'integration',
      ${integration_id}, ${`Mail of ${person.email}`}, ${json}::jsonb, 'resolved', now(), now(), now(), now())`.execute(
    db,
  );
  await sql`
    insert into alert_messages
      (environment_id, id, key, target, alert_ids, content, is_fallback, status, attempts, detail, created_at)
    values (${environment_id}, ${randomUUID()}, 'a key', 'dashboard', ${[alertId]}::uuid[], ${json}::jsonb, false, 'sent',
      1, ${text}, now())`.execute(db);
}

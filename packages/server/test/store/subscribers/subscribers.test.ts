// Subscriber lookups read only the rows they return, even while the table has no statistics: after a large import the
// planner knows nothing about it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { atEnd } from "@tidings/testkit/at-end";
import { createTestDatabase } from "@tidings/testkit/database";
import { sql } from "kysely";
import { newId } from "../../../src/lib/ids.ts";
import { inTransaction, openDb } from "../../../src/store/db.ts";
import { findSubscribersByKeys } from "../../../src/store/subscribers/subscribers.ts";

const database = await createTestDatabase();
const db = openDb({ url: database.url, poolSize: 2, onError: () => {} });
atEnd(async () => {
  await db.destroy();
  await database.drop();
});

test("subscribers are looked up by key without reading the environment, before the first ANALYZE", async () => {
  const [organizationId, environmentId] = [newId(), newId()];
  await sql`insert into organizations (id, name, created_at) values (${organizationId}, 'o', now())`.execute(db);
  await sql`insert into environments (id, organization_id, name, identifier, type, created_at, updated_at)
    values (${environmentId}, ${organizationId}, 'one', 'one', 'dev', now(), now())`.execute(db);
  await sql`alter table subscribers set (autovacuum_enabled = false)`.execute(db);
  await sql`insert into subscribers (id, environment_id, subscriber_id, created_at, updated_at)
    select gen_random_uuid(), ${environmentId}, 's' || n, now(), now() from generate_series(1, 5000) n`.execute(db);
  const keys = Array.from({ length: 100 }, (_, index) => `s${index * 50 + 1}`);
  const { found, read } = await inTransaction(db, async (tx) => {
    const found = await findSubscribersByKeys(tx, environmentId, [...keys, "s1", "missing"]);
    const { rows } = await sql<{ read: number }>`
      select coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as read from pg_stat_xact_user_tables
      where relname = 'subscribers'`.execute(tx);
    return { found, read: rows[0]!.read };
  });
  assert.deepEqual(found.map((row) => row.subscriber_id).sort(), [...keys].sort());
  assert.equal(read, keys.length, "rows that PostgreSQL read");
});

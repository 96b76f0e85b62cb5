// Events that are refused because their workflow is off are stored once for each transaction id, even if a client
// repeats a request at another process before the first one has ended.
import assert from "node:assert/strict";
import { test } from "node:test";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { newId } from "../../../src/lib/ids.ts";
import { insertRefusedEvents, type RefusedEntry } from "../../../src/store/events/refused-events.ts";

const { client, db, environmentId } = await shareService();

test("a refused event that is repeated while it is stored waits, and is not stored again", async () => {
  await createWorkflow(client, "off", [inApp()], { active: false });
  await client("events.trigger", { body: { name: "off", to: "ada", transactionId: "first" } });
  const stored = await db
    .selectFrom("events")
    .selectAll()
    .where("environment_id", "=", environmentId)
    .where("transaction_id", "=", "first")
    .executeTakeFirstOrThrow();
  const entry = (): RefusedEntry => ({
    event: { ...stored, id: newId(), transaction_id: "again", refusal: "workflow_inactive" },
    isGiven: true,
  });
  const insert = (then: (tx: typeof db) => Promise<unknown>) =>
    db.transaction().execute(async (tx) => {
      await insertRefusedEvents(tx, stored.environment_id, [entry()]);
      await then(tx);
    });
  let second: Promise<void> | undefined;
  await insert(async (tx) => {
    second = insert(async () => {});
    const text = sql<{
      count: number;
    }>`select count(*)::int as count from pg_locks where locktype = 'advisory' and not granted`;
    await eventually(async () => (await text.execute(tx)).rows[0]!.count === 1, "the repetition waits");
  });
  await second;
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from events where transaction_id = 'again' and environment_id = ${environmentId}`.execute(
    db,
  );
  assert.equal(rows[0]!.count, 1);
});

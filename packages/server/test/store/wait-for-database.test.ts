// The start of a service before its database.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { DatabaseUnreachableError, waitForDatabase } from "../../src/store/wait-for-database.ts";
import { createTestDatabase } from "../support/database.ts";
import { eventually } from "../support/wait.ts";

async function openDatabase(context: TestContext) {
  const database = await createTestDatabase({ isEmpty: true });
  context.after(() => database.drop());
  return database;
}

test("a database that answers later is waited for, which is told once", async (context) => {
  const database = await openDatabase(context);
  await database.allowConnections(false);
  const reasons: string[] = [];
  const waiting = waitForDatabase({
    url: database.url,
    limitMs: 60_000,
    onWait: (reason) => void reasons.push(reason),
  });
  await eventually(() => reasons.length > 0, "the service to wait");
  await database.allowConnections(true);
  await waiting;
  assert.equal(reasons.length, 1);
  assert.match(reasons[0]!, /not currently accepting connections/);
});

test("the wait ends, and names the database without its password", async () => {
  const url = "postgres://tidings:secret@127.0.0.1:1/name";
  await assert.rejects(waitForDatabase({ url, limitMs: 0, onWait: () => {} }), (error) => {
    assert.ok(error instanceof DatabaseUnreachableError);
    assert.match(error.message, /^PostgreSQL at 127\.0\.0\.1:1\/name does not accept connections.*ECONNREFUSED/);
    assert.doesNotMatch(error.message, /secret/);
    return true;
  });
});

test("a database that does not exist is not waited for", async (context) => {
  const { url } = await openDatabase(context);
  const wrong = Object.assign(new URL(url), { pathname: "/no_such_database" }).href;
  const onWait = () => assert.fail("it waits");
  await assert.rejects(waitForDatabase({ url: wrong, limitMs: 60_000, onWait }), /"no_such_database" does not exist/);
});

// The start of a service before its database.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createTestDatabase } from "@tidings/testkit/database";
import { eventually } from "@tidings/testkit/wait";
import pg from "pg";
import { newId } from "../../src/lib/ids.ts";
import { DatabaseUnreachableError, waitForDatabase } from "../../src/store/wait-for-database.ts";

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
    setting: "DATABASE_URL",
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
  const setting = "TIDINGS_DIRECT_DATABASE_URL";
  await assert.rejects(waitForDatabase({ setting, url, limitMs: 0, onWait: () => {} }), (error) => {
    assert.ok(error instanceof DatabaseUnreachableError);
    assert.match(error.message, /^PostgreSQL at 127\.0\.0\.1:1\/name does not accept connections.*ECONNREFUSED/);
    assert.match(error.message, /Check TIDINGS_DIRECT_DATABASE_URL/);
    assert.doesNotMatch(error.message, /secret/);
    return true;
  });
});

test("a database that does not exist is not waited for", async (context) => {
  const { url } = await openDatabase(context);
  const wrong = Object.assign(new URL(url), { pathname: "/no_such_database" }).href;
  const onWait = () => assert.fail("it waits");
  await assert.rejects(
    waitForDatabase({ setting: "DATABASE_URL", url: wrong, limitMs: 60_000, onWait }),
    /"no_such_database" does not exist/,
  );
});

async function asAdmin(text: string): Promise<void> {
  const admin = new pg.Client({ connectionString: process.env.TEST_DATABASE_URL });
  await admin.connect();
  await admin.query(text).finally(() => admin.end());
}

/** A role with a password, on the server of the tests. */
async function createRole(context: TestContext): Promise<string> {
  const user = `reader_${newId().replaceAll("-", "")}`;
  await asAdmin(`create role ${user} login password 'right'`);
  context.after(() => asAdmin(`drop role ${user}`));
  return user;
}

test("a wrong password is refused at once, with user, host and database, and without the password", async (context) => {
  const database = await openDatabase(context);
  const user = await createRole(context);
  const right = Object.assign(new URL(database.url), { username: user, password: "right" });
  const onWait = () => assert.fail("it waits");
  const refusalOf = (url: string) =>
    waitForDatabase({ setting: "DATABASE_URL", url, limitMs: 60_000, onWait }).then(
      () => null,
      (error: Error) => (error instanceof DatabaseUnreachableError ? error.message : error),
    );
  assert.equal(await refusalOf(right.href), null);

  const name = `${right.host}${right.pathname}`;
  const wrong = Object.assign(new URL(right), { password: "s3cret" });
  const sentence = (user: string) =>
    `PostgreSQL at ${name} refused the password of user "${user}" for database "${right.pathname.slice(1)}": ` +
    "the password is wrong, or the user does not exist. Correct DATABASE_URL.";
  assert.equal(await refusalOf(wrong.href), sentence(user));
  const unknown = Object.assign(new URL(wrong), { username: "nobody" });
  assert.equal(await refusalOf(unknown.href), sentence("nobody"));
  const none = Object.assign(new URL(right), { password: "" });
  assert.match(`${await refusalOf(none.href)}`, /asks user "reader_\w+" for a password .* and DATABASE_URL has none/);

  // One of two hosts is down, which a wait might change; the password it would not.
  const two = wrong.href.replace(right.host, `127.0.0.1:1,${right.host}`);
  assert.match(`${await refusalOf(two)}`, /127\.0\.0\.1:1,.* refused the password of user/);
});

// Databases of sources in trouble: altered, locked out, gone, read-only, or not to be reached at all. A source delays
// only itself, says what is wrong, and works again when that is repaired.
import assert from "node:assert/strict";
import { test } from "node:test";
import { outboxSql, type Source } from "@tidings/contract";
import { createTestDatabase } from "@tidings/testkit/database";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { type Customer, createRole, openCustomer, openShop, refusalsOf, subjectsOf, withClient } from "./shop.ts";

const service = await startTestService();
const { client, db } = service;
await createWorkflow(client, "shipped", [inApp({ subject: "Order {{ payload.order }}", body: "Shipped" })]);
const healthy = await openCustomer(service);

const trigger = (customer: Pick<Customer, "query">, subscriber: string, order = 1) =>
  customer.query("select tidings.trigger('shipped', $1::text, $2)", [subscriber, { order }]);

const arrives = (subscriber: string, count = 1) =>
  eventually(async () => (await subjectsOf(client, subscriber)).length === count, `${count} for ${subscriber}`);

const reaches = (customer: Pick<Customer, "source">, state: Source["state"]) =>
  eventually(async () => {
    const source = await customer.source();
    return source.state === state ? source : null;
  }, `the state ${state}`);

test("a table that was altered by hand: what is missing is named, and extra columns are harmless", async () => {
  const customer = await openCustomer(service);
  await customer.query("alter table tidings.outbox add column note text default 'mine', add column more jsonb");
  await trigger(customer, "extra-column");
  await arrives("extra-column");
  await customer.query("alter table tidings.outbox rename column kind to sort");
  const failing = await reaches(customer, "failing");
  assert.match(failing.lastError!, /column o\.kind does not exist/);
  assert.ok(failing.failingSince && failing.lastErrorAt);
  const { body: check } = await client("sources.check", { params: customer.params });
  assert.match(check.problems.join(), /^tidings\.outbox lacks the columns kind: .*`tidings outbox install`/);
  await trigger(healthy, "meanwhile");
  await arrives("meanwhile");
  await customer.query("alter table tidings.outbox rename column sort to kind");
  await trigger(customer, "repaired");
  await arrives("repaired");
  const repaired = await reaches(customer, "healthy");
  assert.equal(repaired.failingSince, undefined);
});

test("a password that changed, and a new address", async () => {
  const customer = await openCustomer(service);
  const { role, url } = await createRole(service);
  const password = "S3cret-of-the-relay";
  await customer.query(`alter role ${role} password '${password}'`);
  await customer.query(`grant usage on schema tidings to ${role}`);
  await customer.query(`grant select, update, delete on tidings.outbox to ${role}`);
  const address = Object.assign(new URL(url), { pathname: new URL(customer.url).pathname, password });
  await client("sources.update", { params: customer.params, body: { url: address.href } });
  await trigger(customer, "before-change");
  await arrives("before-change");
  await customer.query(`alter role ${role} password 'Another-one'`);
  await customer.database.disconnectAll();
  // The first error may be that of the connection that was ended.
  const failing = await eventually(async () => {
    const source = await reaches(customer, "failing");
    return source.lastError?.includes("password authentication failed for user") ? source : null;
  }, "the refused password");
  await trigger(customer, "after-change");
  await trigger(healthy, "other-source");
  await arrives("other-source");
  const refused = await client.raw("sources.update", { params: customer.params, body: { url: address.href } });
  assert.equal(refused.status, 422);
  assert.match(JSON.stringify(refused.body), /password authentication failed/);
  address.password = "Another-one";
  await client("sources.update", { params: customer.params, body: { url: address.href } });
  await arrives("after-change");
  const shown = [refused.body, failing, (await client("sources.list")).body, service.logs];
  const { rows: written } = await sql`select * from audit_log`.execute(db);
  for (const text of [...shown, written].map((one) => JSON.stringify(one)))
    assert.ok(!text.includes(password) && !text.includes("Another-one"), "the password is nowhere");
  await client("sources.delete", { params: customer.params });
  await customer.query(`drop owned by ${role}`);
});

test("a database that is closed or gone delays only itself", async () => {
  const customer = await openCustomer(service);
  await customer.database.allowConnections(false);
  const closed = await reaches(customer, "failing");
  assert.match(closed.lastError!, /not currently accepting connections|terminating connection|Connection terminated/);
  await trigger(healthy, "while-closed");
  await arrives("while-closed");
  await customer.database.allowConnections(true);
  await trigger(customer, "reopened");
  await arrives("reopened");
});

/** Addresses that are refused when they are saved. */
const refusedUrls: [url: string, reason: RegExp][] = [
  ["nonsense", /must be an address such as/],
  ["mysql://a:b@127.0.0.1/db", /must be an address such as/],
  ["postgresql://127.0.0.1/db", /must be an address such as/],
  ["postgresql://a:b@127.0.0.1", /must be an address such as/],
  ["postgresql://a:%zz@127.0.0.1/db", /must be an address such as/],
  ["postgresql://a%00user:b@127.0.0.1/db", /must be an address such as/],
  ["postgresql://a:b@127.0.0.1:1/db", /ECONNREFUSED/],
  ["postgresql://a:b@10.0.0.1/db", /private address\. The setting TIDINGS_ALLOW_NETWORKS/],
  ["postgresql://a:b@169.254.169.254/db", /link-local address/],
  ["postgresql://a:b@[::1]/db", /loopback address/],
  ["postgresql://a:b@%2Fvar%2Frun%2Fpostgresql/db", /cannot be resolved/],
  ["postgresql://a:b@host.invalid/db", /cannot be resolved/],
  ["postgresql://a:b@127.0.0.1:1/db?sslrootcert=/etc/hostname", /ECONNREFUSED/],
  ["postgresql://a:b@127.0.0.1:1/db?sslkey=/no/such/file", /ECONNREFUSED/],
  ["postgresql://a:b@127.0.0.1:1/db?host=/tmp&port=2", /ECONNREFUSED 127\.0\.0\.1:1/],
  ["postgresql://a:b@127.0.0.1:1/db?host=10.0.0.1&hostaddr=10.0.0.1", /ECONNREFUSED 127\.0\.0\.1:1/],
];

test("addresses that cannot be used, or must not be, are refused when saved", async () => {
  const before = (await client("sources.list")).body.length;
  for (const [url, reason] of refusedUrls) {
    const { status, body } = await client.raw("sources.create", { body: { name: "Refused", url } });
    assert.equal(status, 422, url);
    assert.match(JSON.stringify((body as { errors: object }).errors), reason, url);
  }
  const database = await createTestDatabase({ isEmpty: true });
  const { role, url } = await createRole(service);
  const run = (text: string) => withClient(database.url, (owner) => owner.query(text));
  await run(outboxSql());
  await run(`grant all on schema tidings to ${role}; grant all on tidings.outbox to ${role}`);
  await run(`alter role ${role} set default_transaction_read_only = on`);
  const standby = Object.assign(new URL(url), { pathname: new URL(database.url).pathname }).href;
  const { status, body } = await client.raw("sources.create", { body: { name: "Standby", url: standby } });
  assert.equal(status, 422);
  assert.match(JSON.stringify(body), /The database is read-only: use the address of the primary/);
  await run(`drop owned by ${role}`);
  await database.drop();
  assert.equal((await client("sources.list")).body.length, before);
});

test("a row that cannot be accepted is set aside, and the others of its batch are not", async () => {
  await sql`create function refuse_poison() returns trigger language plpgsql as
    $$ begin if new.transaction_id like 'poison%' then raise exception 'no such event'; end if; return new; end $$`.execute(
    db,
  );
  await sql`create trigger refuse_poison before insert on transaction_ids for each row execute function refuse_poison()`.execute(
    db,
  );
  const shop = await openShop(service);
  for (const [place, query] of [
    ["local", shop.query],
    ["remote", healthy.query],
  ] as const) {
    await query(`select tidings.trigger('shipped', '${place}-' || n % 5, jsonb_build_object('order', n),
      jsonb_build_object('transactionId', case when n in (7, 30) then 'poison' else 'good' end || '-${place}-' || n))
      from generate_series(1, 60) as n`);
    const count = async () =>
      (await Promise.all([0, 1, 2, 3, 4].map((n) => subjectsOf(client, `${place}-${n}`)))).flat().length;
    await eventually(async () => (await count()) === 58, "all others");
    await eventually(async () => {
      const refusals = await refusalsOf(client);
      return [7, 30].every((n) => refusals.get(`poison-${place}-${n}`)?.includes("no such event"));
    }, "the failed tasks");
    const expected = Array.from({ length: 60 }, (_, index) => index + 1).filter((n) => n % 5 === 2 && n !== 7);
    assert.deepEqual(
      await subjectsOf(client, `${place}-2`),
      expected.map((n) => `Order ${n}`),
    );
  }
});

test("an idle source costs one small query a second, and none when it is deleted", async () => {
  const customer = await openCustomer(service);
  const name = new URL(customer.url).pathname.slice(1);
  await trigger(customer, "before-idle");
  await arrives("before-idle");
  const relays = () =>
    sql<{ pid: number; query: string; at: Date }>`select pid, query, query_start as at from pg_stat_activity
      where datname = ${name} and application_name like 'tidings-relay%'`
      .execute(db)
      .then(({ rows }) => rows);
  const isPoll = (query: string) => /^\s*select 1 from \(/.test(query);
  await eventually(async () => (await relays()).some(({ query }) => isPoll(query)), "the loop to be idle");
  // Long pauses, once it has been idle for a while: two of its queries are never close together.
  const times = new Set<number>();
  await eventually(async () => {
    const polls = (await relays()).filter(({ query }) => isPoll(query));
    for (const { at } of polls) times.add(at.getTime());
    const [last, before] = [...times].toSorted((a, b) => b - a);
    return before !== undefined && last! - before >= 950;
  }, "polls that are a second apart");
  await client("sources.delete", { params: customer.params });
  await eventually(async () => (await relays()).length === 0, "the relay to leave");
  await trigger(customer, "deleted");
  assert.equal(await customer.waiting(), 1);
});

// Calls by SQL in every kind of transaction, in the service's own database and in a customer's: what commits is
// accepted once, what does not leaves nothing.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { hasPgBouncer, startPgBouncer } from "@tidings/testkit/postgres/pgbouncer";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import type pg from "pg";
import { openCustomer, openShop, subjectsOf, withClient } from "./shop.ts";

const service = await startTestService();
const { client } = service;
await createWorkflow(client, "shipped", [inApp({ subject: "{{ payload.order }}", body: "Shipped" })]);
const shop = await openShop(service);
const customer = await openCustomer(service);
const places = [
  { place: "local", url: shop.url, ownerUrl: service.database.url },
  { place: "remote", url: customer.url, ownerUrl: customer.url },
];
const stock = `create schema stock; grant usage on schema stock to public;
  create table stock.orders (id text, amount int, constraint one unique (id) deferrable initially deferred);
  grant all on stock.orders to public`;
for (const { ownerUrl } of places) await withClient(ownerUrl, (owner) => owner.query(stock));

const [{ max_prepared_transactions: maxPrepared }] = (
  await withClient(service.database.url, (owner) => owner.query("show max_prepared_transactions"))
).rows;

let subscribers = 0;

/**
 * Lets `work` call with a new subscriber on its own connection, and compares what arrives. A last call follows, in the
 * order of the subscriber: nothing comes after it.
 */
async function expectOrders(
  url: string,
  expected: string[],
  work: (client: pg.Client, call: (order: string, by?: pg.Client) => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const subscriber = `buyer-${++subscribers}`;
  await withClient(url, async (own) => {
    const call = (order: string, by = own) =>
      by.query("select tidings.trigger('shipped', $1::text, $2)", [subscriber, { order }]);
    await work(own, call);
    await call("last");
  });
  await eventually(async () => (await subjectsOf(client, subscriber)).includes("last"), "the last order");
  assert.deepEqual(await subjectsOf(client, subscriber), [...expected, "last"]);
}

for (const { place, url } of places) {
  test(`${place}: savepoints, one within another`, () =>
    expectOrders(url, ["1", "3", "5", "7"], async (transaction, call) => {
      await transaction.query("begin");
      await call("1");
      await transaction.query("savepoint a");
      await call("2");
      await transaction.query("savepoint b");
      await call("lost with b");
      await transaction.query("rollback to a");
      await call("3");
      await transaction.query("savepoint c");
      await call("5");
      await transaction.query("release c");
      await transaction.query("savepoint d");
      await assert.rejects(transaction.query("select tidings.trigger('shipped', null::text)"), { code: "22004" });
      await transaction.query("rollback to d");
      await call("7");
      await transaction.query("commit");
      await transaction.query("begin");
      await call("rolled back");
      await transaction.query("rollback");
      await transaction.query("begin");
      await call("in a failed transaction");
      await assert.rejects(transaction.query("select 1 / 0"));
      // PostgreSQL rolls back.
      assert.equal((await transaction.query("commit")).command, "ROLLBACK");
    }));

  test(`${place}: a deferred constraint that fails at commit`, () =>
    expectOrders(url, ["kept"], async (transaction, call) => {
      const insert = () => transaction.query("insert into stock.orders values ('deferred', 1)");
      await transaction.query("begin");
      await insert();
      await insert();
      await call("never");
      await assert.rejects(transaction.query("commit"), { code: "23505" });
      await transaction.query("begin");
      await insert();
      await call("kept");
      await transaction.query("commit");
    }));

  test(`${place}: exceptions in blocks of PL/pgSQL`, () =>
    expectOrders(url, ["handled"], async (transaction, call) => {
      const buyer = `buyer-${subscribers}`;
      await transaction.query(`do $$ begin
        begin
          perform tidings.trigger('shipped', '${buyer}', '{"order": "undone by the exception"}');
          raise exception 'out of stock';
        exception when others then
          perform tidings.trigger('shipped', '${buyer}', '{"order": "handled"}');
        end;
      end $$`);
      const block = `do $$ begin perform tidings.trigger('shipped', '${buyer}', '{"order": "x"}'); raise 'stop'; end $$`;
      await assert.rejects(transaction.query(block), /stop/);
      await transaction.query("begin read only");
      await assert.rejects(call("read only"), { code: "25006" });
      await transaction.query("rollback");
    }));

  for (const level of ["read committed", "repeatable read", "serializable"]) {
    test(`${place}: ${level}, with two transactions at once`, () =>
      expectOrders(url, ["first", "second"], async (first, call) =>
        withClient(url, async (second) => {
          for (const one of [first, second]) {
            await one.query(`begin isolation level ${level}`);
            await one.query("select sum(amount) from stock.orders");
          }
          await call("first");
          await first.query("insert into stock.orders values ($1, 1)", [`${level} 1`]);
          await call("second", second);
          await second.query("insert into stock.orders values ($1, 1)", [`${level} 2`]);
          await first.query("commit");
          if (level !== "serializable") return void (await second.query("commit"));
          // Each has read what the other one writes: one of them has to be repeated.
          await assert.rejects(second.query("commit"), { code: "40001" });
          await call("second", second);
        }),
      ));
  }

  const skip = Number(maxPrepared) > 0 ? false : "max_prepared_transactions is 0 on this PostgreSQL";
  test(`${place}: prepared transactions, without NOTIFY`, { skip }, () =>
    expectOrders(url, ["prepared"], async (transaction, call) => {
      await transaction.query("begin");
      await call("with NOTIFY");
      await assert.rejects(
        transaction.query(`prepare transaction '${place} 0'`),
        /cannot PREPARE a transaction that has executed LISTEN, UNLISTEN, or NOTIFY/,
      );
      for (const [name, order, end] of [
        [`${place} 1`, "given up", "rollback"],
        [`${place} 2`, "prepared", "commit"],
      ]) {
        await transaction.query("begin; set local tidings.notify = 'off'");
        await call(order!);
        await transaction.query(`prepare transaction '${name}'`);
        await transaction.query(`${end} prepared '${name}'`);
      }
    }),
  );

  const unpooled = hasPgBouncer ? false : "PgBouncer is not installed: apt-get install pgbouncer";
  test(`${place}: through PgBouncer in transaction mode`, { skip: unpooled }, async (context) => {
    const pooled = await startBouncer(context, url);
    const isRemote = place === "remote";
    if (isRemote) await client("sources.update", { params: customer.params, body: { url: pooled } });
    await expectOrders(pooled, ["1", "2", "3", "4"], async (transaction, call) =>
      withClient(pooled, async (other) => {
        await transaction.query("begin");
        await call("1");
        await other.query("begin");
        await call("lost", other);
        await other.query("rollback");
        await call("2");
        await transaction.query("commit");
        await call("3", other);
        await other.query("begin; set local tidings.notify = 'off'");
        await call("4", other);
        await other.query("commit");
      }),
    );
    if (!isRemote) return;
    const { body: check } = await client("sources.check", { params: customer.params });
    assert.deepEqual(check.problems, []);
    assert.equal((await customer.source()).state, "healthy");
    // The loop leaves the pooler before that is stopped.
    await client("sources.update", { params: customer.params, body: { url } });
  });
}

async function startBouncer(context: TestContext, databaseUrl: string): Promise<string> {
  const { url, stop } = await startPgBouncer({ databaseUrl, mode: "transaction", poolSize: 3 });
  context.after(stop);
  return url;
}

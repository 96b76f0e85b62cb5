// The programs of examples/sql-trigger place orders in a customer's database: the message of a committed order arrives,
// that of an order whose commit fails does not.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { outboxSql } from "@tidings/contract";
import { atEnd } from "@tidings/testkit/at-end";
import { createTestDatabase } from "@tidings/testkit/database";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { subjectsOf, withClient } from "../../../server/test/pipeline/sources/shop.ts";

const folder = join(import.meta.dirname, "../../../../examples/sql-trigger");
const read = (name: string): string => readFileSync(join(folder, name), "utf8");

/** What each program exports. */
type Shop = { placeOrder(customer: string, total: number): Promise<unknown>; close(): Promise<unknown> };

const { client } = await startTestService();
await createWorkflow(client, "order-paid", [inApp({ subject: "Order {{ payload.order }} paid", body: "Thanks" })]);
await createWorkflow(client, "order-status", [inApp({ subject: "Order is {{ payload.status }}", body: "News" })]);

const { url, drop } = await createTestDatabase({ isEmpty: true });
await withClient(url, (owner) => owner.query(outboxSql() + read("shop.sql")));
await client("sources.create", { body: { name: "Shop", url } });
// After the service, whose end was registered first.
atEnd(drop);

const addCustomer = (id: string) =>
  withClient(url, (owner) => owner.query("insert into customers (id, name) values ($1, $1)", [id]));

/** Drivers and mappers wrap the errors of PostgreSQL. */
const isForeignKeyError = (error: unknown): boolean =>
  error instanceof Error && ((error as { code?: string }).code === "23503" || isForeignKeyError(error.cause));

for (const name of ["pg", "kysely", "drizzle"]) {
  test(`${name}: a committed order is notified, one that fails at its commit is not`, async () => {
    await addCustomer(name);
    const { openShop } = (await import(join(folder, `${name}.mjs`))) as { openShop(url: string): Shop | Promise<Shop> };
    const shop = await openShop(url);
    try {
      await assert.rejects(shop.placeOrder(`nobody-${name}`, 1), isForeignKeyError);
      await shop.placeOrder(name, 42.5);
    } finally {
      await shop.close();
    }
    await eventually(async () => (await subjectsOf(client, name)).length > 0, "the message");
    const { rows } = await withClient(url, (owner) =>
      owner.query("select id from orders where customer_id = $1", [name]),
    );
    assert.deepEqual(await subjectsOf(client, name), [`Order ${rows[0].id} paid`]);
    const { status } = await client.raw("subscribers.retrieve", { params: { subscriberId: `nobody-${name}` } });
    assert.equal(status, 404, "nothing came of the failed order");
  });
}

test("plain SQL: the statement triggers with the id that the database generated", async () => {
  await withClient(url, (owner) => owner.query(read("place-order.sql")));
  const subjects = () => subjectsOf(client, "ada");
  assert.match((await eventually(async () => (await subjects())[0], "the message"))!, /^Order \d+ paid$/);
});

test("a trigger on a table: changes of the status are notified, other changes and rollbacks are not", async () => {
  await withClient(url, async (owner) => {
    await owner.query(read("order-status.sql"));
    await owner.query("insert into orders (customer_id, total) values ('grace', 1)");
    await owner.query("begin; update orders set status = 'lost' where customer_id = 'grace'; rollback");
    await owner.query("update orders set status = 'new', total = 2 where customer_id = 'grace'");
    await owner.query("update orders set status = 'shipped' where customer_id = 'grace'");
  });
  await eventually(async () => (await subjectsOf(client, "grace")).length === 2, "two messages");
  assert.deepEqual(await subjectsOf(client, "grace"), ["Order is new", "Order is shipped"]);
});

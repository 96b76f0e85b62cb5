// Inserts an order and triggers its notification in one transaction, with Kysely.
import { Kysely, PostgresDialect, sql } from "kysely";
import pg from "pg";

export function openShop(url) {
  const db = new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url }) }) });

  const placeOrder = (customer, total) =>
    db.transaction().execute(async (tx) => {
      const order = await tx
        .insertInto("orders")
        .values({ customer_id: customer, total })
        .returning("id")
        .executeTakeFirstOrThrow();
      const payload = JSON.stringify({ order: order.id });
      await sql`select tidings.trigger('order-paid', ${customer}, ${payload})`.execute(tx);
    });

  return { placeOrder, close: () => db.destroy() };
}

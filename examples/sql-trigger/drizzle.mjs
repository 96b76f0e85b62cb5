// Inserts an order and triggers its notification in one transaction, with Drizzle.
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { integer, numeric, pgTable, text } from "drizzle-orm/pg-core";
import pg from "pg";

const orders = pgTable("orders", {
  id: integer().primaryKey().generatedAlwaysAsIdentity(),
  customerId: text("customer_id").notNull(),
  total: numeric().notNull(),
});

export function openShop(url) {
  const pool = new pg.Pool({ connectionString: url });
  const db = drizzle({ client: pool });

  const placeOrder = (customer, total) =>
    db.transaction(async (tx) => {
      const [order] = await tx
        .insert(orders)
        .values({ customerId: customer, total: String(total) })
        .returning({ id: orders.id });
      const payload = JSON.stringify({ order: order.id });
      await tx.execute(sql`select tidings.trigger('order-paid', ${customer}, ${payload})`);
    });

  return { placeOrder, close: () => pool.end() };
}

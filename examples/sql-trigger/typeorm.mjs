// Inserts an order and triggers its notification in one transaction, with TypeORM.
import { DataSource, EntitySchema } from "typeorm";

const Order = new EntitySchema({
  name: "Order",
  tableName: "orders",
  columns: {
    id: { type: "integer", primary: true, generated: "identity" },
    customerId: { type: "text", name: "customer_id" },
    total: { type: "numeric" },
  },
});

export async function openShop(url) {
  const db = await new DataSource({ type: "postgres", url, entities: [Order] }).initialize();

  const placeOrder = (customer, total) =>
    db.transaction(async (tx) => {
      const order = await tx.save(Order, { customerId: customer, total });
      await tx.query("select tidings.trigger('order-paid', $1, $2)", [customer, { order: order.id }]);
    });

  return { placeOrder, close: () => db.destroy() };
}

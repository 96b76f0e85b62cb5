// Inserts an order and triggers its notification in one transaction, with Prisma.
import { PrismaClient } from "@prisma/client";

export function openShop(url) {
  const db = new PrismaClient({ datasourceUrl: url });

  const placeOrder = (customer, total) =>
    db.$transaction(async (tx) => {
      const order = await tx.order.create({ data: { customerId: customer, total } });
      const payload = JSON.stringify({ order: order.id });
      await tx.$queryRaw`select tidings.trigger('order-paid', ${customer}, ${payload}::jsonb)`;
    });

  return { placeOrder, close: () => db.$disconnect() };
}

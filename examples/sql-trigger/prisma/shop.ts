// Inserts an order and triggers its notification in one transaction, with Prisma.
import { PrismaPg } from "@prisma/adapter-pg";
import { PrismaClient } from "./generated/client.ts";

export function openShop(url: string) {
  const db = new PrismaClient({ adapter: new PrismaPg({ connectionString: url }) });

  const placeOrder = (customer: string, total: number) =>
    db.$transaction(async (tx) => {
      const order = await tx.order.create({ data: { customerId: customer, total } });
      const payload = JSON.stringify({ order: order.id });
      await tx.$queryRaw`select tidings.trigger('order-paid', ${customer}, ${payload}::jsonb)`;
    });

  return { placeOrder, close: () => db.$disconnect() };
}

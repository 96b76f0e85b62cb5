// Inserts an order and triggers its notification in one transaction, with node-postgres.
import pg from "pg";

export function openShop(url) {
  const pool = new pg.Pool({ connectionString: url });

  async function placeOrder(customer, total) {
    const client = await pool.connect();
    try {
      await client.query("begin");
      const insert = "insert into orders (customer_id, total) values ($1, $2) returning id";
      const { rows } = await client.query(insert, [customer, total]);
      await client.query("select tidings.trigger('order-paid', $1, $2)", [customer, { order: rows[0].id }]);
      await client.query("commit");
    } catch (error) {
      await client.query("rollback");
      throw error;
    } finally {
      client.release();
    }
  }

  return { placeOrder, close: () => pool.end() };
}

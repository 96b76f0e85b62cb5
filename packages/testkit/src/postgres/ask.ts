// One statement on its own connection.
import pg from "pg";

const limitMs = 15_000;

export async function ask(url: string, text: string): Promise<pg.QueryResult["rows"]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: limitMs, query_timeout: limitMs });
  client.on("error", () => {});
  try {
    await client.connect();
    return (await client.query(text)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}

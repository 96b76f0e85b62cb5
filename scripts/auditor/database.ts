// The auditor's own way to the tables: one transaction that reads, so that all rows are of the same moment, and a
// cursor for what does not fit into memory.
import pg from "pg";
import { EvidenceError } from "./read-lines.ts";

export type Database = {
  query<Row>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Calls `onRow` for each row, page by page. */
  each<Row>(text: string, values: unknown[], onRow: (row: Row) => void): Promise<void>;
  close(): Promise<void>;
};

const connectMs = 10_000;
const statementMs = 120_000;
const pageRows = 5_000;
const maxPages = 100_000;

export async function openDatabase(url: string): Promise<Database> {
  const client = new pg.Client({
    connectionString: url,
    application_name: "auditor",
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query("begin isolation level repeatable read read only");
    // Ids and texts are compared unchanged, whatever the settings of the server.
    await client.query("set local timezone = 'UTC'");
  } catch (error) {
    await client.end().catch(() => {});
    throw new EvidenceError(`the database cannot be read: ${(error as Error).message}`);
  }
  let cursors = 0;
  return {
    query: async <Row>(text: string, values: unknown[] = []) => (await client.query(text, values)).rows as Row[],
    async each<Row>(text: string, values: unknown[], onRow: (row: Row) => void) {
      const name = `audit_${++cursors}`;
      await client.query(`declare ${name} no scroll cursor for ${text}`, values);
      for (let page = 0; page < maxPages; page++) {
        const { rows } = await client.query(`fetch ${pageRows} from ${name}`);
        for (const row of rows as Row[]) onRow(row);
        if (rows.length < pageRows) break;
      }
      await client.query(`close ${name}`);
    },
    async close() {
      await client.query("rollback").catch(() => {});
      await client.end().catch(() => {});
    },
  };
}

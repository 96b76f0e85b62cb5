// A search through everything that the database holds: every row of every table as text, and the clear text of every
// encrypted part.
import { inflateRawSync } from "node:zlib";
import { sql } from "kysely";
import { createSecrets, parseEncryptionKeys } from "../../src/lib/secrets.ts";
import type { Db } from "../../src/store/db.ts";

type Dumped = { table: string; text: string };

/** Every ordinary table with its schema, partitions included. */
export async function tablesOf(db: Db): Promise<{ schema: string; table: string; isPartition: boolean }[]> {
  const { rows } = await sql<{ schema: string; table: string; isPartition: boolean }>`
    select n.nspname as schema, c.relname as table, c.relispartition as "isPartition"
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema'
    order by 1, 2`.execute(db);
  return rows;
}

const sealed = /z?v\d+\.[\w-]{38,}/g;

/** Every row as text, followed by the clear texts of its encrypted parts. */
export async function dumpRows(db: Db, encryptionKey: string): Promise<Dumped[]> {
  const secrets = createSecrets(parseEncryptionKeys(encryptionKey));
  const clear = (found: string): string => {
    try {
      return found.startsWith("z")
        ? inflateRawSync(secrets.decryptBytes(found.slice(1))).toString()
        : secrets.decrypt(found);
    } catch {
      return "";
    }
  };
  const dumped: Dumped[] = [];
  for (const { schema, table } of await tablesOf(db)) {
    const { rows } = await sql<{ text: string }>`
      select t::text || ' ' || to_jsonb(t)::text as text from ${sql.table(`${schema}.${table}`)} t`.execute(db);
    for (const { text } of rows) {
      const opened = (text.match(sealed) ?? []).map(clear);
      // What is encrypted may hold encrypted values again.
      const inner = opened.flatMap((part) => (part.match(sealed) ?? []).map(clear));
      dumped.push({ table: `${schema}.${table}`, text: [text, ...opened, ...inner].join("\n") });
    }
  }
  return dumped;
}

/** A text as it may be written: in a URL, in HTML, and at the three positions of base64. */
function spellings(text: string): string[] {
  const at = [0, 1, 2].map((offset) => {
    const whole = Buffer.from("x".repeat(offset) + text).toString("base64");
    return whole.slice(offset === 0 ? 0 : 4, whole.length - (whole.length % 4 || 4));
  });
  const url = encodeURIComponent(text);
  return [text, url, text.replaceAll("'", "&#39;"), ...at.filter((core) => core.length >= 8)];
}

/** Where the texts occur in any spelling, as `table: text`; each once. */
export function findTexts(dumped: Dumped[], texts: readonly string[]): string[] {
  const found = new Set<string>();
  for (const { table, text } of dumped) {
    const lower = text.toLowerCase();
    for (const one of texts) {
      if (spellings(one).some((form) => lower.includes(form.toLowerCase()))) found.add(`${table}: ${one}`);
    }
  }
  return [...found].sort();
}

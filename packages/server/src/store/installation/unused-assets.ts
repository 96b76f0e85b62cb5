// Uploaded images that nothing shows: which ones are old, which documents contain their addresses, and their deletion.
import { sql } from "kysely";
import type { Db } from "../db.ts";

export type AgedAsset = { id: string; hash: string };

const lastNeeded = sql`coalesce(needed_at, created_at)`;

/** The images that were not loaded, uploaded or found in a document since this time, the oldest ones first. */
export async function findAgedAssets(db: Db, before: Date, limit: number): Promise<AgedAsset[]> {
  const { rows } = await sql<AgedAsset>`
    select id, hash from assets where ${lastNeeded} < ${before} order by ${lastNeeded}, id limit ${limit}`.execute(db);
  return rows;
}

export async function markFoundAssets(db: Db, ids: string[], now: Date): Promise<void> {
  if (ids.length > 0) await sql`update assets set needed_at = ${now} where id = any(${ids}::uuid[])`.execute(db);
}

/** Except for those that were loaded in the meantime. Returns how many. */
export async function deleteAgedAssets(db: Db, ids: string[], before: Date): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from assets where id = any(${ids}::uuid[]) and ${lastNeeded} < ${before}`.execute(db);
  return Number(numAffectedRows);
}

/** What can contain the address of an image, with the key that pages through it. */
const documentTables = {
  workflow_versions: { column: "definition", key: { id: "uuid" } },
  layouts: { column: "control_values", key: { id: "uuid" } },
  step_templates: { column: "step", key: { environment_id: "uuid", id: "uuid" } },
  translations: {
    column: "content",
    key: { environment_id: "uuid", resource_type: "text", resource_id: "uuid", locale: "text" },
  },
  environments: { column: "brand", key: { id: "uuid" } },
  contexts: { column: "brand", key: { environment_id: "uuid", type: "text", id: "text" } },
  publishes: { column: "resources", key: { id: "uuid" } },
} as const;
export type DocumentTable = keyof typeof documentTables;
export const documentsWithImages = Object.keys(documentTables) as DocumentTable[];

/** The key of the last document of a page, as texts. */
export type DocumentKey = string[];

/** `next`: null when all documents have been read. */
export type MentionPage = { hashes: string[]; next: DocumentKey | null };

/**
 * The hashes of images whose addresses are in a page of documents, of all environments: a published workflow shows the
 * images of the environment that it was published from.
 */
export async function findMentionedHashes(
  db: Db,
  table: DocumentTable,
  { after, limit }: { after: DocumentKey | null; limit: number },
): Promise<MentionPage> {
  const { column, key } = documentTables[table];
  const names = sql.join(Object.keys(key).map((name) => sql.ref(name)));
  const values = after?.map((value, index) => sql`${value}::${sql.raw(Object.values(key)[index]!)}`);
  const { rows } = await sql<{ key: DocumentKey; hashes: string[] | null }>`
    select array[${sql.join(Object.keys(key).map((name) => sql`${sql.ref(name)}::text`))}] as key,
      case when document like '%/assets/%' then array(
        select distinct found[1] from regexp_matches(document, '/assets/[0-9a-f-]{36}/([0-9a-f]{64})', 'g') as found)
      end as hashes
    from (
      select ${names}, ${sql.ref(column)}::text as document from ${sql.table(table)}
      where ${sql.ref(column)} is not null ${values ? sql`and (${names}) > (${sql.join(values)})` : sql``}
      order by ${names} limit ${limit}) as documents`.execute(db);
  return {
    hashes: [...new Set(rows.flatMap(({ hashes }) => hashes ?? []))],
    next: rows.length < limit ? null : rows.at(-1)!.key,
  };
}

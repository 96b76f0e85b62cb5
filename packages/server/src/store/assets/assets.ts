// Images of emails, with their bytes.
import { type Selectable, sql } from "kysely";
import { isUuid } from "../../lib/ids.ts";
import type { Db } from "../db.ts";
import { type CursorPage, type CursorRequest, cursorPage } from "../paging.ts";
import type { Tables } from "../tables.ts";

export type StoredAsset = Selectable<Tables["assets"]>;
/** Without the bytes, which only the public address needs. */
export type AssetRow = Omit<StoredAsset, "bytes">;
/** Before it was loaded. */
export type NewAsset = Omit<StoredAsset, "needed_at">;

const columns = sql`id, environment_id, hash, content_type, file_name, width, height, size, created_at, needed_at`;

export async function findAssetByHash(db: Db, environmentId: string, hash: string): Promise<AssetRow | undefined> {
  const { rows } = await sql<AssetRow>`
    select ${columns} from assets where environment_id = ${environmentId} and hash = ${hash}`.execute(db);
  return rows[0];
}

export async function findAssetBytes(db: Db, environmentId: string, hash: string): Promise<StoredAsset | undefined> {
  const { rows } = await sql<StoredAsset>`
    select ${columns}, bytes from assets where environment_id = ${environmentId} and hash = ${hash}`.execute(db);
  return rows[0];
}

/** One row at a time: two requests for an image do not write it twice. */
export async function markAssetNeeded(db: Db, environmentId: string, asset: { id: string; now: Date }): Promise<void> {
  await sql`update assets set needed_at = ${asset.now} where environment_id = ${environmentId} and id = ${asset.id}
    and coalesce(needed_at, created_at) < ${asset.now}`.execute(db);
}

/** The sizes of images of this environment, by their hash. */
export async function findAssetSizes(
  db: Db,
  environmentId: string,
  hashes: string[],
): Promise<{ hash: string; size: number }[]> {
  if (hashes.length === 0) return [];
  const { rows } = await sql<{ hash: string; size: number }>`
    select hash, size from assets where environment_id = ${environmentId} and hash = any(${hashes})`.execute(db);
  return rows;
}

export async function sumAssetBytes(db: Db, environmentId: string): Promise<number> {
  const { rows } = await sql<{ sum: number }>`
    select coalesce(sum(size), 0)::float8 as sum from assets where environment_id = ${environmentId}`.execute(db);
  return rows[0]!.sum;
}

export async function insertAsset(db: Db, environmentId: string, asset: NewAsset): Promise<void> {
  await db
    .insertInto("assets")
    .values({ ...asset, environment_id: environmentId })
    .execute();
}

export const listAssets = (db: Db, environmentId: string, request: CursorRequest): Promise<CursorPage<AssetRow>> =>
  cursorPage<AssetRow>(
    db,
    {
      columns,
      from: sql`from assets where environment_id = ${environmentId}`,
      sort: sql`created_at`,
      id: sql`id`,
    },
    request,
  );

export async function deleteAsset(db: Db, environmentId: string, id: string): Promise<boolean> {
  if (!isUuid(id)) return false;
  const { rows } = await sql`
    delete from assets where environment_id = ${environmentId} and id = ${id} returning 1`.execute(db);
  return rows.length > 0;
}

// The brand of an environment, and what its contexts override of it.
import type { BrandIn } from "@tidings/contract";
import { sql } from "kysely";
import type { Db } from "../db.ts";

/** What content of an environment is rendered with: schemes of apps that its links keep, its brand and its domain. */
export type RenderSettings = { linkSchemes: string[]; brand: BrandIn | null; pagesUrl: string | null };

export async function findRenderSettings(db: Db, environmentId: string): Promise<RenderSettings> {
  const row = await db
    .selectFrom("environments")
    .where("id", "=", environmentId)
    .select(["link_schemes", "brand", "pages_url"])
    .executeTakeFirst();
  return { linkSchemes: row?.link_schemes ?? [], brand: row?.brand ?? null, pagesUrl: row?.pages_url ?? null };
}

export const findBrand = async (db: Db, environmentId: string): Promise<BrandIn | null> =>
  (await findRenderSettings(db, environmentId)).brand;

export async function setBrand(
  db: Db,
  environmentId: string,
  { brand, now }: { brand: BrandIn | null; now: Date },
): Promise<void> {
  await db
    .updateTable("environments")
    .set({ brand: brand && JSON.stringify(brand), updated_at: now })
    .where("id", "=", environmentId)
    .execute();
}

type ContextName = { type: string; id: string };

/** False when there is no such context. */
export async function setContextBrand(
  db: Db,
  environmentId: string,
  { type, id, brand, now }: ContextName & { brand: BrandIn | null; now: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("contexts")
    .set({ brand: brand && JSON.stringify(brand), updated_at: now })
    .where("environment_id", "=", environmentId)
    .where("type", "=", type)
    .where("id", "=", id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The first context in the order of the keys (`<type>:<id>`) that overrides the brand. */
export async function findContextBrand(db: Db, environmentId: string, keys: string[]): Promise<BrandIn | null> {
  if (keys.length === 0) return null;
  const { rows } = await sql<{ brand: BrandIn }>`
    select c.brand from unnest(${keys}::text[]) with ordinality as k (key, position)
    join contexts c on c.environment_id = ${environmentId}
      and c.type = split_part(k.key, ':', 1) and c.id = split_part(k.key, ':', 2)
    where c.brand is not null order by k.position limit 1`.execute(db);
  return rows[0]?.brand ?? null;
}

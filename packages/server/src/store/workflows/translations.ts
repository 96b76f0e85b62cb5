// Texts of workflows and layouts by locale.
import type { TranslatedResource } from "@tidings/contract";
import { type Selectable, sql } from "kysely";
import type { JsonObject } from "../../lib/json.ts";
import { defaultLocale } from "../../lib/locale.ts";
import { sourcesAfter } from "../../lib/text/translated-texts.ts";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { cappedCount } from "../paging.ts";
import type { Tables } from "../tables.ts";
export type TranslationRow = Selectable<Tables["translations"]>;
/** `reviewed`: keys whose texts are up to date, though unchanged. */
export type TranslationEntry = Pick<TranslationRow, "resource_type" | "resource_id" | "locale" | "content"> & {
  reviewed?: readonly string[];
};
export type Resource = { type: TranslatedResource; id: string };

const entryColumns = {
  resource_type: "text",
  resource_id: "uuid",
  locale: "text",
  content: "jsonb",
  sources: "jsonb",
};

/** Inserts or replaces the texts of many resources and locales. No resource and locale may be given twice. */
export async function upsertTranslations(
  db: Db,
  environmentId: string,
  entries: TranslationEntry[],
  now: Date,
): Promise<TranslationRow[]> {
  const ids = [...new Set(entries.map(({ resource_id }) => resource_id))];
  return writeTranslations(db, environmentId, {
    entries,
    known: entries.length === 0 ? [] : await listTranslationsOf(db, environmentId, ids),
    now,
  });
}

/** Replaces all translations of these resources. */
export async function replaceTranslations(
  db: Db,
  environmentId: string,
  { resourceIds, entries, now }: { resourceIds: string[]; entries: TranslationEntry[]; now: Date },
): Promise<void> {
  const known = await listTranslationsOf(db, environmentId, resourceIds);
  await sql`delete from translations
    where environment_id = ${environmentId} and resource_type in ('workflow', 'layout')
      and resource_id = any(${resourceIds})`.execute(db);
  await writeTranslations(db, environmentId, { entries, known, now });
}

/** `known`: the texts of these resources before. Those of the default locale are the sources of the others. */
async function writeTranslations(
  db: Db,
  environmentId: string,
  { entries: given, known, now }: { entries: TranslationEntry[]; known: readonly TranslationRow[]; now: Date },
): Promise<TranslationRow[]> {
  if (given.length === 0) return [];
  const keyOf = ({ resource_type, resource_id }: TranslationEntry, locale: string) =>
    `${resource_type} ${resource_id} ${locale}`;
  const before = new Map(known.map((row) => [keyOf(row, row.locale), row]));
  const after = new Map(given.map((entry) => [keyOf(entry, entry.locale), entry]));
  const entries = given.map(({ reviewed, ...entry }) => {
    if (entry.locale === defaultLocale) return { ...entry, sources: null };
    const reference = keyOf(entry, defaultLocale);
    const sources = sourcesAfter(entry.content, {
      before: before.get(keyOf(entry, entry.locale)),
      reference: (after.get(reference) ?? before.get(reference))?.content,
      reviewed,
    });
    return { ...entry, sources };
  });
  const { rows } = await sql<TranslationRow>`
    insert into translations
      (environment_id, resource_type, resource_id, locale, content, sources, created_at, updated_at)
    select ${environmentId}, r.resource_type, r.resource_id, r.locale, r.content, r.sources, ${now}, ${now}
    from ${rowsOf("r", entryColumns, entries)}
    on conflict (environment_id, resource_type, resource_id, locale) do update
      set content = excluded.content, sources = excluded.sources, updated_at = excluded.updated_at
    returning *`.execute(db);
  return rows;
}

const ofResource = (db: Db, environmentId: string, resource: Resource) =>
  db
    .selectFrom("translations")
    .where("environment_id", "=", environmentId)
    .where("resource_type", "=", resource.type)
    .where("resource_id", "=", resource.id)
    .selectAll();

export const listTranslations = (db: Db, environmentId: string, resource: Resource): Promise<TranslationRow[]> =>
  ofResource(db, environmentId, resource).orderBy("locale").execute();

export const findTranslation = (
  db: Db,
  environmentId: string,
  resource: Resource,
  locale: string,
): Promise<TranslationRow | undefined> =>
  ofResource(db, environmentId, resource).where("locale", "=", locale).executeTakeFirst();

/** Texts of these workflows and layouts in any of these locales, for a batch of runs. */
export async function findTranslationsOf(
  db: Db,
  environmentId: string,
  resourceIds: string[],
  locales: string[],
): Promise<TranslationRow[]> {
  if (resourceIds.length === 0 || locales.length === 0) return [];
  return db
    .selectFrom("translations")
    .where("environment_id", "=", environmentId)
    .where("resource_type", "in", ["workflow", "layout"])
    .where("resource_id", "in", resourceIds)
    .where("locale", "in", locales)
    .selectAll()
    .execute();
}

/** All texts of an environment's workflows and layouts that are not deleted. */
export const listAllTranslations = (db: Db, environmentId: string): Promise<TranslationRow[]> =>
  db
    .selectFrom("translations")
    .where("environment_id", "=", environmentId)
    .orderBy("resource_id")
    .orderBy("locale")
    .selectAll()
    .execute();

/** Deletes one locale, or all of them. Returns how many there were. */
export async function deleteTranslations(
  db: Db,
  environmentId: string,
  resource: Resource,
  locale?: string,
): Promise<number> {
  const result = await db
    .deleteFrom("translations")
    .where("environment_id", "=", environmentId)
    .where("resource_type", "=", resource.type)
    .where("resource_id", "=", resource.id)
    .$if(locale !== undefined, (query) => query.where("locale", "=", locale!))
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

export async function copyTranslations(
  db: Db,
  environmentId: string,
  { from, to, now }: { from: Resource; to: Resource; now: Date },
): Promise<void> {
  await sql`
    insert into translations
      (environment_id, resource_type, resource_id, locale, content, sources, created_at, updated_at)
    select environment_id, ${to.type}, ${to.id}, locale, content, sources, ${now}, ${now} from translations
    where environment_id = ${environmentId} and resource_type = ${from.type} and resource_id = ${from.id}`.execute(db);
}

export type TranslatedTexts = { type: TranslatedResource; identifier: string; content: JsonObject };

/** All texts of an environment in one locale, with the identifiers of the resources. */
export async function listTextsOfLocale(db: Db, environmentId: string, locale: string): Promise<TranslatedTexts[]> {
  const { rows } = await sql<TranslatedTexts>`
    select t.resource_type as type, coalesce(w.workflow_id, l.layout_id) as identifier, t.content
    from translations t
    left join workflows w on t.resource_type = 'workflow' and w.id = t.resource_id and w.deleted_at is null
    left join layouts l on t.resource_type = 'layout' and l.id = t.resource_id
    where t.environment_id = ${environmentId} and t.locale = ${locale} and (w.id is not null or l.id is not null)
    order by identifier`.execute(db);
  return rows;
}

export type NamedResource = Resource & { identifier: string };

/** The given identifiers that exist, with their internal ids. */
export async function findNamedResources(
  db: Db,
  environmentId: string,
  identifiers: { workflow: string[]; layout: string[] },
): Promise<NamedResource[]> {
  const { rows } = await sql<NamedResource>`
    select 'workflow' as type, id, workflow_id as identifier from workflows
    where environment_id = ${environmentId} and deleted_at is null and workflow_id = any(${identifiers.workflow})
    union all
    select 'layout', id, layout_id from layouts
    where environment_id = ${environmentId} and layout_id = any(${identifiers.layout})`.execute(db);
  return rows;
}

/** The workflows and layouts that have texts, in the order of their names. */
export async function listTranslatedResources(
  db: Db,
  environmentId: string,
  search: string | undefined,
  page: { limit: number; offset: number },
): Promise<{ owners: (NamedResource & { name: string })[]; totalCount: number }> {
  const from = sql`from (
      select 'workflow' as type, id, workflow_id as identifier, name from workflows
      where environment_id = ${environmentId} and deleted_at is null
      union all
      select 'layout', id, layout_id, name from layouts where environment_id = ${environmentId}) o
    where exists (select 1 from translations t
      where t.environment_id = ${environmentId} and t.resource_type = o.type and t.resource_id = o.id)
    and (${search ?? ""} = '' or position(lower(${search ?? ""}) in lower(o.name)) > 0
      or position(lower(${search ?? ""}) in lower(o.identifier)) > 0)`;
  const { rows: owners } = await sql<NamedResource & { name: string }>`
    select o.* ${from} order by lower(o.name), o.id limit ${page.limit} offset ${page.offset}`.execute(db);
  return { owners, totalCount: await cappedCount(db, from) };
}

/** All texts of these workflows and layouts. */
export async function listTranslationsOf(
  db: Db,
  environmentId: string,
  resourceIds: string[],
): Promise<TranslationRow[]> {
  const { rows } = await sql<TranslationRow>`
    select * from translations where environment_id = ${environmentId} and resource_id = any(${resourceIds}::uuid[])
    order by locale`.execute(db);
  return rows;
}

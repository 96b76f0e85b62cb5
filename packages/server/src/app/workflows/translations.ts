// Translations: texts of a workflow or layout by locale. They are deleted together with their resource.
import {
  type Input,
  type Output,
  type TranslatedResource,
  type Translation,
  translatedResources,
  type UploadedFile,
} from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { canonicalLocale, defaultLocale } from "../../lib/locale.ts";
import { outdatedKeys } from "../../lib/text/translated-texts.ts";
import {
  deleteTranslations,
  findNamedResources,
  findTranslation,
  listTextsOfLocale,
  listTranslatedResources,
  listTranslations,
  listTranslationsOf,
  type TranslationEntry,
  type TranslationRow,
  upsertTranslations,
} from "../../store/workflows/translations.ts";
import { formats } from "../../validation.ts";
import { requireLayout } from "./layouts.ts";
import { textFaults } from "./texts/text-faults.ts";
import { contentFault, readTranslationFile } from "./translation-files.ts";
import { requireWorkflow } from "./workflows.ts";

type Owner = { type: TranslatedResource; id: string; identifier: string; name: string };

async function requireOwner(ctx: Ctx, caller: Caller, type: TranslatedResource, resourceId: string): Promise<Owner> {
  if (type === "workflow") {
    const { id, workflow_id, name } = await requireWorkflow(ctx, caller.environmentId, resourceId);
    return { type, id, identifier: workflow_id, name };
  }
  const { id, layout_id, name } = await requireLayout(ctx, caller.environmentId, resourceId);
  return { type, id, identifier: layout_id, name };
}

/** The workflow or layout named in a path; 404 for an unknown type, too. */
export function requirePathOwner(ctx: Ctx, caller: Caller, params: { resourceType: string; resourceId: string }) {
  const { resourceType, resourceId } = params;
  const type = translatedResources.find((one) => one === resourceType);
  if (!type) throw failure("TRANSLATION_GROUP_NOT_FOUND", { resourceType, resourceId });
  return requireOwner(ctx, caller, type, resourceId);
}

/** `reference`: the texts of the default locale. */
const toTranslation = (owner: Owner, row: TranslationRow, reference: TranslationRow | undefined): Translation => ({
  resourceId: owner.identifier,
  resourceType: owner.type,
  locale: row.locale,
  content: row.content,
  ...healthOf(row, reference),
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
});

export async function create(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"translations.create">,
): Promise<Output<"translations.create">> {
  const fault = contentFault(body.content);
  if (fault) throw invalid({ content: { messages: [`content ${fault}`] } });
  const owner = await requireOwner(ctx, caller, body.resourceType, body.resourceId);
  const entry = { ...entryOf(owner, canonicalLocale(body.locale), body.content), reviewed: body.reviewed };
  const [row] = await upsertTranslations(ctx.db, caller.environmentId, [entry], ctx.now());
  return toTranslation(owner, row!, await findTranslation(ctx.db, caller.environmentId, owner, defaultLocale));
}

/** What is wrong with the texts of a locale; members without anything are absent. */
function healthOf(row: TranslationRow, reference: TranslationRow | undefined) {
  const outdated = reference && row.locale !== defaultLocale ? outdatedKeys(row, reference.content) : [];
  const faults = textFaults(row.content);
  return { ...(outdated.length > 0 && { outdatedKeys: outdated }), ...(faults.length > 0 && { faults }) };
}

const entryOf = (owner: { type: TranslatedResource; id: string }, locale: string, content: JsonObject) => ({
  resource_type: owner.type,
  resource_id: owner.id,
  locale,
  content,
});

export async function retrieveGroup(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"translations.retrieveGroup">,
): Promise<Output<"translations.retrieveGroup">> {
  const owner = await requirePathOwner(ctx, caller, params);
  const rows = await listTranslations(ctx.db, caller.environmentId, owner);
  if (rows.length === 0) throw failure("TRANSLATION_GROUP_NOT_FOUND", params);
  return groupOf(owner, rows);
}

export async function listGroups(
  ctx: Ctx,
  { environmentId }: Caller,
  { query }: Input<"translations.listGroups">,
): Promise<Output<"translations.listGroups">> {
  const page = { limit: query.limit ?? 25, offset: query.offset ?? 0 };
  const { owners, totalCount } = await listTranslatedResources(ctx.db, environmentId, query.query, page);
  const rows = await listTranslationsOf(
    ctx.db,
    environmentId,
    owners.map(({ id }) => id),
  );
  const byOwner = Map.groupBy(rows, ({ resource_type, resource_id }) => `${resource_type} ${resource_id}`);
  const groups = owners.map((owner) => {
    const own = byOwner.get(`${owner.type} ${owner.id}`) ?? [];
    return { ...groupOf(owner, own), completeness: completenessOf(own) };
  });
  return { groups, totalCount };
}

function groupOf(owner: Owner, rows: TranslationRow[]): Output<"translations.retrieveGroup"> {
  const hasReference = rows.some((row) => row.locale === defaultLocale);
  const hasTargets = rows.some((row) => row.locale !== defaultLocale);
  const outdated = completenessOf(rows).filter(({ missing }) => missing > 0);
  const time = (pick: "created_at" | "updated_at") => rows.map((row) => row[pick].toISOString()).sort();
  return {
    resourceId: owner.identifier,
    resourceType: owner.type,
    resourceName: owner.name,
    locales: rows.map((row) => row.locale),
    outdatedLocales: hasReference && hasTargets ? outdated.map(({ locale }) => locale) : undefined,
    createdAt: time("created_at")[0]!,
    updatedAt: time("updated_at").at(-1)!,
  };
}

/** Without texts in the default locale nothing is missing, and nothing too many. */
function completenessOf(rows: TranslationRow[]) {
  const reference = rows.find((row) => row.locale === defaultLocale);
  const wanted = new Set(reference ? keysOf(reference.content) : []);
  return rows.map((row) => {
    const own = new Set(keysOf(row.content));
    const { outdatedKeys: outdated, faults } = healthOf(row, reference);
    return {
      locale: row.locale,
      keys: own.size,
      missing: [...wanted].filter((key) => !own.has(key)).length,
      extra: reference ? [...own].filter((key) => !wanted.has(key)).length : 0,
      ...(outdated && { outdated: outdated.length }),
      ...(faults && { faulty: faults.length }),
    };
  });
}

/** The dotted keys of all texts. */
export function keysOf(content: JsonObject, path = ""): string[] {
  return Object.entries(content).flatMap(([key, value]) =>
    isObject(value) ? keysOf(value, `${path}${key}.`) : [`${path}${key}`],
  );
}

export async function retrieve(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"translations.retrieve">,
): Promise<Output<"translations.retrieve">> {
  const owner = await requirePathOwner(ctx, caller, params);
  const locale = readPathLocale(params.locale);
  const row = locale && (await findTranslation(ctx.db, caller.environmentId, owner, locale));
  if (!row) throw failure("TRANSLATION_NOT_FOUND", params);
  return toTranslation(owner, row, await findTranslation(ctx.db, caller.environmentId, owner, defaultLocale));
}

/** Null when the text is not a locale, so that no translation can exist for it. */
const readPathLocale = (text: string): string | null => (formats.locale(text) ? canonicalLocale(text) : null);

export async function remove(ctx: Ctx, caller: Caller, { params }: Input<"translations.delete">): Promise<undefined> {
  const owner = await requirePathOwner(ctx, caller, params);
  const locale = readPathLocale(params.locale);
  const count = locale ? await deleteTranslations(ctx.db, caller.environmentId, owner, locale) : 0;
  if (count === 0) throw failure("TRANSLATION_NOT_FOUND", params);
}

export async function removeGroup(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"translations.deleteGroup">,
): Promise<undefined> {
  const owner = await requirePathOwner(ctx, caller, params);
  const count = await deleteTranslations(ctx.db, caller.environmentId, owner);
  if (count === 0) throw failure("TRANSLATION_GROUP_NOT_FOUND", params);
}

export async function retrieveMaster(
  ctx: Ctx,
  caller: Caller,
  { query }: Input<"translations.retrieveMaster">,
): Promise<Output<"translations.retrieveMaster">> {
  const rows = await listTextsOfLocale(ctx.db, caller.environmentId, canonicalLocale(query.locale ?? defaultLocale));
  const ofType = (type: TranslatedResource) =>
    Object.fromEntries(rows.filter((row) => row.type === type).map((row) => [row.identifier, row.content]));
  return { workflows: ofType("workflow"), layouts: ofType("layout") };
}

export async function importMaster(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"translations.importMaster">,
): Promise<Output<"translations.importMaster">> {
  return storeMaster(ctx, caller, canonicalLocale(body.locale), body.masterJson);
}

type Master = Input<"translations.importMaster">["body"]["masterJson"];

/** Each resource succeeds or fails on its own. */
async function storeMaster(ctx: Ctx, caller: Caller, locale: string, master: Master) {
  const given = { workflow: master.workflows ?? {}, layout: master.layouts ?? {} };
  const identifiers = { workflow: Object.keys(given.workflow), layout: Object.keys(given.layout) };
  const found = await findNamedResources(ctx.db, caller.environmentId, identifiers);
  const entries: TranslationEntry[] = [];
  const stored = { workflow: new Set<string>(), layout: new Set<string>() };
  for (const owner of found) {
    const content = given[owner.type][owner.identifier];
    if (!isObject(content) || contentFault(content)) continue;
    entries.push(entryOf(owner, locale, content));
    stored[owner.type].add(owner.identifier);
  }
  await upsertTranslations(ctx.db, caller.environmentId, entries, ctx.now());
  const all = translatedResources.flatMap((type) => identifiers[type].map((name) => ({ type, name })));
  const successful = all.filter(({ type, name }) => stored[type].has(name)).map(({ name }) => name);
  const failed = all.filter(({ type, name }) => !stored[type].has(name)).map(({ name }) => name);
  const message = `${successful.length} of ${all.length} resources imported for ${locale}`;
  const result = { success: successful.length > 0, message };
  if (ctx.config.vocabulary === "neutral") return { ...result, successful, failed };
  // Novu leaves a list out when it is empty.
  return { ...result, ...(successful.length > 0 && { successful }), ...(failed.length > 0 && { failed }) };
}

export async function uploadMaster(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"translations.uploadMaster">,
): Promise<Output<"translations.uploadMaster">> {
  const file = readTranslationFile(body.file);
  if ("fault" in file) throw invalid({ file: { messages: [`file ${file.fault}`], value: body.file.fileName } });
  const { workflows = {}, layouts = {} } = file.content;
  const wrong = Object.entries({ workflows, layouts }).find(([, texts]) => !isObject(texts));
  if (wrong) throw invalid({ file: { messages: [`file ${wrong[0]} must be an object`], value: body.file.fileName } });
  return storeMaster(ctx, caller, file.locale, { workflows, layouts } as Master);
}

export async function upload(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"translations.upload">,
): Promise<Output<"translations.upload">> {
  const owner = await requireOwner(ctx, caller, body.resourceType, body.resourceId);
  const errors: string[] = [];
  // The same locale twice in one upload: the last file wins.
  const byLocale = new Map<string, TranslationEntry>();
  for (const file of body.files as UploadedFile[]) {
    const read = readTranslationFile(file);
    if ("fault" in read) errors.push(`${file.fileName} ${read.fault}`);
    else byLocale.set(read.locale, entryOf(owner, read.locale, read.content));
  }
  await upsertTranslations(ctx.db, caller.environmentId, [...byLocale.values()], ctx.now());
  const totalFiles = body.files.length;
  return { totalFiles, successfulUploads: totalFiles - errors.length, failedUploads: errors.length, errors };
}

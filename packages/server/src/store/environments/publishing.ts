// Copying workflows, layouts, categories and audiences between environments: everything of one kind in one statement.
import type { AttentionBudget, BrandIn } from "@tidings/contract";
import { sql } from "kysely";
import { findBudgets } from "../attention/budgets.ts";
import { listAllAudiences, listBroadcastAudiences } from "../audiences/audience-files.ts";
import type { AudienceRow } from "../audiences/audiences.ts";
import { rowsOf } from "../bulk.ts";
import { type Db, isUniqueViolation } from "../db.ts";
import {
  type CategoryRow,
  type CategoryWorkflow,
  listCategories,
  listCategoryWorkflows,
} from "../subscribers/categories.ts";
import { type LayoutRow, listAllLayouts } from "../workflows/layouts.ts";
import { listAllTranslations, type TranslationRow } from "../workflows/translations.ts";
import { insertVersions } from "../workflows/versions.ts";
import { versionOf, type WorkflowRow } from "../workflows/workflows.ts";
import { findBrand } from "./brand.ts";

/** The publishable resources of an environment. */
export type Publishable = {
  workflows: WorkflowRow[];
  layouts: LayoutRow[];
  translations: TranslationRow[];
  /** In their order. */
  categories: CategoryRow[];
  /** Workflows of a bridge that are in a category: they are not published, and keep it from being deleted. */
  bridgedMembers: CategoryWorkflow[];
  /** Null: none is set. */
  brand: BrandIn | null;
  /** The attention budgets, in their order. */
  attention: AttentionBudget[];
  /** Those with a rule. */
  audiences: AudienceRow[];
  /** Ids of fixed audiences, which are not published. */
  fixedAudiences: string[];
  /** Ids of the audiences of broadcasts that are not finished: these are not deleted. */
  broadcastAudiences: string[];
};

/** `lock`: when the environment is about to be changed. */
export async function readPublishable(db: Db, environmentId: string, options: { lock: boolean }): Promise<Publishable> {
  const workflows = await db
    .selectFrom("workflows")
    .where("environment_id", "=", environmentId)
    .where("deleted_at", "is", null)
    // A workflow of a bridge gets into an environment by a sync with the bridge of that environment.
    .where("bridge_url", "is", null)
    .orderBy("workflow_id")
    .selectAll()
    .$if(options.lock, (query) => query.forUpdate())
    .execute();
  const layouts = await listAllLayouts(db, environmentId);
  const published = new Set(workflows.map(({ workflow_id }) => workflow_id));
  const members = await listCategoryWorkflows(db, environmentId);
  const audiences = await listAllAudiences(db, environmentId, options);
  return {
    bridgedMembers: members.filter(({ workflow_id }) => !published.has(workflow_id)),
    workflows,
    layouts,
    translations: await listAllTranslations(db, environmentId),
    categories: await listCategories(db, environmentId, options),
    brand: await findBrand(db, environmentId),
    attention: await findBudgets(db, environmentId),
    audiences: audiences.filter(({ rule }) => rule !== null),
    fixedAudiences: audiences.filter(({ rule }) => rule === null).map(({ audience_id }) => audience_id),
    broadcastAudiences: await listBroadcastAudiences(db, environmentId),
  };
}

const workflowColumns = {
  id: "uuid",
  environment_id: "uuid",
  workflow_id: "text",
  version_id: "uuid",
  name: "text",
  description: "text",
  tags: "text[]",
  active: "boolean",
  validate_payload: "boolean",
  payload_schema: "jsonb",
  is_translation_enabled: "boolean",
  severity: "text",
  origin: "text",
  preferences_user: "jsonb",
  preferences_default: "jsonb",
  steps: "jsonb",
  outside_schedule: "text",
  on_unknown_outcome: "text",
  search_keys: "text[]",
  objectives: "jsonb",
  category_id: "text",
  is_commercial: "boolean",
  message_class: "text",
  priority: "text",
  last_published_at: "timestamptz",
  last_published_by: "uuid",
  created_at: "timestamptz",
  updated_at: "timestamptz",
  updated_by: "uuid",
  deleted_at: "timestamptz",
};

const layoutColumns = {
  id: "uuid",
  environment_id: "uuid",
  layout_id: "text",
  name: "text",
  is_default: "boolean",
  is_translation_enabled: "boolean",
  origin: "text",
  control_values: "jsonb",
  created_at: "timestamptz",
  updated_at: "timestamptz",
  updated_by: "uuid",
};

/** Inserts the rows, or replaces those with the same id. */
async function putRows(db: Db, table: "workflows" | "layouts", columns: Record<string, string>, rows: object[]) {
  if (rows.length === 0) return;
  const names = Object.keys(columns);
  const list = sql.raw(names.join(", "));
  const changes = sql.raw(
    names
      .slice(2)
      .map((name) => `${name} = excluded.${name}`)
      .join(", "),
  );
  await sql`insert into ${sql.table(table)} (${list}) select ${list} from ${rowsOf("r", columns, rows)}
    on conflict (id) do update set ${changes}`.execute(db);
}

/** Saves workflows of one environment, each with a new version. A deleted one exists again afterwards. */
export async function putWorkflows(
  db: Db,
  environmentId: string,
  rows: WorkflowRow[],
  summarize: (row: WorkflowRow) => string,
): Promise<void> {
  await putRows(db, "workflows", workflowColumns, rows);
  const versions = rows.map((row) => versionOf(environmentId, row.version_id, row, summarize(row)));
  await insertVersions(db, environmentId, versions);
}

/** The given workflows that are deleted. Their rows stay for the runs that name them. */
export const findDeletedWorkflows = (db: Db, environmentId: string, ids: string[]): Promise<WorkflowRow[]> =>
  ids.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom("workflows")
        .where("environment_id", "=", environmentId)
        .where("deleted_at", "is not", null)
        .where("id", "in", ids)
        .selectAll()
        .execute();

export const putLayouts = (db: Db, rows: LayoutRow[]): Promise<void> => putRows(db, "layouts", layoutColumns, rows);

/** Runs of these workflows are canceled when the pipeline next processes them. */
export async function markWorkflowsDeleted(db: Db, environmentId: string, ids: string[], now: Date): Promise<void> {
  await sql`update workflows set deleted_at = ${now}, active = false, updated_at = ${now}
    where environment_id = ${environmentId} and id = any(${ids})`.execute(db);
}

export async function deleteLayouts(db: Db, environmentId: string, ids: string[]): Promise<void> {
  await sql`delete from layouts where environment_id = ${environmentId} and id = any(${ids})`.execute(db);
}

/** Records that these workflows were published; updated_at does not change. */
export async function markPublished(
  db: Db,
  environmentId: string,
  { ids, by, now }: { ids: string[]; by: string; now: Date },
): Promise<void> {
  await sql`update workflows set last_published_at = ${now}, last_published_by = ${by}
    where environment_id = ${environmentId} and id = any(${ids})`.execute(db);
}

export async function findUserNames(db: Db, organizationId: string, ids: string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("users")
    .where("organization_id", "=", organizationId)
    .where("id", "in", ids)
    .select(["id", "name"])
    .execute();
  return new Map(rows.map((row) => [row.id, row.name]));
}

/** The workflow identifier that another request took meanwhile; null when the error is another one. */
export function takenWorkflowId(error: unknown): string | null {
  if (!isUniqueViolation(error, "workflows_identifier")) return null;
  // "Key (environment_id, workflow_id)=(<uuid>, <identifier>) already exists."
  return /\)=\([^,]+, (.*)\) already exists/.exec((error as { detail?: string }).detail ?? "")?.[1] ?? "";
}

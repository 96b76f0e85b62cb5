// Workflows and their immutable versions. Saving writes a new version; a run keeps the version it was started with.
import type { MessageClass } from "@tidings/contract";
import { type Selectable, sql } from "kysely";
import { isUuid } from "../../lib/ids.ts";
import type { Db } from "../db.ts";
import type { StoredStep, Tables, WorkflowDefinition } from "../tables.ts";
import { insertVersions, type NewVersion } from "./versions.ts";

export type { StoredStep, WorkflowDefinition };
export type WorkflowRow = Selectable<Tables["workflows"]>;

/** Whom a workflow reaches through which channels and when; `critical` is one of the preferences. */
export type WorkflowRules = Pick<
  WorkflowDefinition,
  "preferences" | "outsideSchedule" | "categoryId" | "messageClass" | "priority"
>;

export type WorkflowVersion = {
  id: string;
  environmentId: string;
  /** Internal id of the workflow. */
  workflowId: string;
  definition: WorkflowDefinition;
};

export type WorkflowContent = Omit<WorkflowRow, "environment_id" | "version_id" | "created_at" | "deleted_at">;

const definitionOf = (row: WorkflowContent): WorkflowDefinition => ({
  workflowId: row.workflow_id,
  name: row.name,
  description: row.description,
  tags: row.tags,
  severity: row.severity,
  origin: row.origin,
  preferences: { user: row.preferences_user, default: row.preferences_default },
  steps: row.steps,
  outsideSchedule: row.outside_schedule,
  onUnknownOutcome: row.on_unknown_outcome,
  isTranslationEnabled: row.is_translation_enabled,
  ...(row.search_keys.length > 0 && { searchKeys: row.search_keys }),
  ...(row.objectives && { objectives: row.objectives }),
  ...(row.category_id !== null && { categoryId: row.category_id }),
  ...(row.is_commercial && { isCommercial: true }),
  ...(row.message_class !== "transactional" && { messageClass: row.message_class }),
  ...(row.priority !== "normal" && { priority: row.priority }),
  ...(row.bridge_url === null ? {} : { isBridged: true }),
});

const toColumns = (content: WorkflowContent) => ({
  ...content,
  payload_schema: content.payload_schema && JSON.stringify(content.payload_schema),
  preferences_user: content.preferences_user && JSON.stringify(content.preferences_user),
  preferences_default: JSON.stringify(content.preferences_default),
  steps: JSON.stringify(content.steps),
  objectives: content.objectives && JSON.stringify(content.objectives),
});

/** The immutable version that a save creates. */
export const versionOf = (
  environmentId: string,
  versionId: string,
  content: WorkflowContent,
  summary: string,
): NewVersion => ({
  id: versionId,
  environment_id: environmentId,
  workflow_id: content.id,
  definition: definitionOf(content),
  step_types: [...new Set(content.steps.filter((step) => step.active).map((step) => step.type))],
  created_at: content.updated_at,
  created_by: content.updated_by,
  summary,
  settings: {
    active: content.active,
    validatePayload: content.validate_payload,
    payloadSchema: content.payload_schema,
  },
});

export async function insertWorkflow(
  db: Db,
  environmentId: string,
  { versionId, content, summary }: { versionId: string; content: WorkflowContent; summary: string },
): Promise<WorkflowRow> {
  const row = await db
    .insertInto("workflows")
    .values({
      ...toColumns(content),
      environment_id: environmentId,
      version_id: versionId,
      created_at: content.updated_at,
      deleted_at: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await insertVersions(db, environmentId, [versionOf(environmentId, versionId, content, summary)]);
  return row;
}

export async function replaceWorkflow(
  db: Db,
  environmentId: string,
  { versionId, content, summary }: { versionId: string; content: WorkflowContent; summary: string },
): Promise<WorkflowRow> {
  await insertVersions(db, environmentId, [versionOf(environmentId, versionId, content, summary)]);
  return db
    .updateTable("workflows")
    .set({ ...toColumns(content), version_id: versionId })
    .where("environment_id", "=", environmentId)
    .where("id", "=", content.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** By internal id or identifier; the internal id is tried first. Locked when the caller is about to change it. */
export async function findWorkflow(
  db: Db,
  environmentId: string,
  idOrIdentifier: string,
  options: { lock?: boolean } = {},
): Promise<WorkflowRow | undefined> {
  const base = db
    .selectFrom("workflows")
    .where("environment_id", "=", environmentId)
    .where("deleted_at", "is", null)
    .selectAll()
    .$if(options.lock ?? false, (query) => query.forUpdate());
  const byId = isUuid(idOrIdentifier) ? await base.where("id", "=", idOrIdentifier).executeTakeFirst() : undefined;
  return byId ?? base.where("workflow_id", "=", idOrIdentifier).executeTakeFirst();
}

/** The ids that callers chose. */
export async function listWorkflowKeys(db: Db, environmentId: string): Promise<string[]> {
  const { rows } = await sql<{ workflow_id: string }>`
    select workflow_id from workflows where environment_id = ${environmentId} and deleted_at is null
    order by workflow_id`.execute(db);
  return rows.map((row) => row.workflow_id);
}

/** Identifiers of the environment that begin with this prefix. */
export async function findWorkflowIdsLike(db: Db, environmentId: string, prefix: string): Promise<Set<string>> {
  const rows = await db
    .selectFrom("workflows")
    .where("environment_id", "=", environmentId)
    .where("deleted_at", "is", null)
    .where(sql<boolean>`starts_with(workflow_id, ${prefix})`)
    .select("workflow_id")
    .execute();
  return new Set(rows.map((row) => row.workflow_id));
}

/** The present fields of a workflow that a trigger needs; the schema only where it is checked or has defaults. */
export type TriggerTarget = Pick<
  WorkflowRow,
  "id" | "workflow_id" | "version_id" | "name" | "active" | "validate_payload" | "payload_schema" | "search_keys"
> & { step_count: number; active_step_count: number };

export async function findTriggerTargets(
  db: Db,
  environmentId: string,
  identifiers: string[],
): Promise<TriggerTarget[]> {
  const { rows } = await sql<TriggerTarget>`
    select id, workflow_id, version_id, name, active, validate_payload, search_keys,
           case when validate_payload or payload_schema::text like '%"default"%' then payload_schema end as payload_schema,
           jsonb_array_length(steps) as step_count,
           (select count(*) from jsonb_array_elements(steps) as step where (step->>'active')::boolean) as active_step_count
    from workflows
    where environment_id = ${environmentId} and deleted_at is null and workflow_id = any(${identifiers})`.execute(db);
  return rows;
}

/** What the messages of a workflow are to their readers. */
export type WorkflowClass = {
  id: string;
  workflowId: string;
  name: string;
  messageClass: MessageClass;
  preferences: WorkflowDefinition["preferences"];
};

/** All workflows of an environment, which has a few hundred, including deleted ones. */
export async function listWorkflowClasses(db: Db, environmentId: string): Promise<WorkflowClass[]> {
  const rows = await db
    .selectFrom("workflows")
    .where("environment_id", "=", environmentId)
    .select(["id", "workflow_id", "name", "message_class", "preferences_user", "preferences_default"])
    .execute();
  return rows.map((row) => ({
    id: row.id,
    workflowId: row.workflow_id,
    name: row.name,
    messageClass: row.message_class,
    preferences: { user: row.preferences_user, default: row.preferences_default },
  }));
}

/** The workflows of an environment, each with those that its active steps start. */
export async function listStarts(db: Db, environmentId: string): Promise<Map<string, string[]>> {
  const { rows } = await sql<{ workflow_id: string; starts: string[] }>`
    select workflow_id, jsonb_path_query_array(steps,
      '$[*] ? (@.type == "start_workflow" && @.active == true).controlValues.workflowId') as starts
    from workflows where environment_id = ${environmentId} and deleted_at is null`.execute(db);
  return new Map(rows.map(({ workflow_id, starts }) => [workflow_id, starts]));
}

export async function markWorkflowDeleted(db: Db, environmentId: string, id: string, now: Date): Promise<void> {
  await db
    .updateTable("workflows")
    .set({ deleted_at: now, active: false, updated_at: now })
    .where("environment_id", "=", environmentId)
    .where("id", "=", id)
    .execute();
}

export type WorkflowFilters = { query?: string; tags?: string[]; isActive?: boolean };
export type WorkflowOrder = { by: "createdAt" | "updatedAt" | "name" | "lastTriggeredAt"; direction: "ASC" | "DESC" };
export type ListedWorkflow = WorkflowRow & { last_triggered_at: Date | null };

const lastTriggered = sql<Date | null>`
  (select n.created_at from notifications n where n.workflow_id = w.id order by n.id desc limit 1)`;

const orderColumns = {
  createdAt: "created_at",
  updatedAt: "updated_at",
  name: "name",
  lastTriggeredAt: "last_triggered_at",
};

/** All workflows that match, in order; an environment has hundreds at most. */
export async function listWorkflows(
  db: Db,
  environmentId: string,
  filters: WorkflowFilters,
  order: WorkflowOrder,
): Promise<ListedWorkflow[]> {
  const conditions = [sql`w.environment_id = ${environmentId}`, sql`w.deleted_at is null`];
  if (filters.query) {
    const part = sql`lower(${filters.query})`;
    conditions.push(sql`(position(${part} in lower(w.name)) > 0 or position(${part} in lower(w.workflow_id)) > 0)`);
  }
  if (filters.tags?.length) conditions.push(sql`w.tags && ${filters.tags}::text[]`);
  const direction = sql.raw(order.direction === "ASC" ? "asc nulls first" : "desc nulls last");
  const { rows } = await sql<ListedWorkflow>`
    select w.*, ${lastTriggered} as last_triggered_at from workflows w where ${sql.join(conditions, sql` and `)}
    order by ${sql.ref(orderColumns[order.by])} ${direction}, id ${direction}`.execute(db);
  return rows;
}

export async function findLastTriggered(db: Db, environmentId: string, workflowId: string): Promise<Date | null> {
  const row = await db
    .selectFrom("notifications")
    .where("workflow_id", "=", workflowId)
    .where("environment_id", "=", environmentId)
    .orderBy("id", "desc")
    .select("created_at")
    .limit(1)
    .executeTakeFirst();
  return row?.created_at ?? null;
}

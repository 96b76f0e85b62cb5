// Writes what a plan says: everything of one kind in one statement, in the transaction of the request. Integrations, of
// which an environment has a handful, are written one by one by the functions that their operations use, which know the
// rules of the primary.
import type { IntegrationPatch } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure } from "../../failure.ts";
import type { JsonObject } from "../../lib/json.ts";
import { mask } from "../../lib/secrets.ts";
import { type EventData, emit } from "../../pipeline/webhooks/events.ts";
import { deleteAudiences, putAudiences } from "../../store/audiences/audience-files.ts";
import { setBrand } from "../../store/environments/brand.ts";
import {
  deleteLayouts,
  markWorkflowsDeleted,
  putLayouts,
  putWorkflows,
  takenWorkflowId,
} from "../../store/environments/publishing.ts";
import { deleteCategories, orderCategories, putCategories } from "../../store/subscribers/categories.ts";
import { putTopics } from "../../store/topics/topics.ts";
import { clearDefaultLayout, type LayoutRow } from "../../store/workflows/layouts.ts";
import { replaceTranslations } from "../../store/workflows/translations.ts";
import type { WorkflowRow } from "../../store/workflows/workflows.ts";
import { saveBudgets } from "../attention/attention.ts";
import { orNone } from "../brand/read-brand.ts";
import { environmentNow } from "../environments/clock.ts";
import { refuseDuplicate } from "../identifiers.ts";
import { unseal } from "../integrations/credentials.ts";
import * as integrations from "../integrations/integrations.ts";
import { toWorkflow } from "../workflows/workflow-view.ts";
import { cancelRunsOf, viewFacts } from "../workflows/workflows.ts";
import type { IntegrationWrite } from "./integration-plan.ts";
import type { LayoutWrite, Plan, WorkflowWrite } from "./plan.ts";

export async function applyPlan(ctx: Ctx, caller: Caller, plan: Plan): Promise<void> {
  const { environmentId } = caller;
  const now = ctx.now();
  await writeCategories(ctx, environmentId, plan, now);
  await writeAudiences(ctx, environmentId, plan, now);
  if (plan.brand) await setBrand(ctx.db, environmentId, { brand: orNone(plan.brand), now });
  const layouts = plan.layouts.map((write) => layoutRow(ctx, caller, write, now));
  if (layouts.some(({ is_default }) => is_default)) await clearDefaultLayout(ctx.db, environmentId);
  await refuseDuplicate(
    () => putLayouts(ctx.db, layouts),
    failure("LAYOUT_ID_TAKEN", { layoutId: layouts.map(({ layout_id }) => layout_id).join(", ") }),
  );
  const written = plan.workflows.map((write) => ({ write, row: workflowRow(ctx, caller, write, now) }));
  const versions = written.filter(({ write }) => write.hasNewContent);
  const summaries = new Map(versions.map(({ write, row }) => [row.id, write.summary]));
  await putVersions(
    ctx,
    environmentId,
    versions.map(({ row }) => row),
    summaries,
  );
  await putTexts(
    ctx,
    environmentId,
    [
      ...plan.layouts.map(({ texts }, index) => ({ type: "layout" as const, id: layouts[index]!.id, texts })),
      ...written
        .filter(({ write }) => write.hasNewTexts)
        .map(({ write, row }) => ({ type: "workflow" as const, id: row.id, texts: write.texts })),
    ],
    now,
  );
  await emitWrites(ctx, environmentId, versions, now);
  await deleteResources(ctx, caller, plan);
  const topics = plan.topics.map((topic) => ({ ...topic, id: ctx.newId() }));
  await putTopics(ctx.db, environmentId, topics, now);
  for (const write of plan.integrations) await writeIntegration(ctx, caller, write);
  // After the workflows, among which may be the one that sends roll-ups.
  if (plan.budgets) await saveBudgets(ctx, caller, plan.budgets.list, plan.budgets);
}

async function writeCategories(ctx: Ctx, environmentId: string, plan: Plan, now: Date): Promise<void> {
  const rows = plan.categories.map(({ file, row }) => ({
    id: row?.id ?? ctx.newId(),
    category_id: file.categoryId,
    name: file.name,
    description: file.description ?? "",
    is_required: file.required ?? false,
    channels: file.channels ?? {},
  }));
  const deleted = plan.deletedCategories.map(({ id }) => id);
  await deleteCategories(ctx.db, environmentId, deleted);
  await putCategories(ctx.db, environmentId, { rows, now });
  if (plan.categoryOrder) await orderCategories(ctx.db, environmentId, plan.categoryOrder);
}

async function writeAudiences(ctx: Ctx, environmentId: string, plan: Plan, now: Date): Promise<void> {
  const rows = plan.audiences.map(({ file, row }) => ({
    id: row?.id ?? ctx.newId(),
    audience_id: file.audienceId,
    name: file.name,
    description: file.description ?? null,
    rule: file.rule,
  }));
  const deleted = plan.deletedAudiences.map(({ id }) => id);
  await deleteAudiences(ctx.db, environmentId, deleted);
  await refuseDuplicate(
    () => putAudiences(ctx.db, environmentId, { rows, now }),
    failure("AUDIENCE_EXISTS", { audienceId: rows.map(({ audience_id }) => audience_id).join(", ") }),
  );
}

function layoutRow(ctx: Ctx, caller: Caller, { content, row }: LayoutWrite, now: Date): LayoutRow {
  return {
    id: ctx.newId(),
    environment_id: caller.environmentId,
    origin: "svc-cloud",
    created_at: now,
    ...row,
    ...content,
    updated_at: now,
    updated_by: caller.userId,
  };
}

function workflowRow(ctx: Ctx, caller: Caller, { content, row, hasNewContent }: WorkflowWrite, now: Date): WorkflowRow {
  if (row && !hasNewContent) return row;
  return {
    id: ctx.newId(),
    environment_id: caller.environmentId,
    origin: "svc-cloud",
    last_published_at: null,
    last_published_by: null,
    created_at: now,
    deleted_at: null,
    ...row,
    ...content,
    version_id: ctx.newId(),
    updated_at: now,
    updated_by: caller.userId,
  };
}

async function putVersions(ctx: Ctx, environmentId: string, rows: WorkflowRow[], summaries: Map<string, string>) {
  try {
    await putWorkflows(ctx.db, environmentId, rows, ({ id }) => summaries.get(id)!);
  } catch (error) {
    // Another request created a workflow with the same identifier meanwhile.
    const workflowId = takenWorkflowId(error);
    throw workflowId === null ? error : failure("WORKFLOW_ID_TAKEN", { workflowId });
  }
}

type Owner = { type: "workflow" | "layout"; id: string; texts: Record<string, JsonObject> };

async function putTexts(ctx: Ctx, environmentId: string, owners: Owner[], now: Date): Promise<void> {
  if (owners.length === 0) return;
  const entries = owners.flatMap(({ type, id, texts }) =>
    Object.entries(texts).map(([locale, content]) => ({ resource_type: type, resource_id: id, locale, content })),
  );
  const ids = owners.map(({ id }) => id);
  await replaceTranslations(ctx.db, environmentId, { resourceIds: ids, entries, now });
}

type Written = { write: WorkflowWrite; row: WorkflowRow };

/** To webhooks: one event for each workflow, as its own operation would send it. */
async function emitWrites(ctx: Ctx, environmentId: string, written: Written[], at: Date): Promise<void> {
  if (written.length === 0) return;
  const toEvents = async (some: Written[]): Promise<EventData[]> => {
    const facts = await viewFacts(ctx, environmentId);
    const events: EventData[] = [];
    for (const { row, write } of some) {
      const previousObject = write.row && (await toWorkflow(write.row, facts));
      events.push({ object: await toWorkflow(row, facts), ...(previousObject && { previousObject }) });
    }
    return events;
  };
  const created = written.filter(({ write }) => !write.row);
  const updated = written.filter(({ write }) => write.row);
  if (created.length > 0) await emit(ctx, { environmentId, type: "workflow.created", at }, () => toEvents(created));
  if (updated.length > 0) await emit(ctx, { environmentId, type: "workflow.updated", at }, () => toEvents(updated));
}

async function deleteResources(ctx: Ctx, caller: Caller, { deletedLayouts, deletedWorkflows }: Plan): Promise<void> {
  const { environmentId } = caller;
  const owners = [...deletedLayouts, ...deletedWorkflows].map(({ id }) => id);
  if (owners.length === 0) return;
  const now = await environmentNow(ctx, caller);
  await replaceTranslations(ctx.db, environmentId, { resourceIds: owners, entries: [], now });
  const layoutIds = deletedLayouts.map(({ id }) => id);
  if (layoutIds.length > 0) await deleteLayouts(ctx.db, environmentId, layoutIds);
  if (deletedWorkflows.length === 0) return;
  await emit(ctx, { environmentId, type: "workflow.deleted", at: now }, async () => {
    const facts = await viewFacts(ctx, environmentId);
    const events: EventData[] = [];
    for (const row of deletedWorkflows) events.push({ object: await toWorkflow(row, facts) });
    return events;
  });
  const ids = deletedWorkflows.map(({ id }) => id);
  await markWorkflowsDeleted(ctx.db, environmentId, ids, now);
  await cancelRunsOf(ctx, environmentId, ids, now);
}

async function writeIntegration(ctx: Ctx, caller: Caller, { row, file, changed }: IntegrationWrite): Promise<void> {
  const { identifier, name, providerId, channel, conditions, configurations } = file;
  const active = file.active ?? true;
  let id = row?.id;
  if (!row) {
    const made = { identifier, name, providerId, channel, active, conditions, configurations };
    id = (await integrations.create(ctx, caller, { params: {}, query: {}, body: made }))._id;
  } else {
    const body: IntegrationPatch = {};
    if (changed.includes("name")) body.name = name;
    if (changed.includes("active")) body.active = active;
    if (changed.includes("conditions")) body.conditions = conditions ?? [];
    if (changed.includes("configurations"))
      body.configurations = { ...configurations, ...keptSigningKey(ctx, row.configurations) };
    if (Object.keys(body).length > 0)
      await integrations.update(ctx, caller, { params: { integrationId: row.id }, query: {}, body });
  }
  if (file.primary && changed.includes("primary"))
    await integrations.setPrimary(ctx, caller, { params: { integrationId: id! }, query: {}, body: undefined });
}

/** The mask represents the stored value. */
const keptSigningKey = (ctx: Ctx, stored: string | null): { inboundWebhookSigningKey?: string } =>
  unseal(ctx.secrets, stored).inboundWebhookSigningKey === undefined ? {} : { inboundWebhookSigningKey: mask };

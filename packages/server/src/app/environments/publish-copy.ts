// Carrying out the plan of a publish: resources are copied into the target, workflows and layouts with their
// translations, and selected ones deleted there. One transaction and a fixed number of statements.
import { type PublishedResource, rollUpWorkflowId } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { type EventData, emit } from "../../pipeline/webhooks/events.ts";
import { type AudienceContent, deleteAudiences, putAudiences } from "../../store/audiences/audience-files.ts";
import { setBrand } from "../../store/environments/brand.ts";
import type { EnvironmentRow } from "../../store/environments/environments.ts";
import {
  deleteLayouts,
  markPublished,
  markWorkflowsDeleted,
  type Publishable,
  putLayouts,
  putWorkflows,
} from "../../store/environments/publishing.ts";
import { type CategoryContent, deleteCategories, putCategories } from "../../store/subscribers/categories.ts";
import type { LayoutRow } from "../../store/workflows/layouts.ts";
import { replaceTranslations } from "../../store/workflows/translations.ts";
import type { WorkflowRow } from "../../store/workflows/workflows.ts";
import { saveBudgets } from "../attention/attention.ts";
import { toWorkflow } from "../workflows/workflow-view.ts";
import { viewFacts } from "../workflows/workflows.ts";
import type { Item } from "./environment-diff.ts";
import type { CopiedResource, PublishOutcome } from "./publish-plan.ts";
import { recordPublish, type TargetChanges } from "./publish-record.ts";

/**
 * `before`: the target, read under its lock. Returns the id of the publish; undefined when nothing was
 * changed.
 */
export async function carryOutPlan(
  ctx: Ctx,
  caller: Caller,
  outcomes: PublishOutcome[],
  { source, target, before }: { source: EnvironmentRow; target: EnvironmentRow; before: Publishable },
): Promise<string | undefined> {
  const now = ctx.now();
  const copied = outcomes.flatMap((outcome) =>
    outcome.kind === "created" || outcome.kind === "updated" ? [outcome.resource] : [],
  );
  const deleted = outcomes.flatMap((outcome) => (outcome.kind === "deleted" ? [outcome.resource.target] : []));
  const stamp = { environment_id: target.id, updated_at: now, updated_by: caller.userId };
  const texts = new Map(copied.map(({ type, identifier, source }) => [`${type} ${identifier}`, source.texts]));
  const changes = {
    layouts: copyLayouts(ctx, copied, stamp, before.layouts.length === 0).map((row) => ({
      row,
      texts: texts.get(`layout ${row.layout_id}`) ?? {},
    })),
    workflows: copyWorkflows(ctx, copied, stamp).map((row) => ({
      row,
      texts: texts.get(`workflow ${row.workflow_id}`) ?? {},
    })),
    categories: copyCategories(ctx, copied),
    audiences: copyAudiences(ctx, copied),
    brand: copied.map((resource) => resource.source).find((item) => item.type === "brand")?.row,
    attention: copied.map((resource) => resource.source).find((item) => item.type === "attention")?.row,
    deleted,
  };
  await writeTarget(ctx, caller, changes, "Published from another environment", now);
  // The only write in the source: when its workflows were published.
  const published = idsOfType(
    copied.map((resource) => resource.source),
    "workflow",
  );
  await markPublished(ctx.db, source.id, { ids: published, by: caller.userId, now });
  const workflows = changes.workflows.map(({ row }) => row);
  await emitChanged(ctx, target.id, { type: "workflow.published", workflows, deleted }, now);
  return recordPublish(ctx, caller, { kind: "publish", source, before, changes, now });
}

/** All that a publish or a restore writes into its target, which is the environment of the caller. */
export async function writeTarget(
  ctx: Ctx,
  caller: Caller,
  { layouts, workflows, categories, audiences, brand, attention, deleted }: TargetChanges,
  summary: string,
  now: Date,
): Promise<void> {
  const { environmentId: targetId } = caller;
  const written = [
    ...layouts.map(({ row, texts }) => ({ resource_type: "layout" as const, resource_id: row.id, texts })),
    ...workflows.map(({ row, texts }) => ({ resource_type: "workflow" as const, resource_id: row.id, texts })),
  ];
  const translations = written.flatMap(({ texts, ...owner }) =>
    Object.entries(texts).map(([locale, content]) => ({ ...owner, locale, content })),
  );
  if (brand || deleted.some(({ type }) => type === "brand"))
    await setBrand(ctx.db, targetId, { brand: brand ?? null, now });
  await deleteCategories(ctx.db, targetId, idsOfType(deleted, "category"));
  await putCategories(ctx.db, targetId, { rows: categories, now });
  await deleteAudiences(ctx.db, targetId, idsOfType(deleted, "audience"));
  await putAudiences(ctx.db, targetId, { rows: audiences, now });
  await deleteLayouts(ctx.db, targetId, idsOfType(deleted, "layout"));
  await markWorkflowsDeleted(ctx.db, targetId, idsOfType(deleted, "workflow"), now);
  await putLayouts(
    ctx.db,
    layouts.map(({ row }) => row),
  );
  await putWorkflows(
    ctx.db,
    targetId,
    workflows.map(({ row }) => row),
    () => summary,
  );
  const removed = [...idsOfType(deleted, "layout"), ...idsOfType(deleted, "workflow")];
  const owners = [...written.map(({ resource_id }) => resource_id), ...removed];
  await replaceTranslations(ctx.db, targetId, { resourceIds: owners, entries: translations, now });
  // After the workflows, among which may be the one that sends roll-ups.
  const hasTemplate = workflows.some(({ row }) => row.workflow_id === rollUpWorkflowId);
  if (attention || deleted.some(({ type }) => type === "attention"))
    await saveBudgets(ctx, caller, attention ?? [], { hasTemplate });
}

type Stamp = { environment_id: string; updated_at: Date; updated_by: string };

/** A target without layouts gets a default: the source's, or else the first layout that is copied. */
function copyLayouts(ctx: Ctx, copied: CopiedResource[], stamp: Stamp, needsDefault: boolean): LayoutRow[] {
  const pairs = copied.flatMap(({ source, target }) =>
    source.type === "layout" ? [{ from: source.row, to: target?.type === "layout" ? target.row : undefined }] : [],
  );
  const firstDefault = pairs.find(({ from }) => from.is_default) ?? pairs[0];
  return pairs.map(({ from, to }) => ({
    ...from,
    ...stamp,
    id: to?.id ?? ctx.newId(),
    is_default: to?.is_default ?? (needsDefault && from === firstDefault?.from),
    created_at: to?.created_at ?? stamp.updated_at,
  }));
}

function copyWorkflows(ctx: Ctx, copied: CopiedResource[], stamp: Stamp): WorkflowRow[] {
  return copied.flatMap(({ source, target }): WorkflowRow[] => {
    if (source.type !== "workflow") return [];
    const before = target?.type === "workflow" ? target.row : undefined;
    // A step keeps its id in the target, so that digests that are open there keep collecting.
    const steps = source.steps.map((step) => ({
      ...step,
      id: before?.steps.find((old) => old.stepId === step.stepId)?.id ?? ctx.newId(),
    }));
    return [
      {
        ...source.row,
        ...stamp,
        last_published_at: stamp.updated_at,
        last_published_by: stamp.updated_by,
        id: before?.id ?? ctx.newId(),
        version_id: ctx.newId(),
        steps,
        created_at: before?.created_at ?? stamp.updated_at,
        deleted_at: null,
      },
    ];
  });
}

const copyCategories = (ctx: Ctx, copied: CopiedResource[]): CategoryContent[] =>
  copied.flatMap(({ source, target }) =>
    source.type === "category"
      ? [{ ...source.row, id: target?.type === "category" ? target.row.id : ctx.newId() }]
      : [],
  );

const copyAudiences = (ctx: Ctx, copied: CopiedResource[]): AudienceContent[] =>
  copied.flatMap(({ source, target }) =>
    source.type === "audience"
      ? [{ ...source.row, id: target?.type === "audience" ? target.row.id : ctx.newId() }]
      : [],
  );

const idsOfType = (items: Item[], type: Exclude<PublishedResource, "brand" | "attention">): string[] =>
  items.flatMap((item) =>
    item.type !== "brand" && item.type !== "attention" && item.type === type ? [item.row.id] : [],
  );

/** To webhooks of the target. A published workflow is one event there, whether it is new or changed. */
export async function emitChanged(
  ctx: Ctx,
  targetId: string,
  changed: { type: "workflow.published" | "workflow.updated"; workflows: WorkflowRow[]; deleted: Item[] },
  now: Date,
): Promise<void> {
  const toObjects = async (rows: WorkflowRow[]) => {
    const facts = await viewFacts(ctx, targetId);
    const objects: EventData[] = [];
    for (const row of rows) objects.push({ object: await toWorkflow(row, facts) });
    return objects;
  };
  const removed = changed.deleted.flatMap((item) => (item.type === "workflow" ? [item.row] : []));
  if (changed.workflows.length > 0)
    await emit(ctx, { environmentId: targetId, type: changed.type, at: now }, () => toObjects(changed.workflows));
  if (removed.length > 0)
    await emit(ctx, { environmentId: targetId, type: "workflow.deleted", at: now }, () => toObjects(removed));
}

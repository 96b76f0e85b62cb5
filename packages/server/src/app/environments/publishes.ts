// The history of publishes into an environment: listed, shown with what each changed, and undone.
import type { Input, Output, PublishChange, PublishHead, RestoreOutcome } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure } from "../../failure.ts";
import { lockEnvironment } from "../../store/environments/environments.ts";
import {
  findPublish,
  listPublishes,
  markRestored,
  type PublishHeadRow,
  type PublishRow,
} from "../../store/environments/publishes.ts";
import { type Publishable, readPublishable } from "../../store/environments/publishing.ts";
import type { PublishedChange } from "../../store/tables.ts";
import { findVersionContents, type VersionContentRow } from "../../store/workflows/versions.ts";
import { budgetsOf, describeBudgets } from "../attention/budget-sentences.ts";
import { describeAudience } from "../audiences/audience-sentences.ts";
import { describeBrand, describeCategory } from "../brand/brand-sentences.ts";
import { readCursor, toCursorList } from "../paging.ts";
import { describeLayout, describeWorkflow } from "../workflows/change-sentences.ts";
import { requireOwn } from "./environments.ts";
import { emitChanged, writeTarget } from "./publish-copy.ts";
import { recordPublish } from "./publish-record.ts";
import { planRestore, type RestorePlan } from "./publish-restore.ts";
import { refuseTakenWorkflowId } from "./publishing.ts";

const maxNames = 5;

function toHead(row: Omit<PublishHeadRow, "environment_id">): PublishHead {
  const count = (wanted: PublishedChange["action"]) => row.heads.filter(({ action }) => action === wanted).length;
  return {
    id: row.id,
    kind: row.kind,
    createdAt: row.created_at.toISOString(),
    createdBy: { id: row.created_by, name: row.created_by_name },
    source: { id: row.source_id, name: row.source_name },
    created: count("created"),
    updated: count("updated"),
    deleted: count("deleted"),
    names: row.heads.slice(0, maxNames).map(({ name }) => name),
    restoredAt: row.restored_at?.toISOString() ?? null,
    restores: row.restores,
  };
}

export async function list(
  ctx: Ctx,
  caller: Caller,
  { params, query }: Input<"environments.listPublishes">,
): Promise<Output<"environments.listPublishes">> {
  const request = readCursor(query);
  const target = await requireOwn(ctx, caller, params.environmentId);
  return toCursorList(await listPublishes(ctx.db, target.id, request), toHead);
}

async function requirePublish(ctx: Ctx, targetId: string, publishId: string): Promise<PublishRow> {
  const row = await findPublish(ctx.db, targetId, publishId);
  if (!row) throw failure("PUBLISH_NOT_FOUND", { publishId });
  return row;
}

export async function retrieve(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"environments.retrievePublish">,
): Promise<Output<"environments.retrievePublish">> {
  const target = await requireOwn(ctx, caller, params.environmentId);
  const { resources, ...row } = await requirePublish(ctx, target.id, params.publishId);
  const ids = resources.flatMap(({ versionBefore, versionAfter }) => [versionBefore ?? [], versionAfter ?? []].flat());
  const versions = await findVersionContents(ctx.db, target.id, ids);
  return { ...toHead({ ...row, heads: resources }), resources: resources.map((one) => toChange(one, versions)) };
}

function toChange(one: PublishedChange, versions: ReadonlyMap<string, VersionContentRow>): PublishChange {
  const find = (id: string | null) => (id === null ? null : (versions.get(id) ?? null));
  const [before, after] = [find(one.versionBefore), find(one.versionAfter)];
  const texts = { before: one.textsBefore, after: one.textsAfter };
  return {
    resourceType: one.type,
    resourceId: one.identifier,
    resourceName: one.name,
    action: one.action,
    versionBefore: before?.number ?? null,
    versionAfter: after?.number ?? null,
    sentences: describe(),
  };

  function describe(): string[] {
    const settings = { before: one.settingsBefore ?? null, after: one.settingsAfter ?? null };
    switch (one.type) {
      case "workflow":
        return describeWorkflow({ before, after }, texts);
      case "layout":
        return describeLayout({ before: one.layoutBefore, after: one.layoutAfter }, texts);
      case "category":
        return describeCategory(settings);
      case "audience":
        return describeAudience(settings);
      case "brand":
        return describeBrand(settings);
      case "attention":
        return describeBudgets({ before: budgetsOf(settings.before), after: budgetsOf(settings.after) });
    }
  }
}

/** `lock`: when the plan is about to be carried out. */
async function requirePlan(ctx: Ctx, caller: Caller, publishId: string, lock: boolean) {
  const publish = await requirePublish(ctx, caller.environmentId, publishId);
  if (publish.restored_at) {
    throw failure("PUBLISH_RESTORED", { publishId, restoredAt: publish.restored_at.toISOString() });
  }
  const before = await readPublishable(ctx.db, caller.environmentId, { lock });
  return { publish, before, plan: await planRestore(ctx, caller, publish.resources, before) };
}

const isConflict = ({ changedSince }: RestoreOutcome): boolean => changedSince !== null;

export async function previewRestore(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"environments.planRestore">,
): Promise<Output<"environments.planRestore">> {
  await requireOwn(ctx, caller, params.environmentId);
  const { plan } = await requirePlan(ctx, caller, params.publishId, false);
  return { resources: plan.outcomes, hasConflicts: plan.outcomes.some(isConflict) };
}

export async function restore(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"environments.restorePublish">,
): Promise<Output<"environments.restorePublish">> {
  const target = await requireOwn(ctx, caller, params.environmentId);
  await lockEnvironment(ctx.db, target.id);
  const { publish, before, plan } = await requirePlan(ctx, caller, params.publishId, true);
  const conflicts = plan.outcomes.filter(isConflict);
  if (conflicts.length > 0 && !body.overwriteChanges) {
    const named = conflicts.map(({ resourceType, resourceId }) => `${resourceType} ${resourceId}`);
    throw failure("PUBLISH_CHANGED_SINCE", { resources: named.join(", ").slice(0, 1_000) });
  }
  const publishId = await refuseTakenWorkflowId(() => carryOutRestore(ctx, caller, { publish, before, plan }));
  return { publishId: publishId ?? null, resources: plan.outcomes };
}

async function carryOutRestore(
  ctx: Ctx,
  caller: Caller,
  { publish, before, plan }: { publish: PublishRow; before: Publishable; plan: RestorePlan },
): Promise<string | undefined> {
  const now = ctx.now();
  const changes = plan.toChanges({ updated_at: now, updated_by: caller.userId }, ctx.newId);
  const time = publish.created_at.toISOString();
  await writeTarget(ctx, caller, changes, `Undid the publish of ${time}`, now);
  const workflows = changes.workflows.map(({ row }) => row);
  await emitChanged(ctx, caller.environmentId, { type: "workflow.updated", workflows, deleted: changes.deleted }, now);
  await markRestored(ctx.db, caller.environmentId, publish.id, now);
  return recordPublish(ctx, caller, {
    kind: "restore",
    restores: publish.id,
    sourceName: publish.source_name,
    before,
    changes,
    now,
  });
}

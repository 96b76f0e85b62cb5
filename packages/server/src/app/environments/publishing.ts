// Publishing: a comparison of two environments, shown, or carried out by copying. A key writes to its own environment, so the
// target is the caller's and the source any other of the organisation: a development key cannot change production. Whatever
// can be refused is refused before anything is written; the writing is one transaction and a fixed number of statements.
import {
  type Input,
  type Output,
  type PublishedResource,
  publishedResources,
  type ResourceDiff,
  type ResourceInfo,
} from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import { createPauses } from "../../lib/pauses.ts";
import { type EventData, emit } from "../../pipeline/webhooks/events.ts";
import { type EnvironmentRow, listEnvironments, lockEnvironment } from "../../store/environments/environments.ts";
import {
  deleteLayouts,
  findUserNames,
  markPublished,
  markWorkflowsDeleted,
  type Publishable,
  putLayouts,
  putWorkflows,
  readPublishable,
  replaceTranslations,
  takenWorkflowId,
} from "../../store/environments/publishing.ts";
import type { LayoutRow } from "../../store/workflows/layouts.ts";
import type { WorkflowRow } from "../../store/workflows/workflows.ts";
import { toWorkflow } from "../workflows/workflow-view.ts";
import { requireWorkflow, view, viewFacts } from "../workflows/workflows.ts";
import { type Change, type Compared, compare, type Item, type PortableStep } from "./environment-diff.ts";
import { requireEnvironment, requireOwn } from "./environments.ts";
import { plan, type Selection, toResult, type Verdict } from "./publish-plan.ts";

async function readEnds(ctx: Ctx, caller: Caller, targetId: string, sourceId: string | undefined) {
  const target = await requireOwn(ctx, caller, targetId);
  const source = sourceId === undefined ? await firstDev(ctx, caller) : await requireEnvironment(ctx, caller, sourceId);
  if (!source) throw failure("ENVIRONMENT_NOT_FOUND", { environmentId: "dev" });
  if (source.id === target.id) {
    const message = "sourceEnvironmentId must not be the target environment";
    throw invalid({ sourceEnvironmentId: { messages: [message], value: sourceId } });
  }
  return { source, target };
}

const firstDev = async (ctx: Ctx, caller: Caller): Promise<EnvironmentRow | undefined> =>
  (await listEnvironments(ctx.db, caller.organizationId)).find((row) => row.type === "dev");

export async function diff(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"environments.diff">,
): Promise<Output<"environments.diff">> {
  const { source, target } = await readEnds(ctx, caller, params.targetEnvironmentId, body.sourceEnvironmentId);
  const from = await readPublishable(ctx.db, source.id, { lock: false });
  const to = await readPublishable(ctx.db, target.id, { lock: false });
  const compared = compare(from, to).filter((one) => one.changes.length > 0);
  const editors = compared.flatMap((one) => [one.source?.row.updated_by, one.target?.row.updated_by]);
  const names = await findUserNames(ctx.db, caller.organizationId, [
    ...new Set(editors.filter((id) => typeof id === "string")),
  ]);
  const totalChanges = compared.reduce((sum, one) => sum + one.changes.length, 0);
  return {
    sourceEnvironmentId: source.id,
    targetEnvironmentId: target.id,
    resources: compared.map((one) => toDiff(one, names)),
    summary: { totalEntities: compared.length, totalChanges, hasChanges: totalChanges > 0 },
  };
}

function toDiff(one: Compared, names: ReadonlyMap<string, string>): ResourceDiff {
  const info = (item: Item | null): ResourceInfo | null => {
    if (!item) return null;
    const by = item.row.updated_by;
    const updatedBy = by && names.has(by) ? { _id: by, firstName: names.get(by)! } : undefined;
    return { id: item.identifier, name: item.name, updatedBy, updatedAt: item.row.updated_at.toISOString() };
  };
  const ends = { sourceResource: info(one.source), targetResource: info(one.target) };
  const stepInfo = (step: PortableStep | null) => step && { id: step.stepId, name: step.name };
  const count = (...actions: string[]) => one.changes.filter(({ action }) => actions.includes(action)).length;
  const toChange = ({ step, ...change }: Change) => ({
    ...change,
    ...(step ? { sourceResource: stepInfo(step.source), targetResource: stepInfo(step.target) } : ends),
  });
  return {
    resourceType: one.type,
    ...ends,
    changes: one.changes.map(toChange),
    summary: {
      added: count("added"),
      modified: count("modified", "moved"),
      deleted: count("deleted"),
      unchanged: 0,
    },
    dependencies: one.dependencies.length > 0 ? one.dependencies : undefined,
  };
}

async function carryOut(
  ctx: Ctx,
  caller: Caller,
  verdicts: Verdict[],
  sourceId: string,
  targetId: string,
  to: Publishable,
) {
  const now = ctx.now();
  const copied = verdicts.flatMap((verdict) =>
    verdict.kind === "created" || verdict.kind === "updated" ? [verdict.one] : [],
  );
  const deleted = verdicts.flatMap((verdict) => (verdict.kind === "deleted" ? [verdict.one.target!] : []));
  const defaultLayout = to.layouts.length > 0 ? null : firstDefault(copied);
  const stamp = { environment_id: targetId, updated_at: now, updated_by: caller.userId };
  const layouts = copied.flatMap(({ source, target }): LayoutRow[] => {
    if (source!.type !== "layout") return [];
    const from = source!.row as LayoutRow;
    const before = target?.row as LayoutRow | undefined;
    const id = before?.id ?? ctx.newId();
    const is_default = before?.is_default ?? from === defaultLayout;
    return [{ ...from, ...stamp, id, is_default, created_at: before?.created_at ?? now }];
  });
  const workflows = copied.flatMap(({ source, target }): WorkflowRow[] => {
    if (source!.type !== "workflow") return [];
    const from = source!.row as WorkflowRow;
    const before = target?.row as WorkflowRow | undefined;
    // A step keeps its identity in the target: digests that are open there go on collecting.
    const steps = source!.steps.map((step) => ({
      ...step,
      id: before?.steps.find((old) => old.stepId === step.stepId)?.id ?? ctx.newId(),
    }));
    const published = { last_published_at: now, last_published_by: caller.userId };
    const id = before?.id ?? ctx.newId();
    return [
      { ...from, ...stamp, ...published, id, version_id: ctx.newId(), steps, created_at: before?.created_at ?? now },
    ];
  });
  const idsOf = new Map([
    ...layouts.map((row): [string, string] => [`layout ${row.layout_id}`, row.id]),
    ...workflows.map((row): [string, string] => [`workflow ${row.workflow_id}`, row.id]),
  ]);
  const entries = copied.flatMap(({ type, identifier, source }) =>
    Object.entries(source!.texts).map(([locale, content]) => ({
      resource_type: type,
      resource_id: idsOf.get(`${type} ${identifier}`)!,
      locale,
      content,
    })),
  );
  const ofType = (items: Item[], type: PublishedResource) =>
    items.filter((item) => item.type === type).map((item) => item.row.id);
  await deleteLayouts(ctx.db, targetId, ofType(deleted, "layout"));
  await markWorkflowsDeleted(ctx.db, targetId, ofType(deleted, "workflow"), now);
  await putLayouts(ctx.db, layouts);
  await putWorkflows(ctx.db, targetId, workflows);
  await replaceTranslations(ctx.db, targetId, [...idsOf.values(), ...deleted.map((item) => item.row.id)], entries, now);
  const sources = ofType(
    copied.map((one) => one.source!),
    "workflow",
  );
  // All that is written in the source: when the workflow was published.
  await markPublished(ctx.db, sourceId, sources, caller.userId, now);
  const removed = deleted.flatMap((item) => (item.type === "workflow" ? [item.row as WorkflowRow] : []));
  await report(ctx, targetId, { published: workflows, removed }, now);
}

/** In the environment that was published to. Arriving there is one event, whether the workflow is new or changed. */
async function report(
  ctx: Ctx,
  targetId: string,
  { published, removed }: { published: WorkflowRow[]; removed: WorkflowRow[] },
  now: Date,
): Promise<void> {
  const shown = async (rows: WorkflowRow[]) => {
    const facts = await viewFacts(ctx, targetId);
    const pauses = createPauses();
    const objects: EventData[] = [];
    for (const row of rows) objects.push({ object: await toWorkflow(row, facts, pauses) });
    return objects;
  };
  if (published.length > 0) {
    await emit(ctx, { environmentId: targetId, type: "workflow.published", at: now }, () => shown(published));
  }
  if (removed.length > 0)
    await emit(ctx, { environmentId: targetId, type: "workflow.deleted", at: now }, () => shown(removed));
}

/** An environment without layouts takes over the source's default, or else the first that arrives. */
const firstDefault = (copied: Compared[]): LayoutRow | null => {
  const rows = copied.filter((one) => one.type === "layout").map((one) => one.source!.row as LayoutRow);
  return rows.find((row) => row.is_default) ?? rows[0] ?? null;
};

async function run(
  ctx: Ctx,
  caller: Caller,
  ends: { source: EnvironmentRow; target: EnvironmentRow },
  options: { isDry: boolean; selection?: Selection },
): Promise<Verdict[]> {
  if (!options.isDry) await lockEnvironment(ctx.db, ends.target.id);
  const from = await readPublishable(ctx.db, ends.source.id, { lock: false });
  const to = await readPublishable(ctx.db, ends.target.id, { lock: !options.isDry });
  const verdicts = plan(compare(from, to), to, options.selection);
  if (options.isDry) return verdicts;
  try {
    await carryOut(ctx, caller, verdicts, ends.source.id, ends.target.id, to);
  } catch (error) {
    // Someone made a thing of the same name in the target while this was being copied.
    const workflowId = takenWorkflowId(error);
    throw workflowId === null ? error : failure("WORKFLOW_ID_TAKEN", { workflowId });
  }
  return verdicts;
}

export async function publish(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"environments.publish">,
): Promise<Output<"environments.publish">> {
  const ends = await readEnds(ctx, caller, params.targetEnvironmentId, body.sourceEnvironmentId);
  const isDry = body.dryRun ?? false;
  // An empty list names nothing, as an absent one does.
  const selection = body.resources?.length ? body.resources : undefined;
  const verdicts = await run(ctx, caller, ends, { isDry, selection });
  const results = publishedResources.map((type) => toResult(type, verdicts, isDry));
  const sum = (pick: "successful" | "failed" | "skipped") =>
    results.reduce((total, result) => total + result[pick].length, 0);
  const [successful, failed, skipped] = [sum("successful"), sum("failed"), sum("skipped")];
  return { results, summary: { resources: verdicts.length, successful, failed, skipped } };
}

export async function syncWorkflow(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"workflows.sync">,
): Promise<Output<"workflows.sync">> {
  const { source, target } = await readEnds(ctx, caller, body.targetEnvironmentId, body.sourceEnvironmentId);
  const row = await requireWorkflow(ctx, source.id, params.workflowId);
  const selection: Selection = [{ resourceType: "workflow", resourceId: row.workflow_id }];
  const [verdict] = await run(ctx, caller, { source, target }, { isDry: false, selection });
  if (verdict?.kind === "failed") {
    const { dependencies } = verdict.one as Compared;
    const layoutId = dependencies.find((need) => need.isBlocking)?.resourceId ?? "";
    throw failure("LAYOUT_MISSING_IN_TARGET", { workflowId: row.workflow_id, layoutId });
  }
  return view(ctx, await requireWorkflow(ctx, target.id, row.workflow_id));
}

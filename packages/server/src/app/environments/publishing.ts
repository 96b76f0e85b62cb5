// Publishing: two environments are compared, and the differences shown (diff) or copied from the source into the target
// (publish, sync). The target is always the environment of the caller's API key, the source any other of the
// organisation: so a development key cannot change production. Refusals are decided before anything is written.
import {
  type Input,
  type Output,
  type PublishCheck,
  type PublishedResource,
  publishedResources,
  type ResourceDiff,
  type ResourceInfo,
} from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { type Failure, failure, invalid } from "../../failure.ts";
import { type EnvironmentRow, listEnvironments, lockEnvironment } from "../../store/environments/environments.ts";
import { findUserNames, readPublishable, takenWorkflowId } from "../../store/environments/publishing.ts";
import { countCategoryChoices } from "../../store/subscribers/categories.ts";
import { versionOf } from "../../store/workflows/workflows.ts";
import { budgetsOf, describeBudgets } from "../attention/budget-sentences.ts";
import { describeAudience } from "../audiences/audience-sentences.ts";
import { describeBrand, describeCategory } from "../brand/brand-sentences.ts";
import { describeLayout, describeWorkflow } from "../workflows/change-sentences.ts";
import type { VersionContent } from "../workflows/version-diff.ts";
import { requireWorkflow, view } from "../workflows/workflows.ts";
import { type Change, type Compared, compare, type Item, type PortableStep } from "./environment-diff.ts";
import { requireEnvironment, requireOwn } from "./environments.ts";
import { findPublishChecks } from "./publish-checks.ts";
import { carryOutPlan } from "./publish-copy.ts";
import { findPublishIssues } from "./publish-issues.ts";
import { type PublishIssues, type PublishOutcome, planPublish, type Selection, toResult } from "./publish-plan.ts";
import { storedLayout } from "./publish-record.ts";

/** Without a source the first development environment. */
async function requireSourceAndTarget(
  ctx: Ctx,
  caller: Caller,
  targetId: string,
  sourceId: string | undefined,
  refuseSame?: Failure,
) {
  const target = await requireOwn(ctx, caller, targetId);
  const source = sourceId === undefined ? await firstDev(ctx, caller) : await requireEnvironment(ctx, caller, sourceId);
  if (!source) throw failure("ENVIRONMENT_NOT_FOUND", { environmentId: "dev" });
  if (source.id === target.id) {
    const message = "sourceEnvironmentId must not be the target environment";
    throw refuseSame ?? invalid({ sourceEnvironmentId: { messages: [message], value: sourceId } });
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
  const { source, target } = await requireSourceAndTarget(
    ctx,
    caller,
    params.targetEnvironmentId,
    body.sourceEnvironmentId,
  );
  const from = await readPublishable(ctx.db, source.id, { lock: false });
  const to = await readPublishable(ctx.db, target.id, { lock: false });
  const compared = compare(from, to).filter((one) => one.changes.length > 0);
  const editors = compared.flatMap((one) => [one.source?.updated.by, one.target?.updated.by]);
  const names = await findUserNames(ctx.db, caller.organizationId, [
    ...new Set(editors.filter((id) => typeof id === "string")),
  ]);
  const checks = await findPublishChecks(ctx, compared, { target, from, to });
  const lost = compared.flatMap(({ source: kept, target: item }) => (!kept && item?.type === "category" ? [item] : []));
  const choices = await countCategoryChoices(
    ctx.db,
    target.id,
    lost.map(({ row }) => row.id),
  );
  const totalChanges = compared.reduce((sum, one) => sum + one.changes.length, 0);
  return {
    sourceEnvironmentId: source.id,
    targetEnvironmentId: target.id,
    resources: compared.map((one) => toDiff(one, { names, checks, choices })),
    summary: { totalEntities: compared.length, totalChanges, hasChanges: totalChanges > 0 },
  };
}

type DiffFacts = {
  names: ReadonlyMap<string, string>;
  checks: ReadonlyMap<string, PublishCheck[]>;
  /** By the id of a category that only the target has, the number of subscribers with a choice for it. */
  choices: ReadonlyMap<string, number>;
};

function toDiff(one: Compared, { names, checks, choices }: DiffFacts): ResourceDiff {
  const info = (item: Item | null): ResourceInfo | null => {
    if (!item) return null;
    const { at, by } = item.updated;
    const updatedBy = by && names.has(by) ? { _id: by, firstName: names.get(by)! } : undefined;
    return { id: item.identifier, name: item.name, updatedBy, updatedAt: at?.toISOString() };
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
    sentences: describeDifference(one, choices),
    checks: checks.get(`${one.type} ${one.identifier}`),
  };
}

/** From the current target to the source. */
function describeDifference({ type, source, target }: Compared, choices: DiffFacts["choices"]): string[] {
  const texts = { before: target?.texts ?? {}, after: source?.texts ?? {} };
  const settings = { before: target?.settings ?? null, after: source?.settings ?? null };
  if (type === "brand") return describeBrand(settings);
  if (type === "audience") return describeAudience(settings);
  if (type === "attention")
    return describeBudgets({ before: budgetsOf(settings.before), after: budgetsOf(settings.after) });
  if (type === "category") {
    const count = target?.type === "category" ? (choices.get(target.row.id) ?? 0) : 0;
    return describeCategory(settings, count);
  }
  if (type === "layout") {
    const layoutOf = (item: Item | null) => (item?.type === "layout" ? storedLayout(item.row) : null);
    return describeLayout({ before: layoutOf(target), after: layoutOf(source) }, texts);
  }
  return describeWorkflow({ before: contentOf(target), after: contentOf(source) }, texts);
}

/** Steps of two environments have the same identifiers, and not the same ids. */
function contentOf(item: Item | null): VersionContent | null {
  if (item?.type !== "workflow") return null;
  const { definition, settings } = versionOf(item.row.environment_id, item.row.version_id, item.row, "");
  const steps = item.steps.map((step) => ({ ...step, id: step.stepId }));
  return { definition: { ...definition, steps }, settings };
}

async function copyDifferences(
  ctx: Ctx,
  caller: Caller,
  { source, target }: { source: EnvironmentRow; target: EnvironmentRow },
  { isDryRun, selection }: { isDryRun: boolean; selection?: Selection },
): Promise<{ outcomes: PublishOutcome[]; issues: PublishIssues; publishId?: string }> {
  if (!isDryRun) await lockEnvironment(ctx.db, target.id);
  const from = await readPublishable(ctx.db, source.id, { lock: false });
  const before = await readPublishable(ctx.db, target.id, { lock: !isDryRun });
  const outcomes = planPublish(compare(from, before), before, selection);
  const issues = await findPublishIssues(ctx, target, before.layouts, outcomes);
  if (isDryRun) return { outcomes, issues };
  const publishId = await refuseTakenWorkflowId(() => carryOutPlan(ctx, caller, outcomes, { source, target, before }));
  return { outcomes, issues, publishId };
}

/** Another request may create a workflow with the same identifier in the target meanwhile. */
export async function refuseTakenWorkflowId<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const workflowId = takenWorkflowId(error);
    throw workflowId === null ? error : failure("WORKFLOW_ID_TAKEN", { workflowId });
  }
}

/** Clients that know no other types find these two, with or without resources. */
const isAlwaysReported = (type: PublishedResource): boolean => type === "workflow" || type === "layout";

export async function publish(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"environments.publish">,
): Promise<Output<"environments.publish">> {
  const ends = await requireSourceAndTarget(ctx, caller, params.targetEnvironmentId, body.sourceEnvironmentId);
  const isDryRun = body.dryRun ?? false;
  // An empty list means the same as none: everything.
  const selection = body.resources?.length ? body.resources : undefined;
  const { outcomes, issues, publishId } = await copyDifferences(ctx, caller, ends, { isDryRun, selection });
  const results = publishedResources
    .map((type) => toResult(type, outcomes, issues, isDryRun))
    .filter(({ resourceType, totalProcessed }) => isAlwaysReported(resourceType) || totalProcessed > 0);
  const sum = (pick: "successful" | "failed" | "skipped") =>
    results.reduce((total, result) => total + result[pick].length, 0);
  const [successful, failed, skipped] = [sum("successful"), sum("failed"), sum("skipped")];
  return { results, summary: { resources: outcomes.length, successful, failed, skipped }, publishId };
}

export async function syncWorkflow(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"workflows.sync">,
): Promise<Output<"workflows.sync">> {
  const { targetEnvironmentId, sourceEnvironmentId } = body;
  // Programs for Novu read this refusal by its status.
  const refuseSame =
    ctx.config.vocabulary === "novu" ? failure("SAME_ENVIRONMENT", { workflowId: params.workflowId }) : undefined;
  const { source, target } = await requireSourceAndTarget(
    ctx,
    caller,
    targetEnvironmentId,
    sourceEnvironmentId,
    refuseSame,
  );
  const row = await requireWorkflow(ctx, source.id, params.workflowId);
  const selection: Selection = [{ resourceType: "workflow", resourceId: row.workflow_id }];
  const { outcomes } = await copyDifferences(ctx, caller, { source, target }, { isDryRun: false, selection });
  const outcome = outcomes.find(({ resource }) => resource.type === "workflow");
  if (outcome?.kind === "failed") {
    const { dependencies = [] } = outcome.resource;
    const missing = dependencies.find((need) => need.isBlocking);
    const layoutId = missing?.resourceId ?? "";
    if (missing?.resourceType === "audience")
      throw failure("AUDIENCE_MISSING_IN_TARGET", { workflowId: row.workflow_id, audienceId: missing.resourceId });
    throw failure("LAYOUT_MISSING_IN_TARGET", { workflowId: row.workflow_id, layoutId });
  }
  return view(ctx, await requireWorkflow(ctx, target.id, row.workflow_id));
}

// The plan for undoing a publish: what is done with each resource of it, and what was changed since. It
// is decided from the current target, and the same plan is shown and carried out.
import { type AttentionBudget, type BrandIn, maxInFlightChecked, type RestoreOutcome } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { canonicalJson } from "../../lib/json.ts";
import type { AudienceContent } from "../../store/audiences/audience-files.ts";
import { findDeletedWorkflows, findUserNames, type Publishable } from "../../store/environments/publishing.ts";
import { findWorkflowsInFlight } from "../../store/events/in-flight.ts";
import type { CategoryContent } from "../../store/subscribers/categories.ts";
import type { PublishedChange } from "../../store/tables.ts";
import type { LayoutRow } from "../../store/workflows/layouts.ts";
import { findVersionContents, type VersionContentRow } from "../../store/workflows/versions.ts";
import type { WorkflowRow } from "../../store/workflows/workflows.ts";
import { toContent } from "../workflows/versions.ts";
import { type audienceSettings, type categorySettings, type Item, itemsOf } from "./environment-diff.ts";
import { audienceDeletionFault, layoutDeletionFault } from "./publish-plan.ts";
import { storedLayout, type TargetChanges } from "./publish-record.ts";

type Stamp = { updated_at: Date; updated_by: string };

export type RestorePlan = {
  outcomes: RestoreOutcome[];
  /** The rows to write. */
  toChanges(stamp: Stamp, newId: () => string): TargetChanges;
};

type Step = {
  change: PublishedChange;
  /** The current resource with this identifier. */
  current: Item | null;
  action: RestoreOutcome["action"];
  reason: string | null;
};

type Facts = {
  environmentId: string;
  items: ReadonlyMap<string, Item>;
  /** Workflows of the publish that are deleted now. */
  deletedRows: ReadonlyMap<string, WorkflowRow>;
  versions: ReadonlyMap<string, VersionContentRow>;
  inFlight: ReadonlySet<string>;
  /** Ids of audiences that the publish created: these do not keep each other. */
  createdAudiences: ReadonlySet<string>;
  before: Publishable;
};

export async function planRestore(
  ctx: Ctx,
  { environmentId: targetId, organizationId }: Caller,
  resources: PublishedChange[],
  before: Publishable,
): Promise<RestorePlan> {
  const items = new Map(itemsOf(before).map((item) => [`${item.type} ${item.identifier}`, item]));
  const workflows = resources.filter(({ type }) => type === "workflow");
  const made = workflows.filter(({ action }) => action === "created");
  const facts: Facts = {
    environmentId: targetId,
    items,
    before,
    deletedRows: new Map((await findDeletedWorkflows(ctx.db, targetId, idsOf(workflows))).map((row) => [row.id, row])),
    versions: await findVersionContents(
      ctx.db,
      targetId,
      workflows.flatMap(({ versionBefore }) => versionBefore ?? []),
    ),
    createdAudiences: new Set(
      resources.flatMap(({ type, action, identifier }) =>
        type === "audience" && action === "created" ? [identifier] : [],
      ),
    ),
    inFlight: await findWorkflowsInFlight(ctx.db, targetId, idsOf(made), maxInFlightChecked),
  };
  // Workflows first: whether a layout, category or audience can be deleted depends on those that stay.
  const first = workflows.map((change) => planStep(change, facts, []));
  const others = resources.filter(({ type }) => type !== "workflow");
  const planned = [...first, ...others.map((change) => planStep(change, facts, first))];
  const authors = planned.flatMap(({ current }) => current?.updated.by ?? []);
  const names = await findUserNames(ctx.db, organizationId, [...new Set(authors)]);
  return {
    outcomes: planned.map((step) => toOutcome(step, names)),
    toChanges: (stamp, newId) => toChanges(planned, facts, stamp, newId),
  };
}

const idsOf = (changes: PublishedChange[]): string[] => changes.map(({ id }) => id);

function planStep(change: PublishedChange, facts: Facts, earlier: Step[]): Step {
  const current = facts.items.get(`${change.type} ${change.identifier}`) ?? null;
  const step = (action: Step["action"], reason: string | null = null): Step => ({ change, current, action, reason });
  if (change.action === "created") {
    if (!current) return step("kept", "It no longer exists");
    if (current.type === "layout") {
      const fault = layoutDeletionFault(current.row, { workflows: workflowsAfter(earlier, facts) }, new Set());
      return fault === null ? step("deleted") : step("kept", fault);
    }
    if (current.type === "category") {
      const remaining = [...workflowsAfter(earlier, facts), ...facts.before.bridgedMembers];
      const users = remaining.filter((row) => row.category_id === current.identifier);
      const names = users.map((row) => row.workflow_id).join(", ");
      return users.length === 0 ? step("deleted") : step("kept", `Workflows are in it: ${names}`);
    }
    if (current.type === "audience") {
      const audiences = facts.before.audiences.filter((row) => !facts.createdAudiences.has(row.audience_id));
      const remaining = { ...facts.before, audiences, workflows: workflowsAfter(earlier, facts) };
      const fault = audienceDeletionFault(current.identifier, remaining, new Set());
      return fault === null ? step("deleted") : step("kept", fault);
    }
    if (current.type === "brand" || current.type === "attention") return step("deleted");
    return facts.inFlight.has(change.id) ? step("turned_off", "Its runs are in progress, and finish") : step("deleted");
  }
  const hasContent = change.type !== "workflow" || facts.versions.has(change.versionBefore ?? "");
  if (!hasContent) return step("kept", "Its earlier content no longer exists");
  if (current) return step("restored");
  const canRecreate = change.type !== "workflow" || facts.deletedRows.has(change.id);
  return canRecreate ? step("recreated") : step("kept", "It was deleted, and cannot be created again");
}

type RemainingWorkflow = Pick<WorkflowRow, "workflow_id" | "steps" | "category_id">;

/** The workflows of the target when these steps are done. */
function workflowsAfter(steps: Step[], { before, deletedRows, versions }: Facts): RemainingWorkflow[] {
  const byId = new Map<string, RemainingWorkflow>(before.workflows.map((row) => [row.id, row]));
  for (const { change, current, action } of steps) {
    const row = current?.type === "workflow" ? current.row : deletedRows.get(change.id);
    const version = versions.get(change.versionBefore ?? "");
    if (action === "deleted" && row) byId.delete(row.id);
    if ((action === "restored" || action === "recreated") && row && version)
      byId.set(row.id, {
        workflow_id: row.workflow_id,
        steps: version.definition.steps,
        category_id: toContent(version, row).category_id ?? null,
      });
  }
  return [...byId.values()];
}

function toOutcome({ change, current, action, reason }: Step, names: ReadonlyMap<string, string>): RestoreOutcome {
  const isChanged = action !== "kept" && isChangedSince(change, current);
  const by = current?.updated.by;
  return {
    resourceType: change.type,
    resourceId: change.identifier,
    resourceName: current?.name ?? change.name,
    action,
    reason,
    changedSince: isChanged
      ? { at: current?.updated.at?.toISOString() ?? null, by: (by && names.get(by)) ?? null }
      : null,
  };
}

const isSame = (a: unknown, b: unknown): boolean => canonicalJson(a) === canonicalJson(b);

/** Whether the resource is another than the one that the publish left. */
function isChangedSince(change: PublishedChange, current: Item | null): boolean {
  if (change.action === "deleted") return current !== null;
  if (!current) return true;
  if (current.type === "brand" || current.type === "attention") return !isSame(current.settings, change.settingsAfter);
  if (current.type === "category" || current.type === "audience")
    return current.row.id !== change.id || !isSame(current.settings, change.settingsAfter);
  if (current.row.id !== change.id || !isSame(current.texts, change.textsAfter)) return true;
  if (current.type === "workflow") return current.row.version_id !== change.versionAfter;
  // Which layout is the default is not part of what was published.
  return !isSame({ ...storedLayout(current.row), is_default: true }, { ...change.layoutAfter, is_default: true });
}

function toChanges(steps: Step[], facts: Facts, stamp: Stamp, newId: () => string): TargetChanges {
  const written = steps.filter(({ action }) => action !== "kept" && action !== "deleted");
  return {
    workflows: written.flatMap((step) => {
      const row = restoredWorkflow(step, facts);
      if (!row) return [];
      const texts = step.action === "turned_off" ? step.current!.texts : step.change.textsBefore;
      return [{ row: { ...row, ...stamp, version_id: newId(), deleted_at: null }, texts }];
    }),
    layouts: written.flatMap(({ change, current }) => {
      if (change.type !== "layout" || !change.layoutBefore) return [];
      const base = current?.type === "layout" ? current.row : null;
      const hasDefault = facts.before.layouts.some(({ is_default }) => is_default);
      const row: LayoutRow = {
        id: change.id,
        environment_id: facts.environmentId,
        layout_id: change.identifier,
        created_at: stamp.updated_at,
        ...base,
        ...change.layoutBefore,
        is_default: base?.is_default ?? (change.layoutBefore.is_default && !hasDefault),
        ...stamp,
      };
      return [{ row, texts: change.textsBefore }];
    }),
    categories: written.flatMap((step) => restoredCategory(step)),
    audiences: written.flatMap((step) => restoredAudience(step)),
    brand: written.find(({ change }) => change.type === "brand")?.change.settingsBefore as BrandIn | undefined,
    attention: written.find(({ change }) => change.type === "attention")?.change.settingsBefore?.budgets as
      | AttentionBudget[]
      | undefined,
    deleted: steps.flatMap(({ action, current }) => (action === "deleted" && current ? [current] : [])),
  };
}

/** The choices that subscribers had made for a deleted category are gone. */
function restoredCategory({ change, current }: Step): CategoryContent[] {
  if (change.type !== "category" || !change.settingsBefore) return [];
  const { name, description, required, channels } = change.settingsBefore as ReturnType<typeof categorySettings>;
  const id = current?.type === "category" ? current.row.id : change.id;
  return [{ id, category_id: change.identifier, name, description, is_required: required, channels }];
}

function restoredAudience({ change, current }: Step): AudienceContent[] {
  if (change.type !== "audience" || !change.settingsBefore) return [];
  const id = current?.type === "audience" ? current.row.id : change.id;
  const settings = change.settingsBefore as ReturnType<typeof audienceSettings>;
  return [{ id, audience_id: change.identifier, ...settings }];
}

/** Null for another type. */
function restoredWorkflow({ change, current, action }: Step, { deletedRows, versions }: Facts): WorkflowRow | null {
  const base = current?.type === "workflow" ? current.row : deletedRows.get(change.id);
  if (change.type !== "workflow" || !base) return null;
  if (action === "turned_off") return { ...base, active: false };
  const version = versions.get(change.versionBefore!)!;
  return { ...base, ...toContent(version, base), active: version.settings?.active ?? (current ? base.active : true) };
}

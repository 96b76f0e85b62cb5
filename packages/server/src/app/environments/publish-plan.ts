// The plan of a publish: what will be done with each resource, decided before anything is written, and the
// report of it.
import {
  type AttentionBudget,
  broadcastWorkflowId,
  type Input,
  maxCategories,
  type PublishedResource,
  type PublishResult,
  type ResourceDependency,
  type ResourceIssue,
  rollUpWorkflowId,
} from "@tidings/contract";
import type { Publishable } from "../../store/environments/publishing.ts";
import type { LayoutRow } from "../../store/workflows/layouts.ts";
import type { WorkflowRow } from "../../store/workflows/workflows.ts";
import { rollsUp } from "../attention/read-budgets.ts";
import { userOfAudience } from "../audiences/audience-uses.ts";
import type { Compared, Item } from "./environment-diff.ts";

export type PublishOutcome =
  | { kind: "created" | "updated"; resource: CopiedResource }
  | { kind: "deleted"; resource: DeletedResource }
  | { kind: "skipped"; resource: Named; reason: string }
  | { kind: "failed"; resource: Named & { dependencies?: ResourceDependency[] }; reason: string };

export type CopiedResource = Extract<Compared, { source: Item }>;
type DeletedResource = Extract<Compared, { source: null }>;
type Named = Pick<Compared, "type" | "identifier" | "name">;

export type Selection = NonNullable<Input<"environments.publish">["body"]["resources"]>;

/** Without a selection everything that differs is published, and nothing is deleted. */
export function planPublish(
  compared: Compared[],
  target: Publishable,
  selection: Selection | undefined,
): PublishOutcome[] {
  const selected = selection && new Set(selection.map((one) => `${one.resourceType} ${one.resourceId}`));
  const isSelected = (one: Compared) => !selected || selected.has(`${one.type} ${one.identifier}`);
  const needed = [...categoriesNeeded(compared, isSelected), ...rollUpNeeded(compared, isSelected)];
  const chosen = compared.filter((one) => isSelected(one) || needed.includes(one));
  const identifiersOf = (type: PublishedResource, isMatch: (one: Compared) => boolean) =>
    new Set(chosen.filter((one) => one.type === type && isMatch(one)).map((one) => one.identifier));
  const copied = {
    layout: identifiersOf("layout", ({ source }) => source !== null),
    audience: completeAudiences(chosen),
  };
  const deletedWorkflows = identifiersOf("workflow", ({ source }) => source === null);
  const deletedAudiences = identifiersOf("audience", ({ source }) => source === null);
  const after = { ...target, audiences: target.audiences.filter((row) => !deletedAudiences.has(row.audience_id)) };
  const users = categoryUsers(chosen, target, selected !== undefined);
  const outcomes = chosen.map((resource): PublishOutcome => {
    if (resource.source) return planCopy(resource, copied);
    if (selected && isWorkflow(resource, broadcastWorkflowId))
      return { kind: "failed", resource, reason: "People choose in it whether they get broadcasts" };
    if (selected && isWorkflow(resource, rollUpWorkflowId) && rollsUp(budgetsAfter(chosen, target)))
      return { kind: "failed", resource, reason: "The attention budget sends roll-ups through it" };
    if (selected) return planDeletion(resource, after, deletedWorkflows, users);
    return { kind: "skipped", resource, reason: "Exists only in the target; name it in resources to delete it" };
  });
  return [...limitCategories(outcomes, target), ...unknownResources(chosen, selection ?? [])];
}

/** The chosen audiences that the target has everything for, once they are copied. */
function completeAudiences(chosen: Compared[]): ReadonlySet<string> {
  let complete = chosen.filter(({ type, source }) => type === "audience" && source !== null);
  for (let before = -1; before !== complete.length; ) {
    before = complete.length;
    const ids = new Set(complete.map(({ identifier }) => identifier));
    complete = complete.filter((one) =>
      one.dependencies.every(({ isBlocking, resourceId }) => !isBlocking || ids.has(resourceId)),
    );
  }
  return new Set(complete.map(({ identifier }) => identifier));
}

/** The categories that chosen workflows name and the target lacks: they come along. */
function categoriesNeeded(compared: Compared[], isChosen: (one: Compared) => boolean): Compared[] {
  const copied = compared.filter((one) => one.source && one.changes.length > 0 && isChosen(one));
  const named = new Set(copied.map(({ source }) => (source?.type === "workflow" ? source.row.category_id : null)));
  return compared.filter((one) => one.type === "category" && !one.target && named.has(one.identifier));
}

/** The workflow that a chosen attention budget sends roll-ups through, if the target lacks it. */
function rollUpNeeded(compared: Compared[], isChosen: (one: Compared) => boolean): Compared[] {
  const isNeeded = compared.some(
    (one) => one.source?.type === "attention" && one.changes.length > 0 && isChosen(one) && rollsUp(one.source.row),
  );
  return isNeeded ? compared.filter((one) => isWorkflow(one, rollUpWorkflowId) && !one.target) : [];
}

const isWorkflow = ({ type, identifier }: Named, workflowId: string): boolean =>
  type === "workflow" && identifier === workflowId;

/** The attention budgets of the target when the plan is carried out, which deletes what only the target has. */
function budgetsAfter(chosen: Compared[], target: Publishable): AttentionBudget[] {
  const own = chosen.find(({ type }) => type === "attention");
  if (own?.source?.type === "attention") return own.source.row;
  return own ? [] : target.attention;
}

/** By identifier of a category, the workflows that are in it when the plan is carried out. */
function categoryUsers(chosen: Compared[], target: Publishable, canDelete: boolean): ReadonlyMap<string, string[]> {
  const existing = [...target.workflows, ...target.bridgedMembers];
  const after = new Map(existing.map((row) => [row.workflow_id, row.category_id]));
  for (const { source, identifier, type } of chosen) {
    if (type !== "workflow") continue;
    if (source?.type === "workflow") after.set(identifier, source.row.category_id);
    else if (canDelete) after.delete(identifier);
  }
  const named = [...after].flatMap(([workflowId, category]) => (category === null ? [] : [{ workflowId, category }]));
  const groups = Map.groupBy(named, ({ category }) => category);
  return new Map([...groups].map(([category, some]) => [category, some.map(({ workflowId }) => workflowId)]));
}

/** Workflows whose category is left out are copied; they are in none until it exists. */
function limitCategories(outcomes: PublishOutcome[], target: Publishable): PublishOutcome[] {
  const isCategory = ({ resource }: PublishOutcome) => resource.type === "category";
  const deleted = outcomes.filter((one) => isCategory(one) && one.kind === "deleted").length;
  let free = maxCategories - target.categories.length + deleted;
  return outcomes.map((one): PublishOutcome => {
    if (!isCategory(one) || one.kind !== "created" || free-- > 0) return one;
    const reason = `The target environment can have ${maxCategories} categories: delete one first`;
    return { kind: "failed", resource: one.resource, reason };
  });
}

type Copied = Record<"layout" | "audience", ReadonlySet<string>>;

function planCopy(resource: CopiedResource, copied: Copied): PublishOutcome {
  if (resource.changes.length === 0) return { kind: "skipped", resource, reason: "No changes" };
  const missing = resource.dependencies.find(
    ({ isBlocking, resourceType, resourceId }) =>
      isBlocking && !copied[resourceType === "audience" ? "audience" : "layout"].has(resourceId),
  );
  if (missing) {
    const what = missing.resourceType === "audience" ? "Audience" : "Layout";
    return { kind: "failed", resource, reason: `${what} ${missing.resourceId} is not in the target environment` };
  }
  return { kind: resource.target ? "updated" : "created", resource };
}

function planDeletion(
  resource: DeletedResource,
  target: Publishable,
  deletedWorkflows: ReadonlySet<string>,
  categoryUsers: ReadonlyMap<string, string[]>,
): PublishOutcome {
  const item = resource.target;
  const users = item.type === "category" ? categoryUsers.get(item.identifier) : undefined;
  const reason =
    item.type === "layout"
      ? layoutDeletionFault(item.row, target, deletedWorkflows)
      : item.type === "audience"
        ? audienceDeletionFault(item.identifier, target, deletedWorkflows)
        : users
          ? `Workflows are in it: ${users.join(", ")}`
          : null;
  return reason === null ? { kind: "deleted", resource } : { kind: "failed", resource, reason };
}

/** Why the layout cannot be deleted in the target; null when it can. */
export function layoutDeletionFault(
  layout: LayoutRow,
  target: { workflows: Pick<WorkflowRow, "workflow_id" | "steps">[] },
  deletedWorkflows: ReadonlySet<string>,
): string | null {
  if (layout.is_default) return "It is the default layout of the target environment";
  const users = target.workflows.filter(
    (workflow) =>
      !deletedWorkflows.has(workflow.workflow_id) &&
      workflow.steps.some((step) => [layout.layout_id, layout.id].includes(String(step.controlValues.layoutId))),
  );
  return users.length > 0 ? `It is used by workflows: ${users.map((row) => row.workflow_id).join(", ")}` : null;
}

/** Why the audience cannot be deleted in the target; null when it can. */
export function audienceDeletionFault(
  audienceId: string,
  target: Pick<Publishable, "audiences" | "broadcastAudiences"> & {
    workflows: Pick<WorkflowRow, "workflow_id" | "steps">[];
  },
  deletedWorkflows: ReadonlySet<string>,
): string | null {
  const workflows = target.workflows.filter(({ workflow_id }) => !deletedWorkflows.has(workflow_id));
  const user = userOfAudience(audienceId, { ...target, workflows, broadcasts: target.broadcastAudiences });
  return user === null ? null : `It is used by ${user}`;
}

/** Selected resources that neither environment has, each once. */
function unknownResources(known: Compared[], selection: Selection): PublishOutcome[] {
  const seen = new Set(known.map((one) => `${one.type} ${one.identifier}`));
  return selection.flatMap(({ resourceType: type, resourceId }): PublishOutcome[] => {
    if (seen.has(`${type} ${resourceId}`)) return [];
    seen.add(`${type} ${resourceId}`);
    const resource = { type, identifier: resourceId, name: resourceId };
    return [{ kind: "failed", resource, reason: `No ${type} has this identifier` }];
  });
}

/** Issues of severity `error`, by type and identifier. */
export type PublishIssues = ReadonlyMap<string, ResourceIssue[]>;

/** In the report of a dry run nothing is successful: resources that would be written are listed as skipped. */
export function toResult(
  type: PublishedResource,
  outcomes: PublishOutcome[],
  issues: PublishIssues,
  isDryRun: boolean,
): PublishResult {
  const issuesOf = ({ resource }: PublishOutcome) => {
    const found = issues.get(`${resource.type} ${resource.identifier}`);
    return found ? { issues: found } : {};
  };
  const own = outcomes
    .filter(({ resource }) => resource.type === type)
    .map((outcome): PublishOutcome => {
      if (!isDryRun || outcome.kind === "skipped" || outcome.kind === "failed") return outcome;
      return { kind: "skipped", resource: outcome.resource, reason: `Dry run: would be ${outcome.kind}` };
    });
  const named = ({ resource }: PublishOutcome) => ({
    resourceType: resource.type,
    resourceId: resource.identifier,
    resourceName: resource.name,
  });
  return {
    resourceType: type,
    successful: own.flatMap((outcome) =>
      outcome.kind === "skipped" || outcome.kind === "failed"
        ? []
        : [{ ...named(outcome), action: outcome.kind, ...issuesOf(outcome) }],
    ),
    failed: own.flatMap((outcome) => (outcome.kind === "failed" ? [{ ...named(outcome), error: outcome.reason }] : [])),
    skipped: own.flatMap((outcome) =>
      outcome.kind === "skipped" ? [{ ...named(outcome), reason: outcome.reason, ...issuesOf(outcome) }] : [],
    ),
    totalProcessed: own.length,
  };
}

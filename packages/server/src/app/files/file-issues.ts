// The issues of severity `error` that the workflows, layouts and audiences of a plan would have once it is applied.
import { type FileIssue, type FileResources, maxFileIssues, type ResourceIssue } from "@tidings/contract";
import type { Ctx } from "../../context.ts";
import { topicsNamedIn } from "../../lib/audiences/named-topics.ts";
import { findTopicsByKeys } from "../../store/topics/topics.ts";
import { withWorkflows } from "../workflows/issues/effect-issues.ts";
import type { IssueFacts } from "../workflows/issues/step-issues.ts";
import { viewFacts } from "../workflows/workflows.ts";
import { audiencesAfter, topicWarnings } from "./audience-plan.ts";
import type { FileState } from "./file-state.ts";
import type { Plan } from "./plan.ts";
import { layoutErrors, workflowErrors } from "./resource-errors.ts";

export async function findFileIssues(
  ctx: Ctx,
  environmentId: string,
  { resources, state, plan }: { resources: FileResources; state: FileState; plan: Plan },
): Promise<FileIssue[]> {
  const written = plan.workflows.filter(({ hasNewContent }) => hasNewContent);
  if (written.length + plan.layouts.length + plan.audiences.length === 0) return [];
  const issues: FileIssue[] = await findTopicWarnings(ctx, environmentId, resources, plan);
  const add = (type: "workflow" | "layout", id: string, found: ResourceIssue[]) => {
    const at =
      type === "workflow"
        ? resources.workflows?.findIndex(({ workflowId }) => workflowId === id)
        : resources.layouts?.findIndex(({ layoutId }) => layoutId === id);
    for (const issue of found) {
      const field = `resources.${type}s.${at}.${issue.field}`;
      issues.push({ type, id, ...issue, field, isBlocking: issue.issueType !== "MISSING_INTEGRATION" });
    }
  };
  const facts = factsAfter(await viewFacts(ctx, environmentId), state, plan);
  for (const { content } of plan.layouts) add("layout", content.layout_id, await layoutErrors(content, facts));
  const categoryIds = categoriesAfter(state, plan);
  for (const { content } of written) {
    add("workflow", content.workflow_id, [
      ...(await workflowErrors(content, facts)),
      ...categoryErrors(content.category_id, categoryIds),
    ]);
    if (issues.length >= maxFileIssues) break;
  }
  return issues.slice(0, maxFileIssues);
}

async function findTopicWarnings(
  ctx: Ctx,
  environmentId: string,
  { topics = [], audiences = [] }: FileResources,
  plan: Plan,
): Promise<FileIssue[]> {
  const keys = [...new Set(plan.audiences.flatMap(({ file }) => topicsNamedIn(file.rule)))];
  const existing = await findTopicsByKeys(ctx.db, environmentId, keys);
  const known = new Set([...existing, ...topics].map(({ key }) => key.trim()));
  return plan.audiences.flatMap(({ file }) => {
    const at = audiences.findIndex(({ audienceId }) => audienceId === file.audienceId);
    return topicWarnings(file, known).map((issue) => ({
      ...{ type: "audience" as const, id: file.audienceId },
      ...issue,
      field: `resources.audiences.${at}.${issue.field}`,
      isBlocking: false,
    }));
  });
}

function categoriesAfter({ categories }: FileState, plan: Plan): ReadonlySet<string> {
  const deleted = new Set(plan.deletedCategories);
  const kept = categories.map(({ row }) => row).filter((row) => !deleted.has(row));
  return new Set([...kept.map((row) => row.category_id), ...plan.categories.map(({ file }) => file.categoryId)]);
}

const categoryErrors = (categoryId: string | null, known: ReadonlySet<string>): ResourceIssue[] =>
  categoryId === null || known.has(categoryId)
    ? []
    : [
        {
          field: "categoryId",
          issueType: "MISSING_VALUE",
          message: `The environment has no category ${categoryId}: add it to the files, or create it first`,
        },
      ];

/** With the layouts, workflows, audiences and integrations that the plan brings. */
function factsAfter(facts: IssueFacts, state: FileState, plan: Plan): IssueFacts {
  const deleted = new Set(plan.deletedLayouts.map(({ id }) => id));
  const kept = state.layouts.map(({ row }) => row).filter(({ id }) => !deleted.has(id));
  const created = plan.layouts
    .filter(({ row }) => row === undefined)
    .map(({ content: { layout_id, is_default } }) => ({ id: layout_id, layout_id, is_default }));
  const activated = plan.integrations.filter(({ file }) => file.active).map(({ file }) => file.channel);
  return {
    ...facts,
    layouts: [...kept, ...created],
    findStarts: async () => {
      const graph = new Map(await facts.findStarts());
      for (const { workflow_id } of plan.deletedWorkflows) graph.delete(workflow_id);
      return withWorkflows(
        graph,
        plan.workflows.map(({ content }) => content),
      );
    },
    findAudiences: async () => new Set(audiencesAfter(state, plan).keys()),
    activeChannels: new Set([...facts.activeChannels, ...activated]),
  };
}

// What a publish says about the resources it copies: their issues of severity `error` in the target, for example a
// layout that neither environment has. They are copied all the same; each invalid step fails, as it does in the source.
import type { ResourceIssue } from "@tidings/contract";
import type { Ctx } from "../../context.ts";
import type { EnvironmentRow } from "../../store/environments/environments.ts";
import type { LayoutRow } from "../../store/workflows/layouts.ts";
import { layoutErrors, workflowErrors } from "../files/resource-errors.ts";
import { withWorkflows } from "../workflows/issues/effect-issues.ts";
import { viewFacts } from "../workflows/workflows.ts";
import { inTarget } from "./publish-checks.ts";
import type { PublishIssues, PublishOutcome } from "./publish-plan.ts";

export async function findPublishIssues(
  ctx: Ctx,
  target: EnvironmentRow,
  targetLayouts: readonly LayoutRow[],
  outcomes: PublishOutcome[],
): Promise<PublishIssues> {
  const found = new Map<string, ResourceIssue[]>();
  const copied = outcomes.flatMap((outcome) =>
    outcome.kind === "created" || outcome.kind === "updated" ? [outcome.resource.source] : [],
  );
  if (copied.length === 0) return found;
  const brought = copied.flatMap((item) => (item.type === "layout" ? [item.row] : []));
  const targetFacts = await viewFacts(ctx, target.id);
  const workflows = copied.flatMap((item) => (item.type === "workflow" ? [item.row] : []));
  const audienceIds = copied.flatMap((item) => (item.type === "audience" ? [item.identifier] : []));
  const facts = {
    ...targetFacts,
    layouts: [...targetLayouts, ...brought],
    findStarts: async () => withWorkflows((await targetFacts.findStarts()) ?? new Map(), workflows),
    findAudiences: async () => new Set([...((await targetFacts.findAudiences()) ?? []), ...audienceIds]),
  };
  for (const item of copied) {
    if (item.type !== "layout" && item.type !== "workflow") continue;
    // Steps that name a layout by its internal id name it by its identifier in another environment.
    const steps = item.steps.map((step) => ({ ...step, id: step.stepId }));
    const errors =
      item.type === "layout"
        ? await layoutErrors(item.row, facts)
        : await workflowErrors({ ...item.row, steps }, facts);
    const shown = errors.map((error) => ({ ...error, message: inTarget(error.message, target) }));
    if (shown.length > 0) found.set(`${item.type} ${item.identifier}`, shown);
  }
  return found;
}

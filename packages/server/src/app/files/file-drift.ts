// What others changed in an environment: since the fingerprints that a request brings, else since files were applied
// last.
import type { FileResources, FilesPlan } from "@tidings/contract";
import type { Ctx } from "../../context.ts";
import { findFileApply, recordFileApply } from "../../store/workflows/file-applies.ts";
import { attentionKey, brandKey, keyOf } from "./file-forms.ts";
import { findDrift } from "./file-plan.ts";
import type { FileState } from "./file-state.ts";
import type { Plan } from "./plan.ts";

const keysOf = (resources: FileResources) => {
  const { workflows, layouts, integrations, topics, categories, audiences, brand, attention } = resources;
  return [
    ...(workflows ?? []).map(({ workflowId }) => keyOf("workflow", workflowId)),
    ...(layouts ?? []).map(({ layoutId }) => keyOf("layout", layoutId)),
    ...(integrations ?? []).map(({ identifier }) => keyOf("integration", identifier)),
    ...(topics ?? []).map(({ key }) => keyOf("topic", key.trim())),
    ...(categories ?? []).map(({ categoryId }) => keyOf("category", categoryId)),
    ...(audiences ?? []).map(({ audienceId }) => keyOf("audience", audienceId)),
    ...(brand ? [brandKey] : []),
    ...(attention ? [attentionKey] : []),
  ];
};

type Wanted = { resources: FileResources; pulled?: Record<string, string> };

export async function readDrift(
  ctx: Ctx,
  environmentId: string,
  { resources, pulled }: Wanted,
  state: FileState,
  { changes }: Plan,
): Promise<Pick<FilesPlan, "drift" | "driftSince">> {
  if (pulled) return { drift: findDrift(state, pulled, changes), driftSince: { kind: "pulled" } };
  const applied = await findFileApply(ctx.db, environmentId);
  if (!applied) return { drift: [] };
  const { fingerprints, applied_at } = applied;
  // What these files never put in place is another repository's, or created by hand.
  const keys = keysOf(resources).filter((key) => Object.hasOwn(fingerprints, key));
  return {
    drift: findDrift(state, fingerprints, changes, keys),
    driftSince: { kind: "applied", at: applied_at.toISOString() },
  };
}

/** `after`: the fingerprints of the environment once the plan was carried out. */
export async function recordApplied(
  ctx: Ctx,
  environmentId: string,
  resources: FileResources,
  after: Record<string, string>,
  plan: Pick<Plan, "deletedWorkflows" | "deletedLayouts" | "deletedCategories" | "deletedAudiences">,
): Promise<void> {
  const given = keysOf(resources).filter((key) => Object.hasOwn(after, key));
  await recordFileApply(ctx.db, environmentId, {
    fingerprints: Object.fromEntries(given.map((key) => [key, after[key]!])),
    removed: [
      ...plan.deletedWorkflows.map(({ workflow_id }) => keyOf("workflow", workflow_id)),
      ...plan.deletedLayouts.map(({ layout_id }) => keyOf("layout", layout_id)),
      ...plan.deletedCategories.map(({ category_id }) => keyOf("category", category_id)),
      ...plan.deletedAudiences.map(({ audience_id }) => keyOf("audience", audience_id)),
    ],
    now: ctx.now(),
  });
}

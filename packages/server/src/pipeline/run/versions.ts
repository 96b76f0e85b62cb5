// Workflow versions by id. They are immutable, so a cached one is never stale.
import type { WorkflowPreference } from "@tidings/contract";
import type { Ctx } from "../../context.ts";
import { findVersions } from "../../store/workflows/workflows.batch.ts";
import type { WorkflowRules, WorkflowVersion } from "../../store/workflows/workflows.ts";

export async function loadVersions(ctx: Ctx, ids: string[]): Promise<Map<string, WorkflowVersion>> {
  const found = new Map<string, WorkflowVersion>();
  const missing: string[] = [];
  for (const id of new Set(ids)) {
    const cached = ctx.versions.get(id);
    if (cached) found.set(id, cached);
    else missing.push(id);
  }
  if (missing.length > 0) {
    for (const version of await findVersions(ctx.db, missing)) {
      ctx.versions.set(version.id, version);
      found.set(version.id, version);
    }
  }
  return found;
}

/**
 * The rules of the current workflow, where it was read. A test has the rules of its draft. A broadcast is promotional,
 * and people can switch it off, whatever its workflow is otherwise used for or becomes while the broadcast runs.
 */
export const rulesOf = (
  { definition }: WorkflowVersion,
  current: { rules: WorkflowRules } | undefined,
): WorkflowRules => {
  const rules = definition.isTest ? definition : (current?.rules ?? definition);
  if (!definition.isBroadcast) return rules;
  const { user, default: own } = rules.preferences;
  const preferences = { user: user && withoutReadOnly(user), default: withoutReadOnly(own) };
  return { ...rules, preferences, messageClass: "promotional" };
};

const withoutReadOnly = (level: WorkflowPreference): WorkflowPreference =>
  level.all ? { ...level, all: { ...level.all, readOnly: false } } : level;

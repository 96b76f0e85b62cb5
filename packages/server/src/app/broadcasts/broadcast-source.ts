// What checks and previews of a draft simulate: the version that would be sent.
import type { BroadcastContent } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import type { CheckSource } from "../../store/broadcasts/checks.ts";
import { findTriggerTargets } from "../../store/workflows/workflows.ts";
import { resolveContent } from "./broadcast-content.ts";

/** The version, or why there is none. */
export async function findSource(
  ctx: Ctx,
  caller: Caller,
  content: BroadcastContent,
): Promise<CheckSource | { fault: string }> {
  const resolved = await resolveContent(ctx, caller, content);
  if ("fault" in resolved) return resolved;
  const { target, version } = resolved;
  const saved = content.workflowId === undefined ? [] : [content.workflowId];
  const [stored] = await findTriggerTargets(ctx.db, caller.environmentId, saved);
  return { target, definition: version.definition, savedVersionId: stored?.version_id ?? null };
}

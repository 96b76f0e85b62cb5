// What checks and previews of a draft simulate: the version that would be sent.
import type { Caller, Ctx } from "../../context.ts";
import type { CheckSource } from "../../store/broadcasts/checks.ts";
import { resolveContent } from "./broadcast-content.ts";

/** The version, or why there is none. */
export async function findSource(
  ctx: Ctx,
  caller: Caller,
  draft: Parameters<typeof resolveContent>[2],
): Promise<CheckSource | { fault: string }> {
  const resolved = await resolveContent(ctx, caller, draft);
  if ("fault" in resolved) return resolved;
  const { target, version, savedVersionId } = resolved;
  return { target, definition: version.definition, savedVersionId };
}

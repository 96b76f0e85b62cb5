// Who has a workflow open in the dashboard.
import type { Input, Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../../context.ts";
import { listViewers, putViewer, removeViewers } from "../../../store/workflows/viewers.ts";
import { requireWorkflow } from "../workflows.ts";

/** Three signs of a tab may be lost. */
const silentMs = 45_000;
const maxViewers = 20;

export async function announce(
  ctx: Ctx,
  { environmentId, member }: Caller,
  { params, body }: Input<"workflows.announceViewer">,
): Promise<Output<"workflows.announceViewer">> {
  const { id: workflowId } = await requireWorkflow(ctx, environmentId, params.workflowId);
  const { tabId, isEditing = false, isLeaving = false } = body;
  const now = ctx.now();
  const since = new Date(now.getTime() - silentMs);
  if (member) {
    const tab = { workflowId, tabId, memberId: member.id };
    if (isLeaving) await removeViewers(ctx.db, environmentId, { ...tab, before: since });
    else await putViewer(ctx.db, environmentId, { ...tab, isEditing, now });
  }
  const rows = await listViewers(ctx.db, environmentId, { workflowId, tabId, after: since, limit: maxViewers });
  return {
    data: rows
      .filter(({ member_id }) => member_id !== member?.id)
      .map((row) => ({
        memberId: row.member_id,
        name: row.name,
        isEditing: row.is_editing,
        seenAt: row.seen_at.toISOString(),
      })),
  };
}

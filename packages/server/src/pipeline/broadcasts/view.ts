// A broadcast as the API and webhooks show it.
import type { Broadcast, WebhookEventType } from "@tidings/contract";
import type { Ctx } from "../../context.ts";
import type { BroadcastRow } from "../../store/broadcasts/broadcasts.ts";
import type { CheckState } from "../../store/broadcasts/checks.ts";
import { findPageProgress, type PageProgress } from "../../store/broadcasts/event-pages.ts";
import { emit } from "../webhooks/events.ts";

const timeOf = (date: Date | null | undefined): string | null => date?.toISOString() ?? null;

function toBroadcast(row: BroadcastRow, pages: PageProgress | undefined): Broadcast {
  const isOpen = row.status === "scheduled" || row.status === "running" || row.status === "paused";
  return {
    _id: row.id,
    name: row.name,
    status: row.status,
    content: row.content,
    audience: row.audience,
    time: row.time,
    pace: row.pace,
    expiresAt: timeOf(row.expires_at),
    revision: row.revision,
    approval: row.approval && toApproval(row.approval),
    progress: {
      people: row.people,
      started: pages?.started ?? 0,
      gone: pages?.gone ?? 0,
      expired: pages?.expired ?? 0,
      failed: pages?.failed ?? 0,
      perMinute: pages?.last_minute ?? 0,
      nextAt: isOpen ? timeOf(pages?.next_at) : null,
      lastAt: isOpen ? timeOf(pages?.last_at) : null,
    },
    transactionId: row.transaction_id,
    failure: row.failure,
    checkedAt: (row.checked as CheckState | null)?.startedAt ?? null,
    resendOf: row.resend_of,
    createdBy: row.created_by,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    startedAt: timeOf(row.started_at),
    finishedAt: timeOf(row.finished_at),
  };
}

const toApproval = ({ versionId: _, ...shown }: NonNullable<BroadcastRow["approval"]>): Broadcast["approval"] => shown;

/** With their progress. All rows are of one environment. */
export async function viewBroadcasts(
  ctx: Pick<Ctx, "db">,
  environmentId: string,
  rows: BroadcastRow[],
  now: Date,
): Promise<Broadcast[]> {
  const eventIds = rows.flatMap(({ event_id }) => event_id ?? []);
  const progress = await findPageProgress(ctx.db, environmentId, eventIds, now);
  return rows.map((row) => toBroadcast(row, row.event_id === null ? undefined : progress.get(row.event_id)));
}

type BroadcastEventType = Extract<WebhookEventType, `broadcast.${string}`>;

/** To webhooks of the environment, in the transaction of the change. */
export async function emitBroadcast(ctx: Ctx, type: BroadcastEventType, row: BroadcastRow, now: Date): Promise<void> {
  const { environment_id: environmentId } = row;
  await emit(ctx, { environmentId, type, at: now }, async () => {
    const [object] = await viewBroadcasts(ctx, environmentId, [row], now);
    return [{ object: object! }];
  });
}

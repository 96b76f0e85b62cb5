// Live events in the shapes that clients read. Streams carry notifications as the API of the inbox shows them; sockets
// carry messages with the names of Novu, which its published clients expect.
import { toInboxMessage } from "../../app/inbox/inbox-message-view.ts";
import { toWorkflowRef } from "../../app/workflows/workflow-view.ts";
import type { LiveEvent, LiveItem } from "../../pipeline/live/events.ts";
import { deliveryTimes, toCta } from "../../pipeline/views.ts";

export type NamedEvent = { name: string; data: unknown };

export function toStreamEvent(event: LiveEvent): NamedEvent {
  switch (event.kind) {
    case "message":
      return { name: "notification", data: toMessage(event.item) };
    case "changed":
      return { name: "changed", data: { notification: toMessage(event.item) } };
    case "many":
      return { name: "changed", data: { notification: null } };
    case "removed":
      return { name: "removed", data: { ids: event.ids, count: event.count } };
    case "counts":
      return { name: "counts", data: event.counts };
  }
}

const toMessage = ({ row, subscriber, now }: LiveItem) => toInboxMessage(row, subscriber, now);

/**
 * Marks have no separate event: sockets report the new counts. A message that comes back from a snooze is sent
 * again.
 */
export function toSocketEvents(event: LiveEvent): NamedEvent[] {
  if (event.kind === "message" || (event.kind === "changed" && event.isBack)) {
    return [{ name: "notification_received", data: { message: toSocketMessage(event.item) } }];
  }
  if (event.kind !== "counts") return [];
  const { unread, unseen, hasMore } = event.counts;
  return [
    { name: "unread_count_changed", data: { unreadCount: unread.total, counts: unread, hasMore } },
    { name: "unseen_count_changed", data: { unseenCount: unseen, hasMore } },
  ];
}

function toSocketMessage({ row, subscriber, now }: LiveItem) {
  const { redirect } = (row.cta ?? {}) as { redirect?: { url?: string; target?: string } };
  const isSnoozed = row.snoozed_until !== null && row.snoozed_until > now;
  return {
    _id: row.id,
    transactionId: row.transaction_id,
    content: row.content ?? "",
    subject: row.subject ?? undefined,
    read: row.read_at !== null,
    seen: row.seen_at !== null,
    archived: row.archived_at !== null,
    snoozedUntil: isSnoozed ? row.snoozed_until!.toISOString() : undefined,
    deliveredAt: deliveryTimes(row),
    createdAt: row.created_at.toISOString(),
    lastReadDate: row.read_at?.toISOString(),
    firstSeenDate: row.seen_at?.toISOString(),
    archivedAt: row.archived_at?.toISOString(),
    channel: "in_app",
    avatar: (row.actor as { data?: string | null } | null)?.data ?? undefined,
    cta: { ...toCta(row.cta), ...(redirect ? { data: { url: redirect.url, target: redirect.target } } : {}) },
    tags: row.workflow?.tags,
    data: row.data ?? undefined,
    severity: row.severity,
    workflow: row.workflow ? toWorkflowRef(row.workflow) : undefined,
    subscriber: {
      _id: subscriber.id,
      subscriberId: subscriber.subscriber_id,
      firstName: subscriber.first_name ?? undefined,
      lastName: subscriber.last_name ?? undefined,
      avatar: subscriber.avatar ?? undefined,
    },
  };
}

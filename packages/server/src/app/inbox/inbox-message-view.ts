// A message of an inbox as the API shows it: to the customer's server, and to the browser of its subscriber.
import type { SubscriberNotification } from "@tidings/contract";
import { deliveryTimes } from "../../pipeline/views.ts";
import type { InboxMessage, SubscriberRef } from "../../store/inbox/inbox-messages.ts";
import { toWorkflowRef } from "../workflows/workflow-view.ts";

type Redirect = NonNullable<SubscriberNotification["redirect"]>;
type StoredAction = { label?: string; redirect?: Redirect };
type StoredCta = {
  redirect?: Redirect;
  primaryAction?: StoredAction;
  secondaryAction?: StoredAction;
  pressed?: { type: "primary" | "secondary"; status: "pending" | "done" };
};

function actionOf(cta: StoredCta, type: "primary" | "secondary"): SubscriberNotification["primaryAction"] {
  const action = cta[`${type}Action`];
  if (!action) return undefined;
  const isCompleted = cta.pressed?.type === type && cta.pressed.status === "done";
  return { label: action.label ?? "", isCompleted, redirect: action.redirect };
}

export function toInboxMessage(row: InboxMessage, to: SubscriberRef, now: Date): SubscriberNotification {
  const cta: StoredCta = row.cta ?? {};
  const isSnoozed = row.snoozed_until !== null && row.snoozed_until > now;
  return {
    id: row.id,
    transactionId: row.transaction_id,
    subject: row.subject ?? undefined,
    body: row.content ?? "",
    to: {
      id: to.id,
      subscriberId: to.subscriber_id,
      firstName: to.first_name ?? undefined,
      lastName: to.last_name ?? undefined,
      avatar: to.avatar ?? undefined,
    },
    isRead: row.read_at !== null,
    isSeen: row.seen_at !== null,
    isArchived: row.archived_at !== null,
    isSnoozed,
    snoozedUntil: isSnoozed ? row.snoozed_until!.toISOString() : null,
    expiresAt: row.expires_at?.toISOString(),
    deliveredAt: deliveryTimes(row),
    createdAt: row.created_at.toISOString(),
    readAt: row.read_at?.toISOString(),
    firstSeenAt: row.seen_at?.toISOString(),
    archivedAt: row.archived_at?.toISOString(),
    avatar: (row.actor as { data?: string | null } | null)?.data ?? undefined,
    primaryAction: actionOf(cta, "primary"),
    secondaryAction: actionOf(cta, "secondary"),
    channelType: "in_app",
    tags: row.workflow?.tags,
    data: row.data ?? undefined,
    redirect: cta.redirect,
    workflow: row.workflow ? toWorkflowRef(row.workflow) : undefined,
    severity: row.severity,
  };
}

// Records as the API returns them; webhooks carry the same.
import type { Message, MessageCta, Subscriber } from "@tidings/contract";
import type { JsonObject } from "../lib/json.ts";
import type { Secrets } from "../lib/secrets.ts";
import type { ListedMessage } from "../store/messages/messages.ts";
import type { SubscriberRow } from "../store/subscribers/subscribers.ts";
import { openAddress } from "./encrypted-parts.ts";
import { maskOverrides } from "./rules/overrides.ts";
import { channelEntries } from "./rules/subscriber-channels.ts";

export function toSubscriber(secrets: Secrets, row: SubscriberRow, organizationId: string): Subscriber {
  return {
    _id: row.id,
    subscriberId: row.subscriber_id,
    firstName: row.first_name ?? undefined,
    lastName: row.last_name ?? undefined,
    email: row.email ?? undefined,
    phone: row.phone ?? undefined,
    avatar: row.avatar ?? undefined,
    locale: row.locale ?? undefined,
    timezone: row.timezone ?? undefined,
    data: row.data ?? undefined,
    channels: channelEntries(secrets, row),
    isOnline: row.is_online ?? undefined,
    lastOnlineAt: row.last_online_at?.toISOString(),
    _organizationId: organizationId,
    _environmentId: row.environment_id,
    deleted: false,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

/**
 * The contract has three statuses. A message that waits for its provider, or for the retry of a failed attempt, is
 * shown as `warning`: not sent yet. It has an `errorText` only after an attempt has failed, so that clients that look
 * for errors do not find messages that are still being sent.
 */
const statusOf = ({ status }: ListedMessage): Message["status"] => (status === "pending" ? "warning" : status);

/** An in-app message is delivered when it is created. */
export function deliveryTimes({ channel, status, delivered_at, created_at }: Delivered): string[] | undefined {
  const times = delivered_at ?? (channel === "in_app" && status === "sent" ? [created_at] : undefined);
  return times?.map((time) => time.toISOString());
}

type Delivered = Pick<ListedMessage, "channel" | "status" | "delivered_at" | "created_at">;

type StoredAction = { label?: string; redirect?: { url?: string; target?: string } };
type StoredCta = {
  redirect?: { url?: string };
  primaryAction?: StoredAction;
  secondaryAction?: StoredAction;
  /** The button that was marked last. */
  pressed?: { type: "primary" | "secondary"; status: "pending" | "done"; payload?: JsonObject };
};

export function toCta(stored: StoredCta | null): MessageCta {
  if (!stored) return {};
  const button = (type: "primary" | "secondary", action: StoredAction | undefined) =>
    action ? [{ type, content: action.label ?? "", url: action.redirect?.url, target: action.redirect?.target }] : [];
  const buttons = [...button("primary", stored.primaryAction), ...button("secondary", stored.secondaryAction)];
  const { status = "pending", ...result } = stored.pressed ?? {};
  const action = { status, buttons, ...(stored.pressed ? { result } : {}) };
  return {
    ...(stored.redirect ? { type: "redirect" as const, data: { url: stored.redirect.url } } : {}),
    ...(buttons.length > 0 ? { action } : {}),
  };
}

/**
 * The address that was used, in the field of its channel. A chat message to a channel or user of a workspace has none.
 */
function addressOf(secrets: Secrets, row: ListedMessage): Partial<Message> {
  const { channel, subject } = row;
  const address = openAddress(secrets, row);
  switch (channel) {
    case "email":
      return { email: address ?? undefined };
    case "sms":
      return { phone: address ?? undefined };
    case "push":
      return { deviceTokens: address ? [address] : undefined, title: subject ?? undefined };
    case "chat":
      if (address?.startsWith("+")) return { phone: address };
      return { directWebhookUrl: address?.includes("://") ? address : undefined };
    default:
      return {};
  }
}

export function toMessage(
  secrets: Secrets,
  { organizationId }: { organizationId: string },
  row: ListedMessage,
): Message {
  return {
    _id: row.id,
    _templateId: row.workflow_id,
    _environmentId: row.environment_id,
    _organizationId: organizationId,
    _notificationId: row.notification_id,
    _subscriberId: row.subscriber_id,
    subscriber: row.subscriber ? toSubscriber(secrets, row.subscriber, organizationId) : undefined,
    templateIdentifier: row.workflow_identifier ?? undefined,
    createdAt: row.created_at.toISOString(),
    deliveredAt: deliveryTimes(row),
    lastSeenDate: (row.seen_at ?? row.last_seen_at)?.toISOString(),
    lastReadDate: (row.read_at ?? row.last_read_at)?.toISOString(),
    content: row.content ?? undefined,
    transactionId: row.transaction_id,
    subject: row.subject ?? undefined,
    channel: row.channel,
    read: row.read_at !== null,
    seen: row.seen_at !== null,
    snoozedUntil: row.snoozed_until?.toISOString(),
    expiresAt: row.expires_at?.toISOString(),
    ...addressOf(secrets, row),
    providerId: row.provider_id ?? undefined,
    cta: toCta(row.cta),
    status: statusOf(row),
    errorId: row.error_id ?? undefined,
    errorText: row.error_text ?? undefined,
    payload: row.payload,
    overrides: maskOverrides(secrets, row.overrides),
    contextKeys: row.context_keys,
  };
}

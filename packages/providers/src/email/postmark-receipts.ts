// Delivery reports of Postmark. What it calls a bounce is any response to a mail, from "no such mailbox" to "out of
// office". Events: https://postmarkapp.com/developer/webhooks/webhooks-overview Types of bounces:
// https://postmarkapp.com/developer/api/bounce-api#bounce-types

import { dateOf, type ReceiptStatus, type Receipts, receipt } from "../kit/receipts.ts";
import { textAt, valueAt } from "../kit/reply.ts";

// Kinds of event, with the member that holds their time.
const events: Record<string, [status: ReceiptStatus, date: string]> = {
  Delivery: ["delivered", "DeliveredAt"],
  Bounce: ["bounced", "BouncedAt"],
  Open: ["opened", "ReceivedAt"],
  Click: ["clicked", "ReceivedAt"],
  SpamComplaint: ["spam", "BouncedAt"],
  SubscriptionChange: ["unsubscribed", "ChangedAt"],
};

// Kinds of bounce; the responses of machines and people that Postmark counts among them say nothing of a delivery.
const bounces: Record<string, ReceiptStatus | "none"> = {
  HardBounce: "bounced",
  BadEmailAddress: "bounced",
  ManuallyDeactivated: "bounced",
  Transient: "deferred",
  DnsError: "deferred",
  ChallengeVerification: "deferred",
  Blocked: "blocked",
  DMARCPolicy: "blocked",
  SpamNotification: "blocked",
  VirusNotification: "blocked",
  SMTPApiError: "rejected",
  TemplateRenderingFailed: "rejected",
  SpamComplaint: "spam",
  Unsubscribe: "unsubscribed",
  Subscribe: "none",
  AutoResponder: "none",
  AddressChange: "none",
  OpenRelayTest: "none",
};

function statusOf(body: unknown): ReceiptStatus | "none" | undefined {
  const kind = textAt(body, "RecordType") ?? "";
  const flag = (name: string): boolean => valueAt(body, name) === true;
  // An address is also put on Postmark's list after a bounce or a complaint, and those have their own events.
  const isUnsubscribed = flag("SuppressSending") && textAt(body, "SuppressionReason") === "ManualSuppression";
  if (kind === "SubscriptionChange") return isUnsubscribed ? "unsubscribed" : "none";
  if (kind !== "Bounce") return events[kind]?.[0];
  return bounces[textAt(body, "Type") ?? ""] ?? (flag("Inactive") ? "bounced" : "undelivered");
}

export const postmarkReceipts: Receipts = {
  read: ({ body }) => {
    const [status, externalId] = [statusOf(body), textAt(body, "MessageID")];
    if (!status || status === "none" || !externalId) return [];
    const messageId = textAt(body, "Metadata", "tidingsMessageId");
    const recipient = textAt(body, "Email") ?? textAt(body, "Recipient");
    const date = dateOf(textAt(body, events[textAt(body, "RecordType") ?? ""]?.[1] ?? ""));
    const response = textAt(body, "Details") || textAt(body, "Description") || undefined;
    return [receipt(status, { externalId, messageId, recipient, date, response, row: body })];
  },
};

// Delivery reports of MailerSend, signed with the secret of the webhook.
// https://developers.mailersend.com/api/v1/webhooks.html

import { createHmac } from "node:crypto";
import {
  dateOf,
  type InboundRequest,
  type ReceiptStatus,
  type Receipts,
  receipt,
  sameText,
  verifyDefault,
} from "../kit/receipts.ts";
import { textAt } from "../kit/reply.ts";

const statuses: Record<string, ReceiptStatus> = {
  sent: "sent",
  delivered: "delivered",
  soft_bounced: "undelivered",
  hard_bounced: "bounced",
  deferred: "deferred",
  opened: "opened",
  opened_unique: "opened",
  clicked: "clicked",
  clicked_unique: "clicked",
  unsubscribed: "unsubscribed",
  spam_complaint: "spam",
  spam_complaints: "spam",
  suppressed: "dropped",
};

// The address is tried, before it is saved, with a ping that is signed with a published secret. So whatever else
// appears in a ping, it reports nothing.
const pingSecret = "test_Am3L1GuOIc4blLUuHqAPxxwkZaJyEk8G";
const isPing = ({ body }: InboundRequest): boolean => textAt(body, "type") === "webhook.test";

function verify(request: InboundRequest, key: string, now: Date): boolean {
  const { signature } = request.headers;
  if (signature === undefined) return verifyDefault(request, key, now);
  const isSignedWith = (secret: string) =>
    sameText(signature, createHmac("sha256", secret).update(request.raw).digest("hex"));
  return isSignedWith(key) || (isPing(request) && isSignedWith(pingSecret));
}

export const mailersendReceipts: Receipts = {
  verify,
  read: (request) => {
    const { body } = request;
    const status = statuses[textAt(body, "data", "type") ?? ""];
    // The second form is that of older webhooks.
    const externalId = textAt(body, "data", "message_id") ?? textAt(body, "data", "email", "message", "id");
    if (!status || !externalId || isPing(request)) return [];
    const date = dateOf(textAt(body, "created_at"));
    const response = textAt(body, "data", "meta", "bounce_reason") ?? textAt(body, "data", "morph", "reason");
    const recipient = textAt(body, "data", "recipient") ?? textAt(body, "data", "email", "recipient", "email");
    return [receipt(status, { externalId, recipient, date, response, row: body })];
  },
};

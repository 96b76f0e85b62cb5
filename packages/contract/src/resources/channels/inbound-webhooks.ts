// Delivery reports from providers. No API key: the report is signed with the integration's key. The address is the same
// for both methods; the provider chooses one.
import { operation } from "../../operation.ts";
import { isoTime, named, oneOf, type Static, Type } from "../../schema.ts";

/** Every status that a report of any channel may have. */
export const receiptEventStatuses = [
  ...["sent", "delivered", "opened", "clicked", "bounced", "dropped", "blocked", "rejected", "delayed", "deferred"],
  ...["complaint", "spam", "unsubscribed", "created", "accepted", "queued", "sending", "undelivered", "failed"],
  "dismissed",
] as const;

export const InboundReceipt = named("InboundReceipt", {
  id: Type.String({ description: "Id of the message, or the provider's id when no message matches it" }),
  event: named("InboundReceiptEvent", {
    status: oneOf(receiptEventStatuses, { title: "ReceiptStatus" }),
    date: isoTime("When it happened"),
    externalId: Type.Optional(Type.String({ description: "The provider's id of the message" })),
    attempts: Type.Optional(Type.Integer()),
    response: Type.Optional(Type.String({ description: "The receiving side's response" })),
    row: Type.Optional(Type.String({ description: "The reported event, as JSON" })),
  }),
});
export type InboundReceipt = Static<typeof InboundReceipt>;

const path = "/v2/inbound-webhooks/delivery-providers/{environmentId}/{integrationId}";
const params = Type.Object({ environmentId: Type.String(), integrationId: Type.String() });

export const inboundWebhookOperations = {
  "inboundWebhooks.receive": operation({
    id: "inboundWebhooks.receive",
    method: "POST",
    path,
    summary: "Receive delivery reports from a provider",
    description:
      "The address to enter at the provider. The integration's `configurations.inboundWebhookEnabled` must be true, " +
      "and the report must be signed with `inboundWebhookSigningKey`: by the provider's own scheme if it has one, " +
      "otherwise by Standard Webhooks or with the key as the password of HTTP basic authentication. The body is JSON " +
      "or a form, as the provider sends it. A repeated report has no additional effect.",
    category: "global",
    access: "signed",
    params,
    body: Type.Unknown({ description: "The provider's report" }),
    bodyType: "raw",
    success: { status: 200, schema: Type.Array(InboundReceipt) },
    errors: ["INTEGRATION_NOT_FOUND", "INVALID_SIGNATURE"],
  }),
  "inboundWebhooks.receiveByGet": operation({
    id: "inboundWebhooks.receiveByGet",
    method: "GET",
    path,
    summary: "Receive a delivery report by GET",
    description:
      "The same address for providers that report in the query string. A report is verified, read and deduplicated " +
      "like one sent by POST; a Standard Webhooks signature covers the query string instead of the body.\n\nA " +
      "provider that verifies the address first (WhatsApp: `hub.mode`, `hub.verify_token`, `hub.challenge`) gets its " +
      "challenge back as plain text if it sends the integration's verify token.",
    category: "global",
    access: "signed",
    isReadOnly: false,
    params,
    query: Type.Object({}, { additionalProperties: Type.String(), description: "The provider's report" }),
    bodyType: "raw",
    success: { status: 200, schema: Type.Array(InboundReceipt), text: "The challenge, unchanged" },
    errors: ["INTEGRATION_NOT_FOUND", "INVALID_SIGNATURE", "WRONG_VERIFY_TOKEN"],
  }),
};

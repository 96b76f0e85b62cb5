// Delivery reports of providers. No API key: the report is signed with the key that the integration holds. The address is
// the same for both methods: which one is used, the provider chooses.
import { operation } from "../../operation.ts";
import { isoTime, named, oneOf, type Static, Type } from "../../schema.ts";

/** Every status that a report of any channel may have. */
export const receiptEventStatuses = [
  ...["sent", "delivered", "opened", "clicked", "bounced", "dropped", "blocked", "rejected", "delayed", "deferred"],
  ...["complaint", "spam", "unsubscribed", "created", "accepted", "queued", "sending", "undelivered", "failed"],
  "dismissed",
] as const;

export const InboundReceipt = named("InboundReceipt", {
  id: Type.String({ description: "Id of the message; the provider's own when no message is known by it" }),
  event: named("InboundReceiptEvent", {
    status: oneOf(receiptEventStatuses, { title: "ReceiptStatus" }),
    date: isoTime("When it happened"),
    externalId: Type.Optional(Type.String({ description: "The provider's id of the message" })),
    attempts: Type.Optional(Type.Integer()),
    response: Type.Optional(Type.String({ description: "What the receiving side said" })),
    row: Type.Optional(Type.String({ description: "The event as it was reported, as JSON" })),
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
    summary: "Receive delivery reports of a provider",
    description:
      "The address to enter at the provider. `configurations.inboundWebhookEnabled` of the integration has to be true, " +
      "and the report signed with `inboundWebhookSigningKey`: by the provider's own scheme where it has one, else by " +
      "Standard Webhooks or as the password of HTTP basic authentication. The body is JSON or a form, as the provider " +
      "sends it. The same report twice has one effect.",
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
    summary: "Receive a delivery report that comes by GET",
    description:
      "The same address for providers that report in the query string. A report is checked, read and counted once as one " +
      "that comes by POST; a Standard Webhooks signature covers the query string in place of the body.\n\n" +
      "A provider that asks first whether the address is ours (WhatsApp: `hub.mode`, `hub.verify_token`, `hub.challenge`) " +
      "gets its challenge back as plain text when it shows the verify token of the integration.",
    category: "global",
    access: "signed",
    isReadOnly: false,
    params,
    query: Type.Object({}, { additionalProperties: Type.String(), description: "The provider's report" }),
    bodyType: "raw",
    success: { status: 200, schema: Type.Array(InboundReceipt), text: "The challenge, as it came" },
    errors: ["INTEGRATION_NOT_FOUND", "INVALID_SIGNATURE", "WRONG_VERIFY_TOKEN"],
  }),
};

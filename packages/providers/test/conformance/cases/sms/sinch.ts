import { messageId, providerCase } from "../../case.ts";

const url = "https://us.sms.api.sinch.com/xms/v1/jd63jf88477ll123ab4567cd89012ef3/batches";
const headers = { authorization: "Bearer sinch-s3cret-token" };
const error = (status: number, code: string, text: string) => ({ status, body: { code, text } });

export default providerCase({
  id: "sinch",
  docs: "https://developers.sinch.com/docs/sms/api-reference/sms/batches",
  credentials: {
    servicePlanId: "jd63jf88477ll123ab4567cd89012ef3",
    apiToken: "sinch-s3cret-token",
    region: "us",
    from: "+15551231234",
  },
  minimal: {
    message: { id: messageId, channel: "sms", to: "+1 555 123 2345", text: "Hi" },
    request: {
      method: "POST",
      url,
      headers,
      json: { from: "+15551231234", to: ["+15551232345"], body: "Hi", client_reference: messageId },
    },
  },
  rich: {
    message: {
      id: messageId,
      channel: "sms",
      to: "+15551232345",
      from: "Acme",
      text: "Grüße 🎉",
      extra: { delivery_report: "per_recipient", callback_url: "https://hooks.example.com/s" },
    },
    request: {
      method: "POST",
      url,
      headers,
      json: {
        from: "Acme",
        to: ["+15551232345"],
        body: "Grüße 🎉",
        client_reference: messageId,
        delivery_report: "per_recipient",
        callback_url: "https://hooks.example.com/s",
      },
    },
  },
  accepted: {
    reply: { status: 201, body: { id: "01FC66621XXXXX119Z8PMV1QPQ", to: ["15551232345"], type: "mt_text" } },
    providerMessageId: "01FC66621XXXXX119Z8PMV1QPQ",
  },
  errors: [
    { name: "a wrong token", reply: { status: 401, body: "" }, outcome: { kind: "rejected", class: "auth" } },
    {
      name: "a bad number",
      reply: error(400, "syntax_invalid_parameter_format", "The value of [to] is not a valid MSISDN"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a bad sender",
      reply: error(400, "syntax_invalid_parameter_format", "The value of [from] is not valid"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "a bad text",
      reply: error(400, "syntax_constraint_violation", "The value of [body] is too long"),
      outcome: { kind: "rejected", class: "content" },
    },
    {
      name: "a report without an address",
      reply: error(403, "missing_callback_url", "No callback URL is configured"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "an unknown plan",
      reply: error(404, "resource_not_found", "Not found"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "an empty account",
      reply: error(402, "insufficient_funds", "Payment required"),
      outcome: { kind: "rejected", class: "quota" },
    },
  ],
  check: {
    request: { method: "GET", url: `${url}?page_size=1`, headers },
    ok: { status: 200, body: { page: 0, count: 0, batches: [] } },
    bad: { status: 401, body: "" },
  },
  receipts: [
    {
      name: "the report of a recipient",
      json: {
        type: "recipient_delivery_report_sms",
        batch_id: "01FC66",
        recipient: "15551232345",
        code: 0,
        status: "Delivered",
        at: "2026-01-02T03:04:05.000Z",
        client_reference: messageId,
      },
      expected: [{ externalId: "01FC66", messageId, status: "delivered", date: new Date("2026-01-02T03:04:05Z") }],
    },
    {
      name: "the summary of a batch",
      json: {
        type: "delivery_report_sms",
        batch_id: "01FC66",
        total_message_count: 1,
        statuses: [{ code: 401, status: "Failed", count: 1 }],
      },
      expected: [{ externalId: "01FC66", status: "undelivered", response: "Code 401" }],
    },
    { name: "an incoming message", json: { type: "mo_text", id: "in-1", body: "STOP" }, expected: [] },
  ],
});

import { messageId, providerCase } from "../../case.ts";

const url = "https://api.africastalking.com/version1/messaging";
const headers = { apikey: "atsk_s3cret-key-0123" };

function said(statusCode: number, status: string) {
  return {
    status: 201,
    body: {
      SMSMessageData: {
        Message: "Sent to 0/1 Total Cost: 0",
        Recipients: [{ statusCode, number: "+254711123456", status, cost: "0", messageId: "None" }],
      },
    },
  };
}

export default providerCase({
  id: "africas-talking",
  docs: "https://developers.africastalking.com/docs/sms/overview",
  credentials: { apiKey: "atsk_s3cret-key-0123", user: "acme", from: "ACME" },
  minimal: {
    message: { id: messageId, channel: "sms", to: "+254 711 123456", text: "Hi" },
    request: {
      method: "POST",
      url,
      headers,
      form: { username: "acme", to: "+254711123456", message: "Hi", from: "ACME" },
    },
  },
  rich: {
    message: {
      id: messageId,
      channel: "sms",
      to: "+254711123456",
      from: "22384",
      text: "Karibu & 🎉 = 100%",
      extra: { enqueue: 1 },
    },
    request: {
      method: "POST",
      url,
      headers,
      form: { username: "acme", to: "+254711123456", message: "Karibu & 🎉 = 100%", from: "22384", enqueue: "1" },
    },
  },
  accepted: {
    reply: {
      status: 201,
      body: {
        SMSMessageData: {
          Message: "Sent to 1/1 Total Cost: KES 0.8000",
          Recipients: [
            {
              statusCode: 101,
              number: "+254711123456",
              status: "Success",
              cost: "KES 0.8000",
              messageId: "ATXid_5a1f",
            },
          ],
        },
      },
    },
    providerMessageId: "ATXid_5a1f",
  },
  errors: [
    {
      name: "a wrong key",
      reply: { status: 401, body: "The supplied authentication is invalid" },
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "a sender of another account",
      reply: { status: 201, body: { SMSMessageData: { Message: "InvalidSenderId", Recipients: [] } } },
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "a bad number",
      reply: said(403, "InvalidPhoneNumber"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    { name: "an opt-out", reply: said(406, "UserInBlacklist"), outcome: { kind: "rejected", class: "recipient" } },
    {
      name: "an empty account",
      reply: said(405, "InsufficientBalance"),
      outcome: { kind: "rejected", class: "quota" },
    },
    { name: "a refused text", reply: said(502, "RejectedByGateway"), outcome: { kind: "rejected", class: "content" } },
    { name: "a fault of the gateway", reply: said(501, "GatewayError"), outcome: { kind: "retry" } },
  ],
  check: {
    request: { method: "GET", url: "https://api.africastalking.com/version1/user?username=acme", headers },
    ok: { status: 200, body: { UserData: { balance: "KES 1785.50" } } },
    bad: { status: 401, body: "The supplied authentication is invalid" },
  },
  receipts: [
    {
      name: "delivered",
      form: { id: "ATXid_5a1f", status: "Success", phoneNumber: "+254711123456", networkCode: "63902" },
      expected: [{ externalId: "ATXid_5a1f", status: "delivered" }],
    },
    {
      name: "failed",
      form: { id: "ATXid_5a1f", status: "Failed", phoneNumber: "+254711123456", failureReason: "UserIsInactive" },
      expected: [{ externalId: "ATXid_5a1f", status: "undelivered", response: "UserIsInactive" }],
    },
    ...["AbsentSubscriber", "Expired"].map((status) => ({
      name: status,
      form: { id: "ATXid_5a1f", status, phoneNumber: "+254711123456" },
      expected: [{ externalId: "ATXid_5a1f", status: "undelivered" as const }],
    })),
    { name: "an incoming message", form: { id: "in-1", from: "+254711123456", text: "STOP" }, expected: [] },
  ],
  quirks: { because: "Only the list of recipients confirms that the message was taken", invalidJson: "unknown" },
});

import { messageId, providerCase } from "../../case.ts";

const url = "https://api.ng.termii.com/api/sms/send";
const error = (status: number, message: string) => ({ status, body: { code: status, message } });

export default providerCase({
  id: "termii",
  docs: "https://developer.termii.com/messaging-api",
  credentials: { apiKey: "TLtermii-s3cret-key", from: "Acme" },
  minimal: {
    message: { id: messageId, channel: "sms", to: "+234 901 267 2711", text: "Hi" },
    request: {
      method: "POST",
      url,
      json: {
        api_key: "TLtermii-s3cret-key",
        to: "2349012672711",
        from: "Acme",
        sms: "Hi",
        type: "plain",
        channel: "generic",
      },
    },
  },
  rich: {
    message: {
      id: messageId,
      channel: "sms",
      to: "2349012672711",
      from: "N-Alert",
      text: "Ẹ káàbọ̀ 🎉",
      extra: { channel: "dnd" },
    },
    request: {
      method: "POST",
      url,
      json: {
        api_key: "TLtermii-s3cret-key",
        to: "2349012672711",
        from: "N-Alert",
        sms: "Ẹ káàbọ̀ 🎉",
        type: "unicode",
        channel: "dnd",
      },
    },
  },
  accepted: {
    reply: {
      status: 200,
      body: {
        code: "ok",
        message_id: "9122821270554876574",
        message: "Successfully Sent",
        balance: 9,
        user: "Ada Lovelace",
      },
    },
    providerMessageId: "9122821270554876574",
  },
  more: ["https://v3.api.termii.com", "v3.api.termii.com/api/"].map((baseUrl) => ({
    credentials: { apiKey: "TLtermii-s3cret-key", baseUrl, from: "Acme" },
    message: { id: messageId, channel: "sms" as const, to: "+2349012672711", text: "Hi" },
    request: {
      method: "POST",
      url: "https://v3.api.termii.com/api/sms/send",
      json: {
        api_key: "TLtermii-s3cret-key",
        to: "2349012672711",
        from: "Acme",
        sms: "Hi",
        type: "plain",
        channel: "generic",
      },
    },
    accepted: { reply: { status: 200, body: { code: "ok", message_id: "91" } }, providerMessageId: "91" },
  })),
  errors: [
    { name: "a wrong key", reply: error(401, "Invalid API key"), outcome: { kind: "rejected", class: "auth" } },
    {
      name: "an unknown sender",
      reply: error(404, "ApplicationSenderId not found for applicationId: 1 and senderName: Acme"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "an empty account",
      reply: error(400, "Insufficient balance"),
      outcome: { kind: "rejected", class: "quota" },
    },
    {
      name: "a closed country",
      reply: error(400, "Country Inactive. Contact Administrator to activate country."),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "a bad number",
      reply: error(400, "Invalid phone number"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    { name: "a bad field", reply: error(422, "Bad sms"), outcome: { kind: "rejected", class: "content" } },
  ],
  check: {
    request: { method: "GET", url: "https://api.ng.termii.com/api/get-balance?api_key=TLtermii-s3cret-key" },
    ok: { status: 200, body: { user: "Ada Lovelace", balance: 9, currency: "NGN" } },
    bad: error(401, "Invalid API key"),
  },
  receipts: [
    {
      name: "delivered",
      json: {
        type: "outbound",
        id: "fb5e9e6e",
        message_id: "9122821270554876574",
        receiver: "2349012672711",
        sender: "Acme",
        sent_at: "2026-01-02 03:04:05",
        status: "Delivered",
        channel: "generic",
      },
      expected: [{ externalId: "9122821270554876574", status: "delivered", response: "Delivered" }],
    },
    {
      name: "a number that is closed to promotion",
      json: { type: "outbound", message_id: "91", status: "DND Active on Phone Number" },
      expected: [{ externalId: "91", status: "rejected", response: "DND Active on Phone Number" }],
    },
    { name: "a device that went offline", json: { type: "device_status", status: "OFFLINE" }, expected: [] },
  ],
  quirks: { because: "An answer without the id of a message confirms nothing", invalidJson: "unknown" },
});

import { messageId, providerCase } from "../../case.ts";

const url = "https://enterprise.smsgupshup.com/GatewayAPI/rest";
const login = { userid: "2000123456", auth_scheme: "plain", password: "gupshup-s3cret-pw", v: "1.1", format: "text" };
const said = (body: string) => ({ status: 200, body });

export default providerCase({
  id: "gupshup",
  docs: "https://docs.gupshup.io/docs/send-message-to-single-number",
  credentials: { user: "2000123456", password: "gupshup-s3cret-pw" },
  minimal: {
    message: { id: messageId, channel: "sms", to: "+91 98924 88888", text: "Hi" },
    request: {
      method: "POST",
      url,
      form: { method: "sendMessage", send_to: "919892488888", msg: "Hi", msg_type: "TEXT", ...login },
    },
  },
  rich: {
    message: {
      id: messageId,
      channel: "sms",
      to: "919892488888",
      from: "TESTIN",
      text: "नमस्ते & more",
      extra: { principalEntityId: "1101", dltTemplateId: "1107" },
    },
    request: {
      method: "POST",
      url,
      form: {
        method: "sendMessage",
        send_to: "919892488888",
        msg: "नमस्ते & more",
        msg_type: "Unicode_Text",
        ...login,
        mask: "TESTIN",
        principalEntityId: "1101",
        dltTemplateId: "1107",
      },
    },
  },
  accepted: {
    reply: said("success | 919892488888 | 3562707498794989059-328736121207676738"),
    providerMessageId: "3562707498794989059-328736121207676738",
  },
  errors: [
    {
      name: "a wrong password",
      reply: said("error | 102 | Authentication failed due to invalid userId or password."),
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "a disabled account",
      reply: said("error | 104 | The user is disabled"),
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "a bad number",
      reply: said('error | 105 | The phone number "91" is not valid.'),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a bad sender",
      reply: said("error | 108 | The mask is not valid"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "a service that is switched off",
      reply: said('error | 175 | The "INTERNATIONAL_PHONE" service is disabled for you.'),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "a missing parameter",
      reply: said('error | 101 | The parameter "msg" is required.'),
      outcome: { kind: "rejected", class: "content" },
    },
    { name: "a fault of theirs", reply: said("error | 100 | Unknown error"), outcome: { kind: "retry" } },
    { name: "a page of something else", reply: said("<html>hello</html>"), outcome: { kind: "unknown" } },
  ],
  receipts: [
    {
      name: "two events",
      json: [
        {
          externalId: "3562707498794989059-328736121207676738",
          eventType: "DELIVERED",
          eventTs: 1767323045000,
          destAddr: 919892488888,
          cause: "SUCCESS",
          errCode: "000",
        },
        { externalId: "3798318073013708082-252169030017029882", eventType: "FAILED", cause: "ABSENT_SUBSCRIBER" },
      ],
      expected: [
        {
          externalId: "3562707498794989059-328736121207676738",
          status: "delivered",
          date: new Date("2026-01-02T03:04:05Z"),
          response: "SUCCESS",
        },
        {
          externalId: "3798318073013708082-252169030017029882",
          status: "undelivered",
          response: "ABSENT_SUBSCRIBER",
        },
      ],
    },
    {
      name: "one event by GET",
      query: {
        externalId: "3562707498794989059-328736121207676738",
        deliveredTS: "1767323045000",
        status: "SUCCESS",
        cause: "SUCCESS",
        phoneNo: "919892488888",
      },
      expected: [
        {
          externalId: "3562707498794989059-328736121207676738",
          status: "delivered",
          date: new Date("2026-01-02T03:04:05Z"),
          response: "SUCCESS",
        },
      ],
    },
    {
      name: "a failure by GET",
      query: { externalId: "1-2", deliveredTS: "1767323045000", status: "FAILURE", cause: "ABSENT_SUBSCRIBER" },
      expected: [
        {
          externalId: "1-2",
          status: "undelivered",
          date: new Date("2026-01-02T03:04:05Z"),
          response: "ABSENT_SUBSCRIBER",
        },
      ],
    },
    { name: "unknown to both sides", query: { externalId: "1-2", status: "UNKNOWN" }, expected: [] },
    { name: "an unknown event", json: [{ externalId: "1", eventType: "OTHER" }], expected: [] },
  ],
  quirks: { because: "Errors are answered with 200, so only the body confirms", invalidJson: "unknown" },
});

import { messageId, providerCase } from "../../case.ts";

const said = (body: string) => ({ status: 200, body });

/** With the password of the rule among the fields. */
function receipt(fields: Record<string, string>) {
  return {
    query: { USER_NAME: "tidings", PASSWORD: "rule-s3cret", ORIGINATOR: "61400000000", ID: "9", ...fields },
    key: "rule-s3cret",
    now: "2026-01-02T03:04:05Z",
    isAgeless: true as const,
  };
}

export default providerCase({
  id: "sms-central",
  docs: "https://www.smscentral.com.au/sms-api/rest-api/send-sms/",
  credentials: {
    user: "ada@example.com",
    password: "central-s3cret-pw",
    baseUrl: "https://sms.example.com.au/api/v3.2/",
    from: "shared",
  },
  minimal: {
    message: { id: messageId, channel: "sms", to: "+61 435 800 957", text: "Hi" },
    request: {
      method: "POST",
      url: "https://sms.example.com.au/api/v3.2",
      form: {
        USERNAME: "ada@example.com",
        PASSWORD: "central-s3cret-pw",
        ACTION: "send",
        ORIGINATOR: "shared",
        RECIPIENT: "61435800957",
        REFERENCE: messageId,
        MESSAGE_TEXT: "Hi",
      },
    },
  },
  rich: {
    message: {
      id: messageId,
      channel: "sms",
      to: "61435800957",
      from: "Acme",
      text: "G'day & more = 100%",
      extra: { CAMPAIGN: "spring" },
    },
    request: {
      method: "POST",
      url: "https://sms.example.com.au/api/v3.2",
      form: {
        USERNAME: "ada@example.com",
        PASSWORD: "central-s3cret-pw",
        ACTION: "send",
        ORIGINATOR: "Acme",
        RECIPIENT: "61435800957",
        REFERENCE: messageId,
        MESSAGE_TEXT: "G'day & more = 100%",
        CAMPAIGN: "spring",
      },
    },
  },
  accepted: { reply: said("0") },
  errors: [
    {
      name: "a wrong password",
      reply: said("511\nUsername or Password incorrect"),
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "a bad number",
      reply: said("512 Invalid RECIPIENT"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a bad sender",
      reply: said("513 Invalid ORIGINATOR"),
      outcome: { kind: "rejected", class: "config" },
    },
    { name: "an empty account", reply: said("514 Not enough credit"), outcome: { kind: "rejected", class: "quota" } },
    { name: "another error", reply: said("599 Other"), outcome: { kind: "rejected", class: "content" } },
    { name: "a page of something else", reply: said("<html>hello</html>"), outcome: { kind: "unknown" } },
  ],
  receipts: [
    {
      name: "delivered",
      ...receipt({ RECIPIENT: "61435800957", REFERENCE: messageId, RESULT: "0", STATUS: "DELIVERD" }),
      expected: [{ messageId, status: "delivered" }],
    },
    {
      name: "failed",
      ...receipt({ REFERENCE: messageId, STATUS: "FAILED", STATUSDESCRIPTION: "Number not in use" }),
      expected: [{ messageId, status: "undelivered", response: "Number not in use" }],
    },
    { name: "without a reference", ...receipt({ STATUS: "DELIVERD" }), expected: [] },
  ],
  quirks: { because: "Errors are answered with 200, so only the body confirms", invalidJson: "unknown" },
});

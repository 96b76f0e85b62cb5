import { messageId, providerCase } from "../../case.ts";

const said = (body: string) => ({ status: 200, body });

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
  quirks: { because: "Errors are answered with 200, so only the body confirms", invalidJson: "unknown" },
});

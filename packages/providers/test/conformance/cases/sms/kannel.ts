import { messageId, providerCase } from "../../case.ts";

const url = "http://smsbox.example.com:13013/cgi-bin/sendsms";
const login = "username=tester&password=kannel-s3cret-pw";

export default providerCase({
  id: "kannel",
  docs: "https://www.kannel.org/download/kannel-userguide-snapshot/userguide.html",
  credentials: {
    host: "smsbox.example.com",
    port: 13013,
    user: "tester",
    password: "kannel-s3cret-pw",
    from: "12345",
  },
  minimal: {
    message: { id: messageId, channel: "sms", to: "+358 44 4123456", text: "Hi there" },
    request: {
      method: "GET",
      url: `${url}?${login}&from=12345&to=%2B358444123456&text=Hi+there&charset=UTF-8&coding=0`,
    },
  },
  rich: {
    message: {
      id: messageId,
      channel: "sms",
      to: "358444123456",
      from: "Acme",
      text: "Žluť & 🎉",
      extra: { smsc: "backup", "dlr-mask": 31 },
    },
    request: {
      method: "GET",
      url:
        `${url}?${login}&from=Acme&to=358444123456&text=%C5%BDlu%C5%A5+%26+%F0%9F%8E%89` +
        "&charset=UTF-8&coding=2&smsc=backup&dlr-mask=31",
    },
  },
  accepted: { reply: { status: 202, body: "0: Accepted for delivery" } },
  errors: [
    {
      name: "a wrong password",
      reply: { status: 403, body: "Authorization failed for sendsms" },
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "a number without a route",
      reply: { status: 403, body: "Not routable. Do not try again." },
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a denied number",
      reply: { status: 400, body: "Number(s) has/have been denied by white- and/or black-lists." },
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a missing sender",
      reply: { status: 400, body: "Sender missing and no global set, rejected" },
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "another refusal",
      reply: { status: 400, body: "Missing parameter" },
      outcome: { kind: "rejected", class: "content" },
    },
    {
      name: "a busy gateway",
      reply: { status: 503, body: "Temporal failure, try again later." },
      outcome: { kind: "retry" },
    },
  ],
});

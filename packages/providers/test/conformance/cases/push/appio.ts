import { messageId, providerCase } from "../../case.ts";

const fiscalCode = "SPNDNL80R13C555X";
const body =
  "Gentile Mario Rossi, abbiamo accettato la tua richiesta di partecipazione all'evento. Ti aspettiamo al Comune!";
const api = "https://api.io.pagopa.it/api/v1";
const headers = { "ocp-apim-subscription-key": "appio-s3cret-key" };
const profile = {
  method: "POST",
  url: `${api}/profiles`,
  headers,
  json: { fiscal_code: fiscalCode },
  reply: { status: 200, body: { sender_allowed: true, preferred_languages: ["it_IT"] } },
};

function submit(content: object, more: object = {}) {
  return {
    method: "POST",
    url: `${api}/messages`,
    headers,
    json: { fiscal_code: fiscalCode, content, ...more },
  };
}

const error = (status: number, title: string) => ({ status, body: { status, title, detail: title } });
const message = {
  id: messageId,
  channel: "push" as const,
  token: fiscalCode,
  title: "Partecipazione Evento",
  body,
};
const content = { subject: "Partecipazione Evento", markdown: body };
const accepted = {
  reply: { status: 201, body: { id: "01HMRBX079WA0SGYBQP1A7FSKH" } },
  providerMessageId: "01HMRBX079WA0SGYBQP1A7FSKH",
};
const otherKey = { "ocp-apim-subscription-key": "appio-0ther-key" };

export default providerCase({
  id: "appio",
  docs: "https://docs.pagopa.it/io-guida-tecnica/api-e-specifiche/api-messaggi/submit-a-message-passing-the-user-fiscal_code-in-the-request-body",
  credentials: { AppIOBaseUrl: `${api}/`, apiKey: "appio-s3cret-key" },
  minimal: { message, request: [profile, submit(content)] },
  rich: {
    message: {
      ...message,
      token: fiscalCode.toLowerCase(),
      extra: { feature_level_type: "STANDARD", content: { due_date: "2026-03-30T23:59:59.000Z" } },
    },
    request: [
      profile,
      submit({ ...content, due_date: "2026-03-30T23:59:59.000Z" }, { feature_level_type: "STANDARD" }),
    ],
  },
  accepted,
  more: [
    {
      message: { ...message, extra: { apiKey: "appio-0ther-key" } },
      credentials: { AppIOBaseUrl: api },
      request: [
        { ...profile, headers: otherKey },
        { ...submit(content), headers: otherKey },
      ],
      accepted,
    },
  ],
  errors: [
    {
      name: "a citizen without the app",
      at: 0,
      reply: error(404, "Profile not found"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a citizen who has switched the service off",
      at: 0,
      reply: { status: 200, body: { sender_allowed: false } },
      outcome: { kind: "rejected", class: "recipient" },
    },
    { name: "a wrong key", at: 0, reply: error(401, "Unauthorized"), outcome: { kind: "rejected", class: "auth" } },
    {
      name: "a service that may not write yet",
      reply: error(403, "You are not allowed to issue requests for this recipient"),
      outcome: { kind: "rejected", class: "auth" },
    },
    { name: "a bad message", reply: error(400, "Invalid payload"), outcome: { kind: "rejected", class: "content" } },
    {
      name: "the rate limit",
      reply: { ...error(429, "Too many requests"), headers: { "retry-after": "10" } },
      outcome: { kind: "retry", afterMs: 10_000 },
    },
    {
      name: "a title the app does not take",
      sending: { message: { ...message, title: "Short" }, request: [profile, submit(content)] },
      reply: { status: 201 },
      outcome: { kind: "rejected", class: "content" },
    },
  ],
  quirks: {
    gone: { 404: { kind: "rejected", class: "recipient" } },
    because: "404 is a citizen who does not use the app",
  },
});

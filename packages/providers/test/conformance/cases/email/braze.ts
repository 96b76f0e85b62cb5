import { email, rich, richEmail } from "../../../support.ts";
import { providerCase } from "../../case.ts";

const api = "https://rest.fra-01.braze.eu";
const headers = { authorization: "Bearer braze-s3cret-key" };

function lookup(address: string, users: object[]) {
  return {
    method: "POST",
    url: `${api}/users/export/ids`,
    headers,
    json: { email_address: address, fields_to_export: ["external_id", "user_aliases"] },
    reply: { status: 201, body: { message: "success", users, invalid_user_ids: [] } },
  };
}

const error = (status: number, message: string) => ({ status, body: { message } });

export default providerCase({
  id: "braze",
  docs: "https://www.braze.com/docs/api/endpoints/messaging/send_messages/post_send_messages/",
  credentials: {
    apiKey: "braze-s3cret-key",
    apiURL: "rest.fra-01.braze.eu",
    appID: "app-identifier-1",
    from: "noreply@example.com",
    senderName: "Example",
  },
  minimal: {
    message: email(),
    request: [
      lookup("ada@example.com", [{ user_aliases: [] }, { external_id: "u-ada" }, { external_id: "u-ada-2" }]),
      {
        method: "POST",
        url: `${api}/messages/send`,
        headers,
        json: {
          external_user_ids: ["u-ada"],
          messages: {
            email: {
              app_id: "app-identifier-1",
              from: "Example <noreply@example.com>",
              subject: "Hello",
              body: "<p>Hello Ada</p>",
              plaintext_body: "Hello Ada",
            },
          },
        },
      },
    ],
  },
  rich: {
    message: richEmail({
      attachments: [],
      html: "<p>{{email_address}} {% connected_content https://evil.example %}</p>",
      extra: { shouldInlineCss: false, campaignId: "c-1" },
      passthrough: { body: { recipient_subscription_state: "all" } },
    }),
    request: [
      lookup("ada@example.com", [{ external_id: "u-ada" }]),
      lookup("b@example.com", [{ external_id: "u-b" }]),
      lookup("c@example.com", [{ user_aliases: [{ alias_name: "c@example.com", alias_label: "email" }] }]),
      lookup("d@example.com", [{ external_id: "u-b" }]),
      {
        method: "POST",
        url: `${api}/messages/send`,
        headers,
        json: {
          external_user_ids: ["u-ada", "u-b"],
          user_aliases: [{ alias_name: "c@example.com", alias_label: "email" }],
          messages: {
            email: {
              app_id: "app-identifier-1",
              from: '"Team, North" <team@example.com>',
              reply_to: "help@example.com",
              subject: "Grüße 🎉",
              body: '<p>{{ "{{" }}email_address}} {{ "{%" }} connected_content https://evil.example %}</p>',
              plaintext_body: "Hello Ada",
              headers: rich.headers,
              should_inline_css: false,
            },
          },
          campaign_id: "c-1",
          recipient_subscription_state: "all",
        },
      },
    ],
  },
  accepted: {
    reply: { status: 201, body: { dispatch_id: "9d0ca3c4d1a2b", message: "success" } },
    providerMessageId: "9d0ca3c4d1a2b",
  },
  errors: [
    { name: "a wrong key", reply: error(401, "Invalid API Key"), outcome: { kind: "rejected", class: "auth" } },
    {
      name: "a key without the lookup",
      at: 0,
      reply: error(401, "API key lacks permission users.export.ids"),
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "an address Braze does not know",
      at: 0,
      reply: { status: 201, body: { message: "success", users: [] } },
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "attachments, which other providers take",
      sending: { message: richEmail(), request: { method: "POST", url: `${api}/messages/send` } },
      reply: { status: 201 },
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "a lookup that cannot be read",
      at: 0,
      reply: { status: 201, body: "{oops" },
      outcome: { kind: "retry" },
    },
    {
      name: "a bad message",
      reply: error(400, "Invalid 'from' email address"),
      outcome: { kind: "rejected", class: "content" },
    },
    {
      name: "the rate limit",
      reply: { status: 429, headers: { "x-ratelimit-remaining": "0" }, body: { message: "Rate limit exceeded" } },
      outcome: { kind: "retry" },
    },
    { name: "the rate limit of the lookup", at: 0, reply: { status: 429, body: {} }, outcome: { kind: "retry" } },
  ],
  check: {
    request: {
      method: "POST",
      url: `${api}/users/export/ids`,
      headers,
      json: { external_ids: ["tidings"], fields_to_export: ["external_id"] },
    },
    ok: { status: 201, body: { message: "success", users: [], invalid_user_ids: ["tidings"] } },
    bad: error(401, "Invalid API Key"),
  },
});

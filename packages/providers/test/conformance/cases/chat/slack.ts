import { messageId, providerCase, redirectUri } from "../../case.ts";

const url = "https://slack.com/api/chat.postMessage";
const headers = {
  authorization: "Bearer xoxb-s3cret-access-token",
  "content-type": "application/json; charset=utf-8",
};
const accessToken = "xoxb-s3cret-access-token";
const target = { kind: "channel" as const, channel: "C123ABC456", accessToken };
const message = { id: messageId, channel: "chat" as const, target, text: "Hi" };
const refused = (error: string) => ({ status: 200, body: { ok: false, error } });

const webhookUrl = "https://hooks.slack.com/services/T00000000/B00000000/s3cret-webhook-XXXXXXXX";
const throughWebhook = {
  message: { ...message, target: { kind: "webhook" as const, webhookUrl } },
  request: { method: "POST", url: webhookUrl, json: { text: "Hi" } },
};
const accepted = {
  reply: { status: 200, body: { ok: true, channel: "C123ABC456", ts: "1503435956.000247", message: { text: "Hi" } } },
  providerMessageId: "1503435956.000247",
};

// https://docs.slack.dev/reference/methods/oauth.v2.access
const exchange = {
  method: "POST",
  url: "https://slack.com/api/oauth.v2.access",
  headers: {
    authorization: `Basic ${Buffer.from("123456789012.123456789012:slack-s3cret-client").toString("base64")}`,
  },
  form: { code: "c0de-s3cret", redirect_uri: redirectUri },
};
const granted = {
  ok: true,
  access_token: accessToken,
  token_type: "bot",
  scope: "chat:write",
  bot_user_id: "U0KRQLJ9H",
  app_id: "A0KRD7HC3",
  team: { name: "Slack Softball Team", id: "T9TK3CUKW" },
  enterprise: { name: "slack-sports", id: "E12345678" },
  authed_user: { id: "U1234" },
};

const changed = { ...message, text: "Corrected" };
const sent = { content: message, providerMessageId: "1503435956.000247" };
const place = { channel: "C123ABC456", ts: "1503435956.000247" };
const done = { ok: true, ...place };
const toPerson = {
  content: { ...message, target: { kind: "user" as const, user: "U0G9QF9C6", accessToken } },
  providerMessageId: "D024BE91L:1503435956.000247",
};
const failures = [
  {
    reply: refused("channel_not_found"),
    outcome: { kind: "impossible" as const, reason: /does not find the channel/ },
  },
  { reply: refused("ratelimited"), outcome: { kind: "failed" as const, canRetry: true } },
  { reply: refused("internal_error"), outcome: { kind: "failed" as const, canRetry: true } },
  { reply: refused("token_revoked"), outcome: { kind: "failed" as const, canRetry: false, reason: /token_revoked/ } },
  { reply: { status: 200, body: "{oops" }, outcome: { kind: "failed" as const, canRetry: true } },
];

export default providerCase({
  id: "slack",
  docs: "https://docs.slack.dev/reference/methods/chat.postMessage",
  credentials: {
    applicationId: "A012ABCD0A0",
    clientId: "123456789012.123456789012",
    secretKey: "slack-s3cret-client",
    signingSecret: "slack-s3cret-signing",
  },
  minimal: { message, request: { method: "POST", url, headers, json: { channel: "C123ABC456", text: "Hi" } } },
  rich: {
    message: {
      ...message,
      text: "Grüße *Ada* 🎉 <https://example.com|more>",
      extra: { unfurl_links: false, blocks: [{ type: "section", text: { type: "mrkdwn", text: "*More*" } }] },
    },
    request: {
      method: "POST",
      url,
      headers,
      json: {
        channel: "C123ABC456",
        text: "Grüße *Ada* 🎉 <https://example.com|more>",
        unfurl_links: false,
        blocks: [{ type: "section", text: { type: "mrkdwn", text: "*More*" } }],
      },
    },
  },
  accepted,
  more: [
    {
      message: { ...message, target: { kind: "user", user: "U0G9QF9C6", accessToken } },
      request: { method: "POST", url, headers, json: { channel: "U0G9QF9C6", text: "Hi" } },
      accepted: {
        reply: { status: 200, body: { ...accepted.reply.body, channel: "D024BE91L" } },
        providerMessageId: "D024BE91L:1503435956.000247",
      },
    },
    { ...throughWebhook, accepted: { reply: { status: 200, body: "ok" } } },
  ],
  errors: [
    { name: "a revoked token", reply: refused("token_revoked"), outcome: { kind: "rejected", class: "auth" } },
    { name: "a missing scope", reply: refused("missing_scope"), outcome: { kind: "rejected", class: "config" } },
    { name: "no permission", reply: refused("no_permission"), outcome: { kind: "rejected", class: "config" } },
    {
      name: "a token of the wrong kind",
      reply: refused("not_allowed_token_type"),
      outcome: { kind: "rejected", class: "config" },
    },
    { name: "a workspace that moves", reply: refused("org_login_required"), outcome: { kind: "retry" } },
    { name: "a request that took too long", reply: refused("request_timeout"), outcome: { kind: "retry" } },
    {
      name: "an unknown channel",
      reply: refused("channel_not_found"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a channel the app is not in",
      reply: refused("not_in_channel"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    { name: "an archived channel", reply: refused("is_archived"), outcome: { kind: "rejected", class: "recipient" } },
    { name: "a long text", reply: refused("msg_too_long"), outcome: { kind: "rejected", class: "content" } },
    { name: "bad blocks", reply: refused("invalid_blocks"), outcome: { kind: "rejected", class: "content" } },
    {
      name: "a team that writes too much",
      reply: refused("message_limit_exceeded"),
      outcome: { kind: "rejected", class: "quota" },
    },
    {
      name: "the rate limit",
      reply: { status: 429, headers: { "retry-after": "30" }, body: { ok: false, error: "ratelimited" } },
      outcome: { kind: "retry", afterMs: 30_000 },
    },
    { name: "a fault that may have sent", reply: refused("internal_error"), outcome: { kind: "unknown" } },
    {
      name: "a removed webhook",
      sending: throughWebhook,
      reply: { status: 404, body: "no_service" },
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "the webhook of an archived channel",
      sending: throughWebhook,
      reply: { status: 410, body: "channel_is_archived" },
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a webhook that may not post",
      sending: throughWebhook,
      reply: { status: 403, body: "action_prohibited" },
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a body the webhook cannot read",
      sending: throughWebhook,
      reply: { status: 400, body: "invalid_payload" },
      outcome: { kind: "rejected", class: "content" },
    },
    {
      name: "an endpoint without a connection",
      sending: { message: { ...message, target: { kind: "channel", channel: "C1" } }, request: throughWebhook.request },
      reply: { status: 200, body: "ok" },
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "an endpoint of another kind",
      sending: {
        message: { ...message, target: { kind: "phone", phone: "+14155552671" } },
        request: throughWebhook.request,
      },
      reply: { status: 200, body: "ok" },
      outcome: { kind: "rejected", class: "recipient" },
    },
  ],
  // https://docs.slack.dev/reference/methods/chat.delete and chat.update
  unsends: [
    {
      name: "deletes a message",
      sent,
      unsending: { kind: "delete" },
      calls: [{ method: "POST", url: "https://slack.com/api/chat.delete", headers, json: place }],
      outcomes: [
        { reply: { status: 200, body: done }, outcome: { kind: "deleted" } },
        { reply: refused("message_not_found"), outcome: { kind: "deleted" } },
        { reply: refused("cant_delete_message"), outcome: { kind: "impossible", reason: /not allow/ } },
        {
          reply: refused("compliance_exports_prevent_deletion"),
          outcome: { kind: "impossible", reason: /compliance/ },
        },
        ...failures,
      ],
    },
    {
      name: "changes a message",
      sent,
      unsending: {
        kind: "replace",
        content: { ...changed, extra: { linkNames: true, iconEmoji: ":x:", blocks: [{ type: "divider" }] } },
      },
      calls: [
        {
          method: "POST",
          url: "https://slack.com/api/chat.update",
          headers,
          json: { ...place, text: "Corrected", blocks: [{ type: "divider" }], attachments: [], link_names: true },
        },
      ],
      outcomes: [
        {
          reply: { status: 200, body: { ...done, text: "Corrected" } },
          outcome: { kind: "replaced", providerMessageId: "1503435956.000247" },
        },
        { reply: refused("message_not_found"), outcome: { kind: "impossible", reason: /no longer exists/ } },
        { reply: refused("edit_window_closed"), outcome: { kind: "impossible", reason: /too old/ } },
        { reply: refused("cant_update_message"), outcome: { kind: "impossible", reason: /not allow/ } },
        { reply: refused("msg_too_long"), outcome: { kind: "failed", canRetry: false } },
        ...failures,
      ],
    },
    {
      name: "deletes a message to a person",
      sent: toPerson,
      unsending: { kind: "delete" },
      calls: [
        {
          method: "POST",
          url: "https://slack.com/api/chat.delete",
          headers,
          json: { channel: "D024BE91L", ts: "1503435956.000247" },
        },
      ],
      outcomes: [{ reply: { status: 200, body: done }, outcome: { kind: "deleted" } }],
    },
    {
      name: "leaves what came through a webhook",
      sent: { content: throughWebhook.message, providerMessageId: null },
      unsending: { kind: "delete" },
      calls: [],
      outcomes: [{ reply: { status: 200 }, outcome: { kind: "impossible", reason: /incoming webhook/ } }],
    },
    {
      name: "leaves what has no id",
      sent: { ...sent, providerMessageId: null },
      unsending: { kind: "replace", content: changed },
      calls: [],
      outcomes: [{ reply: { status: 200 }, outcome: { kind: "impossible", reason: /did not return an id/ } }],
    },
  ],
  quirks: {
    invalidJson: "unknown",
    gone: { 404: { kind: "rejected", class: "recipient" }, 410: { kind: "rejected", class: "recipient" } },
    because: "errors are answered with 200, so only the body can confirm; other statuses are those of webhooks",
  },
  oauth: {
    address:
      "https://slack.com/oauth/v2/authorize?client_id=123456789012.123456789012&scope=a%2Cb" +
      `&redirect_uri=${encodeURIComponent(redirectUri)}&state=st`,
    connections: [
      {
        name: "a workspace",
        brought: { code: "c0de-s3cret" },
        calls: [{ ...exchange, reply: { status: 200, body: granted } }],
        access: {
          workspace: { id: "T9TK3CUKW", name: "Slack Softball Team", botUserId: "U0KRQLJ9H" },
          auth: { accessToken },
          personId: "U1234",
        },
      },
      {
        name: "a channel, with a token that expires",
        brought: { code: "c0de-s3cret" },
        calls: [
          {
            ...exchange,
            reply: {
              status: 200,
              body: {
                ...{ ...granted, expires_in: 43_200, refresh_token: "xoxe-1-s3cret" },
                incoming_webhook: {
                  channel: "#orders",
                  channel_id: "C05",
                  configuration_url: "https://x",
                  url: webhookUrl,
                },
              },
            },
          },
        ],
        access: {
          workspace: { id: "T9TK3CUKW", name: "Slack Softball Team", botUserId: "U0KRQLJ9H" },
          auth: { accessToken, refreshToken: "xoxe-1-s3cret", expiresAt: "2026-01-02T15:04:05.000Z" },
          webhook: { url: webhookUrl, channel: "#orders" },
          personId: "U1234",
        },
      },
      {
        name: "a whole organisation",
        brought: { code: "c0de-s3cret" },
        calls: [{ ...exchange, reply: { status: 200, body: { ...granted, team: null, is_enterprise_install: true } } }],
        access: {
          workspace: { id: "E12345678", name: "slack-sports", botUserId: "U0KRQLJ9H" },
          auth: { accessToken },
          personId: "U1234",
        },
      },
      ...(["invalid_code", "code_already_used", "bad_client_secret", "bad_redirect_uri"] as const).map((word) => ({
        name: word,
        brought: { code: "c0de-s3cret" },
        calls: [{ ...exchange, reply: refused(word) }],
        refused: { reason: new RegExp(word), isTemporary: false },
      })),
      {
        name: "too many at once",
        brought: { code: "c0de-s3cret" },
        calls: [{ ...exchange, reply: refused("ratelimited") }],
        refused: { reason: /ratelimited/, isTemporary: true },
      },
      {
        name: "a token without a workspace",
        brought: { code: "c0de-s3cret" },
        calls: [{ ...exchange, reply: { status: 200, body: { ...granted, team: null, enterprise: null } } }],
        refused: { reason: /^Slack's response names no workspace$/, isTemporary: true },
      },
      {
        name: "a token of a person alone",
        brought: { code: "c0de-s3cret" },
        calls: [{ ...exchange, reply: { status: 200, body: { ...granted, access_token: undefined } } }],
        refused: { reason: /no token of a bot/, isTemporary: false },
      },
      { name: "nothing", brought: {}, calls: [], refused: { reason: /no code/, isTemporary: false } },
    ],
    personAddress:
      "https://slack.com/oauth/v2/authorize?client_id=123456789012.123456789012&user_scope=a%2Cb" +
      `&redirect_uri=${encodeURIComponent(redirectUri)}&state=st`,
    people: [
      {
        name: "a person",
        brought: { code: "c0de-s3cret" },
        calls: [{ ...exchange, reply: { status: 200, body: { ...granted, access_token: undefined } } }],
        person: { id: "U1234", workspaceId: "T9TK3CUKW" },
      },
      {
        name: "a wrong code",
        brought: { code: "c0de-s3cret" },
        calls: [{ ...exchange, reply: refused("invalid_code") }],
        refused: { reason: /invalid_code/, isTemporary: false },
      },
      {
        name: "an answer without a person",
        brought: { code: "c0de-s3cret" },
        calls: [{ ...exchange, reply: { status: 200, body: { ...granted, authed_user: null } } }],
        refused: { reason: /names no user/, isTemporary: true },
      },
      { name: "nothing", brought: {}, calls: [], refused: { reason: /no code/, isTemporary: false } },
    ],
  },
});

import { messageId, providerCase } from "../../case.ts";

const webhookUrl = "https://discord.com/api/webhooks/223704706495545344/s3cret-webhook-token-3d89bb";
const error = (status: number, code: number, message: string) => ({ status, body: { code, message } });

const message = {
  id: messageId,
  channel: "chat" as const,
  target: { kind: "webhook" as const, webhookUrl },
  text: "Hi",
};
const sent = { content: message, providerMessageId: "1199999999999999999" };
const gone = { reply: error(404, 10008, "Unknown Message") };
const failures = [
  { reply: error(404, 10015, "Unknown Webhook"), outcome: { kind: "impossible" as const, reason: /no longer exists/ } },
  { reply: error(401, 50027, "Invalid Webhook Token"), outcome: { kind: "impossible" as const } },
  { reply: error(400, 30046, "Maximum number of edits"), outcome: { kind: "failed" as const, canRetry: true } },
];

export default providerCase({
  id: "discord",
  docs: "https://discord.com/developers/docs/resources/webhook#execute-webhook",
  credentials: {},
  minimal: {
    message: { id: messageId, channel: "chat", target: { kind: "webhook", webhookUrl }, text: "Hi" },
    request: {
      method: "POST",
      url: `${webhookUrl}?wait=true`,
      json: { content: "Hi", allowed_mentions: { parse: ["users", "roles"] } },
    },
  },
  rich: {
    message: {
      id: messageId,
      channel: "chat",
      target: { kind: "webhook", webhookUrl: `${webhookUrl}?thread_id=42` },
      text: "Grüße **Ada** 🎉",
      extra: { username: "Tidings", allowed_mentions: { parse: [] }, embeds: [{ title: "More" }] },
      passthrough: { query: { with_components: true } },
    },
    request: {
      method: "POST",
      url: `${webhookUrl}?thread_id=42&wait=true&with_components=true`,
      json: {
        content: "Grüße **Ada** 🎉",
        allowed_mentions: { parse: [] },
        username: "Tidings",
        embeds: [{ title: "More" }],
      },
    },
  },
  accepted: {
    reply: { status: 200, body: { id: "1199999999999999999", type: 0, content: "Hi" } },
    providerMessageId: "1199999999999999999",
  },
  errors: [
    {
      name: "a deleted webhook",
      reply: error(404, 10015, "Unknown Webhook"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a wrong webhook token",
      reply: error(401, 50027, "Invalid Webhook Token"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "an empty message",
      reply: error(400, 50006, "Cannot send an empty message"),
      outcome: { kind: "rejected", class: "content" },
    },
    {
      name: "an invalid body",
      reply: error(400, 50035, "Invalid Form Body"),
      outcome: { kind: "rejected", class: "content" },
    },
    {
      name: "the rate limit",
      reply: {
        status: 429,
        headers: { "retry-after": "0.65" },
        body: { message: "You are being rate limited.", retry_after: 0.65, global: false },
      },
      outcome: { kind: "retry", afterMs: 650 },
    },
  ],
  // https://discord.com/developers/docs/resources/webhook#edit-webhook-message and #delete-webhook-message
  unsends: [
    {
      name: "deletes a message",
      sent,
      unsending: { kind: "delete" },
      calls: [{ method: "DELETE", url: `${webhookUrl}/messages/1199999999999999999` }],
      outcomes: [
        { reply: { status: 204 }, outcome: { kind: "deleted" } },
        { ...gone, outcome: { kind: "deleted" } },
        ...failures,
      ],
    },
    {
      name: "changes a message in a thread",
      sent: {
        ...sent,
        content: {
          ...message,
          target: { kind: "webhook", webhookUrl: `${webhookUrl}?thread_id=42` },
          extra: { components: [{ type: 1 }] },
        },
      },
      unsending: {
        kind: "replace",
        content: { ...message, text: "Corrected", extra: { avatarUrl: "https://x", embeds: [{ title: "More" }] } },
      },
      calls: [
        {
          method: "PATCH",
          url: `${webhookUrl}/messages/1199999999999999999?thread_id=42`,
          json: {
            content: "Corrected",
            embeds: [{ title: "More" }],
            components: [],
            allowed_mentions: { parse: ["users", "roles"] },
          },
        },
      ],
      outcomes: [
        {
          reply: { status: 200, body: { id: "1199999999999999999", content: "Corrected" } },
          outcome: { kind: "replaced", providerMessageId: "1199999999999999999" },
        },
        { ...gone, outcome: { kind: "impossible", reason: /no longer exists/ } },
        {
          reply: error(403, 50005, "Cannot edit a message authored by another user"),
          outcome: { kind: "impossible", reason: /not allow/ },
        },
        { reply: error(400, 50035, "Invalid Form Body"), outcome: { kind: "failed", canRetry: false } },
        ...failures,
      ],
    },
    {
      name: "deletes the first message of a thread",
      sent: { ...sent, content: { ...message, extra: { threadName: "News" } } },
      unsending: { kind: "delete" },
      calls: [{ method: "DELETE", url: `${webhookUrl}/messages/1199999999999999999?thread_id=1199999999999999999` }],
      outcomes: [{ reply: { status: 204 }, outcome: { kind: "deleted" } }],
    },
    {
      name: "keeps a strange id inside the path",
      sent: { ...sent, providerMessageId: "../../../users/@me?x=1#" },
      unsending: { kind: "delete" },
      calls: [{ method: "DELETE", url: `${webhookUrl}/messages/..%2F..%2F..%2Fusers%2F%40me%3Fx%3D1%23` }],
      outcomes: [{ ...gone, outcome: { kind: "deleted" } }],
    },
    {
      name: "refuses an id that leaves the path",
      sent: { ...sent, providerMessageId: ".." },
      unsending: { kind: "delete" },
      calls: [],
      outcomes: [{ reply: { status: 200 }, outcome: { kind: "impossible", reason: /not one that the provider/ } }],
    },
    {
      name: "leaves what has no id",
      sent: { ...sent, providerMessageId: null },
      unsending: { kind: "delete" },
      calls: [],
      outcomes: [{ reply: { status: 200 }, outcome: { kind: "impossible", reason: /did not return an id/ } }],
    },
  ],
});

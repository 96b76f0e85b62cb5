import { messageId, providerCase } from "../../case.ts";

const token = "110201543:s3cret-AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw";
const api = `https://api.telegram.org/bot${token}`;
const message = {
  id: messageId,
  channel: "chat" as const,
  target: { kind: "user" as const, user: "5432109876" },
  text: "Hi",
};
const request = { method: "POST", url: `${api}/sendMessage`, json: { chat_id: "5432109876", text: "Hi" } };
const accepted = {
  reply: { status: 200, body: { ok: true, result: { message_id: 71, chat: { id: 5432109876 }, text: "Hi" } } },
  providerMessageId: "71",
};
const error = (error_code: number, description: string, parameters?: object) => ({
  status: error_code,
  body: { ok: false, error_code, description, parameters },
});
const sent = { content: message, providerMessageId: "71" };
const failures = [
  {
    reply: error(403, "Forbidden: bot was blocked by the user"),
    outcome: { kind: "impossible" as const, reason: /blocked/ },
  },
  {
    reply: error(400, "Bad Request: chat not found"),
    outcome: { kind: "impossible" as const, reason: /does not find the chat/ },
  },
  { reply: error(401, "Unauthorized"), outcome: { kind: "failed" as const, canRetry: false } },
  {
    reply: error(429, "Too Many Requests: retry after 5", { retry_after: 5 }),
    outcome: { kind: "failed" as const, canRetry: true },
  },
];

export default providerCase({
  id: "telegram",
  docs: "https://core.telegram.org/bots/api#sendmessage",
  credentials: { token },
  minimal: { message, request },
  rich: {
    message: {
      ...message,
      target: { kind: "channel", channel: "@tidings_news" },
      text: "Grüße <b>Ada</b> 🎉",
      extra: { parseMode: "HTML", link_preview_options: { is_disabled: true } },
    },
    request: {
      ...request,
      json: {
        chat_id: "@tidings_news",
        text: "Grüße <b>Ada</b> 🎉",
        parse_mode: "HTML",
        link_preview_options: { is_disabled: true },
      },
    },
  },
  accepted,
  errors: [
    { name: "a wrong token", reply: error(401, "Unauthorized"), outcome: { kind: "rejected", class: "auth" } },
    {
      name: "a person who blocked the bot",
      reply: error(403, "Forbidden: bot was blocked by the user"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "an unknown chat",
      reply: error(400, "Bad Request: chat not found"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a group that moved",
      reply: error(400, "Bad Request: group chat was upgraded to a supergroup chat", { migrate_to_chat_id: -1001 }),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "bad markup",
      reply: error(400, "Bad Request: can't parse entities: unsupported start tag"),
      outcome: { kind: "rejected", class: "content" },
    },
    {
      name: "the rate limit",
      reply: error(429, "Too Many Requests: retry after 5", { retry_after: 5 }),
      outcome: { kind: "retry", afterMs: 5000 },
    },
    {
      name: "an endpoint of another kind",
      sending: { message: { ...message, target: { kind: "phone", phone: "+14155552671" } }, request },
      reply: accepted.reply,
      outcome: { kind: "rejected", class: "recipient" },
    },
  ],
  check: {
    request: { method: "GET", url: `${api}/getMe` },
    ok: { status: 200, body: { ok: true, result: { id: 110201543, is_bot: true } } },
    bad: error(401, "Unauthorized"),
  },
  unsends: [
    {
      name: "deletes a message",
      sent,
      unsending: { kind: "delete" },
      calls: [{ method: "POST", url: `${api}/deleteMessage`, json: { chat_id: "5432109876", message_id: 71 } }],
      outcomes: [
        { reply: { status: 200, body: { ok: true, result: true } }, outcome: { kind: "deleted" } },
        { reply: error(400, "Bad Request: message to delete not found"), outcome: { kind: "deleted" } },
        {
          reply: error(400, "Bad Request: message can't be deleted for everyone"),
          outcome: { kind: "impossible", reason: /48 hours/ },
        },
        ...failures,
      ],
    },
    {
      name: "changes a message",
      sent,
      unsending: {
        kind: "replace",
        content: { ...message, text: "<i>Corrected</i>", extra: { parseMode: "HTML", disable_notification: true } },
      },
      calls: [
        {
          method: "POST",
          url: `${api}/editMessageText`,
          json: { chat_id: "5432109876", message_id: 71, text: "<i>Corrected</i>", parse_mode: "HTML" },
        },
      ],
      outcomes: [
        { reply: accepted.reply, outcome: { kind: "replaced", providerMessageId: "71" } },
        {
          reply: error(400, "Bad Request: message is not modified: specified new message content is the same"),
          outcome: { kind: "replaced", providerMessageId: "71" },
        },
        {
          reply: error(400, "Bad Request: message to edit not found"),
          outcome: { kind: "impossible", reason: /no longer exists/ },
        },
        { reply: error(400, "Bad Request: message can't be edited"), outcome: { kind: "impossible" } },
        { reply: error(400, "Bad Request: can't parse entities"), outcome: { kind: "failed", canRetry: false } },
        ...failures,
      ],
    },
    {
      name: "refuses an id that is none",
      sent: { ...sent, providerMessageId: "71/../x" },
      unsending: { kind: "delete" },
      calls: [],
      outcomes: [{ reply: { status: 200 }, outcome: { kind: "impossible", reason: /not one that Telegram/ } }],
    },
  ],
  quirks: { invalidJson: "unknown", because: "only the body confirms a message" },
});

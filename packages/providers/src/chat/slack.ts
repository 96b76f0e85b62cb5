// Slack: as an app, to channels and people of a connected workspace, with the token of that connection; or through an
// incoming webhook. Credentials: api.slack.com/apps, Basic Information. They serve to connect workspaces; the token that
// sends (xoxb-…, with the scope chat:write) belongs to the connection.
// API: https://docs.slack.dev/reference/methods/chat.postMessage
// Webhooks: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks

import { targetOf } from "../chat.ts";
import { flag, secret, text } from "../credentials.ts";
import type { ChatMessage } from "../message.ts";
import {
  accepted,
  byStatus,
  describeReply,
  type ErrorClasses,
  refused,
  rejected,
  SendFault,
  unknown,
  unreadable,
} from "../outcome.ts";
import { defineProvider } from "../provider.ts";
import { post, textAt } from "../request.ts";

const classes: ErrorClasses = {
  access_denied: "auth",
  account_inactive: "auth",
  invalid_auth: "auth",
  not_authed: "auth",
  token_expired: "auth",
  token_revoked: "auth",
  ekm_access_denied: "config",
  missing_scope: "config",
  restricted_action: "config",
  message_limit_exceeded: "quota",
  action_prohibited: "recipient",
  channel_is_archived: "recipient",
  channel_not_found: "recipient",
  invalid_token: "recipient",
  is_archived: "recipient",
  messages_tab_disabled: "recipient",
  no_service: "recipient",
  no_team: "recipient",
  not_in_channel: "recipient",
  posting_to_general_channel_denied: "recipient",
  restricted_action_read_only_channel: "recipient",
  team_disabled: "recipient",
  user_not_found: "recipient",
  rate_limited: "retry",
  ratelimited: "retry",
  service_unavailable: "retry",
  team_added_to_org: "retry",
};

/** Slack says of these that a part of the work may have been done. */
const halfDone = new Set(["fatal_error", "internal_error"]);

const whereTo = (message: ChatMessage): { channel: string; accessToken: string } => {
  const { accessToken, ...target } = message.target.kind === "user" ? message.target : targetOf(message, "channel");
  if (!accessToken) {
    throw new SendFault(rejected("config", "The subscriber's endpoint has no connection with an access token"));
  }
  return { channel: target.kind === "user" ? target.user : target.channel, accessToken };
};

export default defineProvider({
  id: "slack",
  channel: "chat",
  name: "Slack",
  docs: "https://docs.slack.dev/reference/methods/chat.postMessage",
  help: "Create an app at api.slack.com/apps; App ID, Client ID and Client Secret are under Basic Information.",
  credentials: {
    applicationId: text("App ID"),
    clientId: text("Client ID"),
    secretKey: secret("Client Secret"),
    signingSecret: secret("Signing Secret", { optional: true }),
    redirectUrl: text("Redirect URL", { optional: true }),
    hmac: flag("HMAC"),
  },
  limits: { text: 40_000 },
  request: (message) => {
    if (message.target.kind === "webhook") return post(message.target.webhookUrl, { json: { text: message.text } });
    const { channel, accessToken } = whereTo(message);
    const headers = { "content-type": "application/json; charset=utf-8" };
    const json = { channel, text: message.text };
    return post("https://slack.com/api/chat.postMessage", { bearer: accessToken, headers, json });
  },
  read: (reply) => {
    // The API answers {ok, error} and nearly always 200, a webhook answers with a word and a fitting status.
    const code = textAt(reply.json, "error") ?? reply.text.trim();
    if (reply.status >= 300) return byStatus(reply, undefined, { code, classes });
    const ok = (reply.json as { ok?: unknown } | null | undefined)?.ok;
    if (ok === true || code === "ok") return accepted(textAt(reply.json, "ts"));
    if (ok !== false) return unreadable(reply);
    return halfDone.has(code) ? unknown(describeReply(reply)) : refused(reply, code, classes);
  },
});

// Slack: as an app, to channels and people of a connected workspace, with the token of that connection; or through an
// incoming webhook. Credentials: api.slack.com/apps, Basic Information. They serve to connect workspaces; the token
// that sends (xoxb-…, with the scope chat:write) belongs to the connection. API:
// https://docs.slack.dev/reference/methods/chat.postMessage Webhooks:
// https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks Connecting a workspace:
// https://docs.slack.dev/authentication/installing-with-oauth

import { readWebhook, targetOf } from "../kit/chat.ts";
import { flag, secret, text } from "../kit/credentials.ts";
import type { Io } from "../kit/io.ts";
import type { ChatMessage } from "../kit/message.ts";
import { type Access, type CallbackParams, type Person, withQuery } from "../kit/oauth.ts";
import { accepted, rejected, retry, SendError, unknown } from "../kit/outcome.ts";
import { defineProvider } from "../kit/provider.ts";
import { describeReply, type ErrorClasses, failureByCode, type HttpReply, textAt, unreadable } from "../kit/reply.ts";
import { post } from "../kit/request.ts";
import { retryUnknown } from "../kit/token.ts";

const classes: ErrorClasses = {
  access_denied: "auth",
  account_inactive: "auth",
  invalid_auth: "auth",
  not_authed: "auth",
  token_expired: "auth",
  token_revoked: "auth",
  accesslimited: "config",
  deprecated_endpoint: "config",
  ekm_access_denied: "config",
  enterprise_is_restricted: "config",
  method_deprecated: "config",
  missing_scope: "config",
  no_permission: "config",
  not_allowed_token_type: "config",
  restricted_action: "config",
  team_access_not_granted: "config",
  two_factor_setup_required: "config",
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
  org_login_required: "retry",
  rate_limited: "retry",
  ratelimited: "retry",
  request_timeout: "retry",
  service_unavailable: "retry",
  team_added_to_org: "retry",
};

/** Slack says of these that a part of the work may have been done. */
const halfDone = new Set(["fatal_error", "internal_error"]);
const passing: ErrorClasses = { fatal_error: "retry", internal_error: "retry" };

function whereTo(message: ChatMessage): { channel: string; accessToken: string } {
  const { accessToken, ...target } = message.target.kind === "user" ? message.target : targetOf(message, "channel");
  if (!accessToken) {
    throw new SendError(rejected("config", "The subscriber's endpoint has no connection with an access token"));
  }
  return { channel: target.kind === "user" ? target.user : target.channel, accessToken };
}

// https://docs.slack.dev/reference/methods/oauth.v2.access. Refusals have status 200, as everywhere at Slack. Any other
// response is never quoted, because it holds the token.
function readAccess(reply: HttpReply, now: Date): Access {
  const { json, status } = reply;
  const code = textAt(json, "error");
  if (code || status >= 300) throw new SendError(failureByCode(reply, code, { ...classes, ...passing }));
  // An app of a whole organisation has no workspace.
  const place = textAt(json, "team", "id") ? "team" : "enterprise";
  const [id, name] = [textAt(json, place, "id"), textAt(json, place, "name")];
  const [accessToken, url] = [textAt(json, "access_token"), textAt(json, "incoming_webhook", "url")];
  if (!id) throw new SendError(retry("Slack's response names no workspace"));
  if (!accessToken) throw new SendError(rejected("config", "The scopes ask Slack for no token of a bot"));
  const seconds = Number(textAt(json, "expires_in"));
  const expiresAt = seconds > 0 ? new Date(now.getTime() + seconds * 1000).toISOString() : undefined;
  return {
    workspace: { id, name, botUserId: textAt(json, "bot_user_id") },
    auth: { accessToken, refreshToken: textAt(json, "refresh_token"), expiresAt },
    webhook: url ? { url, channel: textAt(json, "incoming_webhook", "channel") } : undefined,
    personId: textAt(json, "authed_user", "id"),
  };
}

// With scopes of a person alone, the response has no token of a bot.
function readPerson(reply: HttpReply): Person {
  const { json, status } = reply;
  const code = textAt(json, "error");
  if (code || status >= 300) throw new SendError(failureByCode(reply, code, { ...classes, ...passing }));
  const [id, workspaceId] = [textAt(json, "authed_user", "id"), textAt(json, "team", "id")];
  if (!id || !workspaceId) throw new SendError(retry("Slack's response names no user of a workspace"));
  return { id, workspaceId };
}

type App = { clientId: string; secretKey: string };

function exchangeCode({ code }: CallbackParams, redirectUri: string, { clientId, secretKey }: App, io: Io) {
  if (!code) throw new SendError(rejected("content", "Slack sent no code along"));
  const form = { code, redirect_uri: redirectUri };
  const request = post("https://slack.com/api/oauth.v2.access", { basic: [clientId, secretKey], form });
  return retryUnknown(io.http(request));
}

const authorizationPage = "https://slack.com/oauth/v2/authorize";

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
  overrideNames: {
    // biome-ignore format: the names are grouped
    members: [
      "blocks", "attachments", "thread_ts", "reply_broadcast", "unfurl_links", "unfurl_media", "icon_emoji",
      "icon_url", "username", "mrkdwn", "mrkdwn_in", "link_names", "parse", "metadata", "markdown_text",
    ],
  },
  read: (reply) => {
    // The API returns {ok, error} and nearly always 200, a webhook responds with a word and a fitting status.
    const code = textAt(reply.json, "error") ?? reply.text.trim();
    if (reply.status >= 300) return readWebhook(reply, { code, classes });
    const ok = (reply.json as { ok?: unknown } | null | undefined)?.ok;
    if (ok === true || code === "ok") return accepted(textAt(reply.json, "ts"));
    if (ok !== false) return unreadable(reply);
    return halfDone.has(code) ? unknown(describeReply(reply)) : failureByCode(reply, code, classes);
  },
  oauth: {
    needs: ["clientId", "secretKey"],
    scopes: ["chat:write", "chat:write.public", "channels:read", "groups:read", "users:read", "users:read.email"],
    authorizationUrl: ({ scopes, redirectUri, state }, { clientId }) =>
      withQuery(authorizationPage, {
        client_id: clientId,
        scope: scopes.join(","),
        redirect_uri: redirectUri,
        state,
      }),
    connect: async (callback, redirectUri, credentials, io) =>
      readAccess(await exchangeCode(callback, redirectUri, credentials, io), io.now()),
    person: {
      scopes: ["identity.basic"],
      authorizationUrl: ({ scopes, redirectUri, state }, { clientId }) =>
        withQuery(authorizationPage, {
          client_id: clientId,
          user_scope: scopes.join(","),
          redirect_uri: redirectUri,
          state,
        }),
      identify: async (callback, redirectUri, credentials, io) =>
        readPerson(await exchangeCode(callback, redirectUri, credentials, io)),
    },
  },
});

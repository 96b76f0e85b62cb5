// Slack: as an app, to channels and people of a connected workspace, with the token of that connection; or through an
// incoming webhook. Credentials: api.slack.com/apps, Basic Information. They serve to connect workspaces; the token
// that sends (xoxb-…, with the scope chat:write) belongs to the connection. API:
// https://docs.slack.dev/reference/methods/chat.postMessage Webhooks:
// https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks Connecting a workspace:
// https://docs.slack.dev/authentication/installing-with-oauth Retracting:
// https://docs.slack.dev/reference/methods/chat.update https://docs.slack.dev/reference/methods/chat.delete

import { readWebhook, targetOf } from "../kit/chat.ts";
import { flag, secret, text } from "../kit/credentials.ts";
import type { Io } from "../kit/io.ts";
import type { ChatMessage } from "../kit/message.ts";
import { type Access, type CallbackParams, type Person, withQuery } from "../kit/oauth.ts";
import { accepted, type Outcome, rejected, retry, SendError, unknown } from "../kit/outcome.ts";
import { withOverrides } from "../kit/overrides.ts";
import { defineProvider } from "../kit/provider.ts";
import {
  describeReply,
  type ErrorClasses,
  failureByCode,
  type HttpReply,
  textAt,
  unreadable,
  valueAt,
} from "../kit/reply.ts";
import { type HttpRequest, post } from "../kit/request.ts";
import { retryUnknown } from "../kit/token.ts";
import {
  ImpossibleError,
  pickOverrides,
  type SentMessage,
  sentId,
  type Undone,
  type UndoneCodes,
  undoneByCode,
} from "../kit/unsend.ts";

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

const json = { "content-type": "application/json; charset=utf-8" };

// The API returns {ok, error} and nearly always 200, a webhook responds with a word and a fitting status.
const codeOf = (reply: HttpReply): string => textAt(reply.json, "error") ?? reply.text.trim();

function read(reply: HttpReply, id: string | undefined): Outcome {
  const code = codeOf(reply);
  if (reply.status >= 300) return readWebhook(reply, { code, classes });
  const ok = valueAt(reply.json, "ok");
  if (ok === true || code === "ok") return accepted(id);
  if (ok !== false) return unreadable(reply);
  return halfDone.has(code) ? unknown(describeReply(reply)) : failureByCode(reply, code, classes);
}

/** Messages to a person or to the name of a channel get into a channel whose id only the reply has. */
function idIn({ json }: HttpReply, { target }: ChatMessage): string | undefined {
  const [ts, channel] = [textAt(json, "ts"), textAt(json, "channel")];
  const asked = target.kind === "user" ? target.user : target.kind === "channel" ? target.channel : channel;
  return ts === undefined || channel === undefined || channel === asked ? ts : `${channel}:${ts}`;
}

/** The message in the words of chat.update and chat.delete. */
function placeOf(sent: SentMessage<ChatMessage>): { channel: string; ts: string; accessToken: string } {
  if (sent.content.target.kind === "webhook") {
    throw new ImpossibleError(
      "A message that was posted through an incoming webhook of Slack cannot be changed or deleted",
    );
  }
  const { channel: asked, accessToken } = whereTo(sent.content);
  const [, channel = asked, ts = ""] = /^(?:([^:]*):)?([^:]*)$/.exec(sentId(sent, "Slack")) ?? [];
  return { channel, ts, accessToken };
}

const undone: UndoneCodes = {
  gone: ["message_not_found"],
  impossible: {
    cant_delete_message: "Slack does not allow the app to delete this message",
    cant_update_message: "Slack does not allow the app to change this message",
    channel_not_found: "Slack does not find the channel of the message",
    compliance_exports_prevent_deletion: "The workspace keeps all messages for compliance, so none can be deleted",
    edit_window_closed: "The message is too old: the workspace does not allow editing it any longer",
    is_inactive: "Slack does not find the channel of the message",
  },
};

/** What chat.update knows of the members that a message may have. */
const updatable = ["blocks", "attachments", "link_names", "parse", "metadata", "markdown_text", "reply_broadcast"];

async function change(request: HttpRequest, io: Io, id: string | null): Promise<Undone> {
  const reply = await io.http(request);
  return undoneByCode(codeOf(reply), read(reply, id ?? undefined), undone);
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
    const body = { channel, text: message.text };
    return post("https://slack.com/api/chat.postMessage", { bearer: accessToken, headers: json, json: body });
  },
  overrideNames: {
    // biome-ignore format: the names are grouped
    members: [
      "blocks", "attachments", "thread_ts", "reply_broadcast", "unfurl_links", "unfurl_media", "icon_emoji",
      "icon_url", "username", "mrkdwn", "mrkdwn_in", "link_names", "parse", "metadata", "markdown_text",
    ],
  },
  read: (reply, message) => read(reply, idIn(reply, message)),
  unsend: {
    delete: async (sent, _credentials, io) => {
      const { accessToken, ...place } = placeOf(sent);
      const request = post("https://slack.com/api/chat.delete", { bearer: accessToken, headers: json, json: place });
      return change(request, io, sent.providerMessageId);
    },
    // Slack keeps the blocks and attachments of a message until it gets others.
    replace: async (sent, content, _credentials, io) => {
      const { accessToken, ...place } = placeOf(sent);
      const body = { ...place, text: content.text, blocks: [], attachments: [] };
      const request = post("https://slack.com/api/chat.update", { bearer: accessToken, headers: json, json: body });
      return change(withOverrides(request, pickOverrides(content, updatable)), io, sent.providerMessageId);
    },
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

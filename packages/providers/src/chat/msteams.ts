// Microsoft Teams: through the webhook of a channel (a workflow, or the incoming webhook it replaces), or as a bot, to
// channels and people. The bot's credentials: portal.azure.com, the Azure Bot's app registration; the app with the bot
// has to be installed in the team or for the person first. A person is named by the id Teams gives the bot or by the
// Entra id. A text that is the JSON of an adaptive card ({"type": "AdaptiveCard", …}) is posted as that card. Bot API:
// https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-api-reference Webhooks:
// https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook Connecting an
// organisation: https://learn.microsoft.com/entra/identity-platform/v2-admin-consent A bot for one organisation has its
// directory in tenantId. One for several has none there: it gets its tokens from the Bot Framework, and writes to the
// organisation of the connection. Who connects one has to sign in to it (msteams-sign-in.ts).

import { readWebhook, targetOf } from "../kit/chat.ts";
import { secret, text } from "../kit/credentials.ts";
import type { Io } from "../kit/io.ts";
import type { ChatMessage } from "../kit/message.ts";
import { withQuery } from "../kit/oauth.ts";
import { type Outcome, rejected, retry, SendError } from "../kit/outcome.ts";
import { withOverrides } from "../kit/overrides.ts";
import { defineProvider } from "../kit/provider.ts";
import { type ErrorClasses, type HttpReply, parseJson, textAt } from "../kit/reply.ts";
import { del, type HttpRequest, post, put } from "../kit/request.ts";
import { cacheKey, fetchToken, retryUnknown, withToken } from "../kit/token.ts";
import {
  ImpossibleError,
  type SentMessage,
  segment,
  sentId,
  type Undone,
  type UndoneCodes,
  undoneByCode,
} from "../kit/unsend.ts";
import { isTenant, login, signInUrl, verifySignIn } from "./msteams-sign-in.ts";

// The address for a first message, before a reply has named the address of the bot's region.
const conversations = "https://smba.trafficmanager.net/teams/v3/conversations";

const classes: ErrorClasses = {
  BotNotInConversationRoster: "recipient",
  ConversationBlockedByUser: "recipient",
  ConversationNotFound: "recipient",
  ForbiddenOperationException: "recipient",
  MessageWritesBlocked: "recipient",
  BotDisabledByAdmin: "config",
  InvalidBotApiHost: "config",
  PreconditionFailed: "retry",
};

const attached = (content: unknown) => ({
  type: "message",
  attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", content }],
});

/** The text as an adaptive card, where it is one: a template wrote the card itself. */
function cardIn(said: string): unknown {
  const content = parseJson(said);
  return textAt(content, "type") === "AdaptiveCard" ? content : undefined;
}

function plainCard(said: string) {
  const $schema = "http://adaptivecards.io/schemas/adaptive-card.json";
  const body = [{ type: "TextBlock", text: said, wrap: true }];
  return { $schema, type: "AdaptiveCard", version: "1.4", body };
}

function read(reply: HttpReply): Outcome {
  // An incoming webhook returns 200 even when Teams refused, with the status as text in the body.
  const status = /returned HTTP error (\d{3})/.exec(reply.text)?.[1];
  if (status) return readWebhook({ ...reply, status: Number(status) });
  const id = textAt(reply.json, "activityId") ?? textAt(reply.json, "id");
  return readWebhook(reply, { id, code: textAt(reply.json, "error", "code"), classes });
}

type Values = { readonly [K in "clientId" | "secretKey" | "tenantId"]?: string };

/** `home` is where the bot gets its tokens, `tenant` where it writes. */
function botOf({ clientId, secretKey, tenantId }: Values, workspace: string | undefined) {
  const tenant = tenantId || workspace;
  if (clientId && secretKey && tenant) return { clientId, secretKey, tenant, home: tenantId || "botframework.com" };
  const needed = "clientId, secretKey, and tenantId or a connection, are needed to write to Teams as a bot";
  const reason = `${needed}; without them only webhooks work`;
  throw new SendError(rejected("config", reason));
}

type Call = (request: HttpRequest) => Promise<HttpReply>;
type Bot = { clientId: string; tenantId: string; call: Call };

/** The bot in the organisation that the message goes to, and a call with its token. */
function botFor(message: ChatMessage, credentials: Values, io: Io): Bot {
  const { workspace } = message.target.kind === "channel" ? message.target : targetOf(message, "user");
  const { clientId, secretKey, home, tenant } = botOf(credentials, workspace);
  const buy = () => buyAppToken(io, home, { clientId, secretKey }, "https://api.botframework.com/.default");
  const key = cacheKey("msteams", clientId, secretKey, home);
  const call: Call = ({ headers, ...request }) =>
    withToken(io, key, buy, (token) =>
      io.http({ ...request, headers: { authorization: `Bearer ${token}`, ...headers } }),
    );
  return { clientId, tenantId: tenant, call };
}

/** The address of the activities in the bot's conversation with a person. Teams opens it once. */
async function openChat(user: string, { clientId, tenantId, call }: Bot): Promise<string> {
  const people = { bot: { id: `28:${clientId}` }, members: [{ id: user }] };
  const json = { isGroup: false, ...people, channelData: { tenant: { id: tenantId } }, tenantId };
  const opened = await retryUnknown(call(post(conversations, { json })));
  const outcome = read(opened);
  if (outcome.kind !== "accepted") throw new SendError(outcome);
  const id = textAt(opened.json, "id");
  if (!id) throw new SendError(retry("Teams opened the conversation without naming it"));
  return activitiesOf(id);
}

const activitiesOf = (conversation: string): string => `${conversations}/${segment(conversation)}/activities`;

function activityOf(said: string) {
  const card = cardIn(said);
  return card ? attached(card) : { type: "message", text: said };
}

const undone: UndoneCodes = {
  gone: ["ActivityNotFoundInConversation"],
  impossible: {
    BotNotInConversationRoster: "The bot is no longer a member of the conversation",
    ConversationBlockedByUser: "The person has blocked the bot",
    ConversationNotFound: "Teams does not find the conversation of the message",
    ForbiddenOperationException: "Teams does not allow the bot to change the message",
    MessageWritesBlocked: "The person has blocked the bot or has left the organisation",
    NotEnoughPermissions: "Teams does not allow the bot to change the message",
  },
};

/** Calls the address of an activity. A post in a channel is its own conversation. */
async function change(
  sent: SentMessage<ChatMessage>,
  credentials: Values,
  io: Io,
  request: (url: string) => HttpRequest,
): Promise<Undone> {
  const { target } = sent.content;
  if (target.kind === "webhook") {
    throw new ImpossibleError("A message that was posted through a webhook of Teams cannot be changed or deleted");
  }
  const id = sentId(sent, "Microsoft Teams");
  const bot = botFor(sent.content, credentials, io);
  const place =
    target.kind === "channel"
      ? activitiesOf(`${target.channel};messageid=${id}`)
      : await openChat(targetOf(sent.content, "user").user, bot);
  const reply = await bot.call(request(`${place}/${segment(id)}`));
  return undoneByCode(textAt(reply.json, "error", "code"), read(reply), undone);
}

function buyAppToken(io: Io, home: string, client: { clientId: string; secretKey: string }, scope: string) {
  const { clientId, secretKey } = client;
  const form = { grant_type: "client_credentials", client_id: clientId, client_secret: secretKey, scope };
  return fetchToken(io, post(`${login}/${encodeURIComponent(home)}/oauth2/v2.0/token`, { form }));
}

// The app is not known in the organisation: a consent takes a moment to reach every server.
function notYet(error: unknown): never {
  const isMissing = error instanceof SendError && /AADSTS(700016|7000229)\b/.test(error.message);
  throw isMissing ? new SendError(retry(error.message)) : error;
}

const refusedConsent = (reason: string): SendError => new SendError(rejected("content", reason));

export default defineProvider({
  id: "msteams",
  channel: "chat",
  name: "Microsoft Teams",
  docs: "https://learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/send-proactive-messages",
  help: "For webhooks nothing is needed here; for a bot, take the ids and a client secret of its app registration in Azure.",
  credentials: {
    clientId: text("Microsoft App ID", { optional: true }),
    secretKey: secret("Client Secret", { optional: true }),
    tenantId: text("Directory (tenant) ID", { optional: true }),
    redirectUrl: text("Redirect URL", { optional: true }),
  },
  send: async (message, credentials, io) => {
    if (message.target.kind === "webhook") {
      const json = attached(cardIn(message.text) ?? plainCard(message.text));
      return read(await io.http(withOverrides(post(message.target.webhookUrl, { json }), message)));
    }
    const bot = botFor(message, credentials, io);
    const activity = activityOf(message.text);
    if (message.target.kind === "channel") {
      // A post in a channel is its own conversation: it is opened with its first message.
      const channelData = { channel: { id: message.target.channel }, tenant: { id: bot.tenantId } };
      const json = { isGroup: true, channelData, activity };
      return read(await bot.call(withOverrides(post(conversations, { json }), message, ["activity"])));
    }
    const url = await openChat(targetOf(message, "user").user, bot);
    return read(await bot.call(withOverrides(post(url, { json: activity }), message)));
  },
  unsend: {
    delete: (sent, credentials, io) => change(sent, credentials, io, (url) => del(url)),
    replace: (sent, content, credentials, io) =>
      change(sent, credentials, io, (url) => {
        const { extra, passthrough } = content;
        const overrides = { extra, passthrough: { body: passthrough?.body } };
        return withOverrides(put(url, { json: activityOf(content.text) }), overrides);
      }),
  },
  oauth: {
    needs: ["clientId", "secretKey"],
    // Whatever the app's registration asks for.
    scopes: ["https://graph.microsoft.com/.default"],
    authorizationUrl: ({ scopes, redirectUri, state }, { clientId = "", tenantId }) =>
      withQuery(`${login}/${encodeURIComponent(tenantId || "organizations")}/v2.0/adminconsent`, {
        client_id: clientId,
        scope: scopes.join(" "),
        redirect_uri: redirectUri,
        state,
      }),
    // An administrator's consent arrives as two query parameters, which can be forged. What proves it is that the app
    // gets a token of that organisation; but it gets one of every organisation that has ever consented. So the
    // organisation is the integration's own, or the one that the person signs in to next. Messages are sent with tokens
    // fetched when they are needed.
    connect: async (brought, redirectUri, credentials, io) => {
      const { tenant: consented = "", admin_consent: consent, code, state = "" } = brought;
      const { clientId = "", secretKey = "", tenantId } = credentials;
      const client = { clientId, secretKey };
      const isSignedIn = !tenantId && code !== undefined;
      if (!isSignedIn && (consent?.toLowerCase() !== "true" || !isTenant(consented))) {
        throw refusedConsent("Microsoft does not say that an administrator has consented");
      }
      if (tenantId && tenantId.toLowerCase() !== consented.toLowerCase()) {
        throw refusedConsent("The consent is that of another organisation than the integration's");
      }
      if (!tenantId && !isSignedIn) return { next: signInUrl({ clientId, redirectUri, state }) };
      const tenant = isSignedIn ? (await verifySignIn(io, client, { code, redirectUri, state })).tenant : consented;
      await buyAppToken(io, tenant, client, "https://graph.microsoft.com/.default").catch(notYet);
      return { workspace: { id: tenant.toLowerCase() }, auth: { accessToken: "app-only" } };
    },
    person: {
      scopes: [],
      authorizationUrl: ({ redirectUri, state }, { clientId = "" }) =>
        signInUrl({ clientId, redirectUri, state, scope: "openid profile" }),
      identify: async ({ code, state = "" }, redirectUri, { clientId = "", secretKey = "" }, io) => {
        if (!code) throw refusedConsent("Microsoft sent no code along");
        const asked = { code, redirectUri, state, scope: "openid profile" } as const;
        const { tenant, personId } = await verifySignIn(io, { clientId, secretKey }, asked);
        if (!personId) throw refusedConsent("Microsoft's proof of the sign-in names no person");
        return { id: personId, workspaceId: tenant.toLowerCase() };
      },
    },
  },
});

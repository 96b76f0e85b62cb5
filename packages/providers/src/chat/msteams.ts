// Microsoft Teams: through the webhook of a channel (a workflow, or the incoming webhook it replaces), or as a bot, to
// channels and people. The bot's credentials: portal.azure.com, the Azure Bot's app registration; the app with the bot has
// to be installed in the team or for the person first. A person is named by the id Teams gives the bot or by the Entra id.
// Bot API: https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-api-reference
// Webhooks: https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook

import { targetOf } from "../chat.ts";
import { secret, text } from "../credentials.ts";
import { byStatus, type ErrorClasses, type Outcome, refused, rejected, retry, SendFault } from "../outcome.ts";
import { withOverrides } from "../overrides.ts";
import { defineProvider } from "../provider.ts";
import { type HttpReply, type HttpRequest, post, textAt } from "../request.ts";
import { buyToken, cacheKey, harmless, withToken } from "../token.ts";

// Where a bot speaks first, before any message has told it the address of its region.
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

const card = (said: string) => {
  const $schema = "http://adaptivecards.io/schemas/adaptive-card.json";
  const body = [{ type: "TextBlock", text: said, wrap: true }];
  const content = { $schema, type: "AdaptiveCard", version: "1.4", body };
  return { type: "message", attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", content }] };
};

const read = (reply: HttpReply): Outcome => {
  // An incoming webhook answers 200 also when Teams refused, and tells the status in words.
  const status = /returned HTTP error (\d{3})/.exec(reply.text)?.[1];
  if (status) return refused({ ...reply, status: Number(status) }, undefined, {});
  const id = textAt(reply.json, "activityId") ?? textAt(reply.json, "id");
  return byStatus(reply, id, { code: textAt(reply.json, "error", "code"), classes });
};

type Values = { readonly [K in "clientId" | "secretKey" | "tenantId"]?: string };

const botOf = ({ clientId, secretKey, tenantId }: Values) => {
  if (clientId && secretKey && tenantId) return { clientId, secretKey, tenantId };
  const reason =
    "clientId, secretKey and tenantId are needed to write to Teams as a bot; without them only webhooks work";
  throw new SendFault(rejected("config", reason));
};

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
      const request = post(message.target.webhookUrl, { json: card(message.text) });
      return read(await io.http(withOverrides(request, message)));
    }
    const { clientId, secretKey, tenantId } = botOf(credentials);
    const scope = "https://api.botframework.com/.default";
    const form = { grant_type: "client_credentials", client_id: clientId, client_secret: secretKey, scope };
    const login = `https://login.microsoftonline.com/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`;
    const buy = () => buyToken(io, post(login, { form }));
    const key = cacheKey("msteams", clientId, secretKey, tenantId);
    const call = ({ headers, ...request }: HttpRequest): Promise<HttpReply> =>
      withToken(io, key, buy, (token) =>
        io.http({ ...request, headers: { authorization: `Bearer ${token}`, ...headers } }),
      );
    const activity = { type: "message", text: message.text };
    const tenant = { id: tenantId };
    if (message.target.kind === "channel") {
      // A post in a channel is a conversation of its own: it is opened with its first message.
      const channelData = { channel: { id: message.target.channel }, tenant };
      const json = { isGroup: true, channelData, activity };
      return read(await call(withOverrides(post(conversations, { json }), message, ["activity"])));
    }
    const { user } = targetOf(message, "user");
    const people = { bot: { id: `28:${clientId}` }, members: [{ id: user }] };
    const json = { isGroup: false, ...people, channelData: { tenant }, tenantId };
    const opened = await harmless(call(post(conversations, { json })));
    if (opened.status >= 300) return read(opened);
    const id = textAt(opened.json, "id");
    if (!id) return retry("Teams opened the conversation without naming it");
    const url = `${conversations}/${encodeURIComponent(id)}/activities`;
    return read(await call(withOverrides(post(url, { json: activity }), message)));
  },
});

import { createSign, generateKeyPairSync } from "node:crypto";
import { messageId, providerCase, redirectUri } from "../../case.ts";

const tenantId = "197231ae-1209-4018-a012-0d01c0a1b2c3";
const clientId = "10112aa0-d812-4109-8c1a-0a1b2c3d4e5f";
const token = {
  method: "POST",
  url: `https://login.microsoftonline.com/${tenantId}/oauth2/v2.0/token`,
  form: {
    grant_type: "client_credentials",
    client_id: clientId,
    client_secret: "teams-s3cret-value",
    scope: "https://api.botframework.com/.default",
  },
  reply: { status: 200, body: { token_type: "Bearer", expires_in: 3599, access_token: "eyJ.access" } },
};
const conversations = "https://smba.trafficmanager.net/teams/v3/conversations";
const headers = { authorization: "Bearer eyJ.access" };
const opened = {
  method: "POST",
  url: conversations,
  headers,
  json: {
    isGroup: false,
    bot: { id: `28:${clientId}` },
    members: [{ id: "29:012d20j1cjo20211" }],
    channelData: { tenant: { id: tenantId } },
    tenantId,
  },
  reply: { status: 201, body: { id: "a:17I0kl8EkpE1O9PH5TWrzrL/c" } },
};
const activities = {
  method: "POST",
  url: `${conversations}/a%3A17I0kl8EkpE1O9PH5TWrzrL%2Fc/activities`,
  headers,
  json: { type: "message", text: "Hi" },
};
const message = {
  id: messageId,
  channel: "chat" as const,
  target: { kind: "user" as const, user: "29:012d20j1cjo20211" },
  text: "Hi",
};
const webhookUrl = "https://example.webhook.office.com/webhookb2/s3cret-webhook/IncomingWebhook/abc";

function card(text: string) {
  return {
    type: "message",
    attachments: [
      {
        contentType: "application/vnd.microsoft.card.adaptive",
        content: {
          $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
          type: "AdaptiveCard",
          version: "1.4",
          body: [{ type: "TextBlock", text, wrap: true }],
        },
      },
    ],
  };
}

const throughWebhook = {
  message: { ...message, target: { kind: "webhook" as const, webhookUrl }, text: "Grüße **Ada** 🎉" },
  request: { method: "POST", url: webhookUrl, json: card("Grüße **Ada** 🎉") },
};
const ownCard = { type: "AdaptiveCard", version: "1.5", body: [{ type: "TextBlock", text: "Build 7 is green" }] };
const attached = {
  type: "message",
  attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", content: ownCard }],
};
const toChannel = {
  message: {
    ...message,
    target: { kind: "channel" as const, channel: "19:ba9feb7470794dbeab58e3f72ef20a6e@thread.skype", team: "t1" },
    extra: { importance: "high" },
  },
  request: [
    token,
    {
      method: "POST",
      url: conversations,
      headers,
      json: {
        isGroup: true,
        channelData: {
          channel: { id: "19:ba9feb7470794dbeab58e3f72ef20a6e@thread.skype" },
          tenant: { id: tenantId },
        },
        activity: { type: "message", text: "Hi", importance: "high" },
      },
    },
  ] as [typeof token, Omit<typeof opened, "json" | "reply"> & { json: object }],
};
const error = (status: number, code: string) => ({ status, body: { error: { code, message: code } } });

// A bot for several organisations does not belong to one: the connection says which one is meant.
const customer = "72f988bf-86f1-41af-91ab-2d7cd011db47";
const shared = { clientId, secretKey: "teams-s3cret-value" };
const toCustomer = {
  message: { ...message, target: { ...message.target, accessToken: "app-only", workspace: customer } },
  request: [
    { ...token, url: "https://login.microsoftonline.com/botframework.com/oauth2/v2.0/token" },
    { ...opened, json: { ...opened.json, channelData: { tenant: { id: customer } }, tenantId: customer } },
    activities,
  ] as [typeof token, typeof opened, typeof activities],
};

// https://learn.microsoft.com/entra/identity-platform/v2-admin-consent
const consented = {
  ...token,
  url: `https://login.microsoftonline.com/${tenantId}/oauth2/v2.0/token`,
  form: { ...token.form, scope: "https://graph.microsoft.com/.default" },
};
const unauthorized = (error_description: string) => ({
  status: 400,
  body: { error: "unauthorized_client", error_description },
});

// https://learn.microsoft.com/entra/identity-platform/v2-protocols-oidc: a token signed as Microsoft does, for the state "st".
const organizations = "https://login.microsoftonline.com/organizations";
const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const stranger = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const claims = {
  iss: `https://login.microsoftonline.com/${customer}/v2.0`,
  aud: clientId,
  tid: customer,
  exp: Date.parse("2026-01-02T04:04:05Z") / 1000,
  // The SHA-256 of "st".
  nonce: "Vq9L3nCkeufQ8euzDkXtM2Fl1cnsALqakjEeM6QlbXQ",
};

function idToken(changes: object = {}, key = privateKey) {
  const unsigned = `${part({ alg: "RS256", typ: "JWT", kid: "k1" })}.${part({ ...claims, ...changes })}`;
  return `${unsigned}.${createSign("sha256").update(unsigned).sign(key, "base64url")}`;
}

function signIn(token: string, scope = "openid") {
  return {
    method: "POST",
    url: `${organizations}/oauth2/v2.0/token`,
    form: {
      grant_type: "authorization_code",
      client_id: clientId,
      client_secret: "teams-s3cret-value",
      code: "c0de-1",
      redirect_uri: redirectUri,
      scope,
    },
    reply: { status: 200, body: { token_type: "Bearer", expires_in: 3599, access_token: "eyJ", id_token: token } },
  };
}

const keys = {
  method: "GET",
  url: `${organizations}/discovery/v2.0/keys`,
  reply: { status: 200, body: { keys: [{ ...publicKey.export({ format: "jwk" }), kid: "k1", use: "sig" }] } },
};
const signedIn = { state: "st", code: "c0de-1" };
const forged: [name: string, token: string][] = [
  ["signed by a stranger", idToken({}, stranger)],
  ["not signed at all", `${part({ alg: "none" })}.${part(claims)}.`],
  ["of another app", idToken({ aud: tenantId })],
  ["of another issuer", idToken({ iss: `https://login.microsoftonline.com/${tenantId}/v2.0` })],
  ["for another request", idToken({ nonce: "other" })],
  ["without a nonce", idToken({ nonce: undefined })],
  ["that has expired", idToken({ exp: Date.parse("2026-01-02T03:00:00Z") / 1000 })],
  ["of a personal account", idToken({ tid: undefined })],
  ["that is none", "eyJ"],
];

const failures = [
  {
    reply: error(403, "BotNotInConversationRoster"),
    outcome: { kind: "impossible" as const, reason: /no longer a member/ },
  },
  { reply: error(404, "ConversationNotFound"), outcome: { kind: "impossible" as const, reason: /does not find/ } },
  { reply: error(412, "PreconditionFailed"), outcome: { kind: "failed" as const, canRetry: true } },
  { reply: error(403, "BotDisabledByAdmin"), outcome: { kind: "failed" as const, canRetry: false } },
];

export default providerCase({
  id: "msteams",
  docs: "https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-api-reference#conversation-operations",
  credentials: { clientId, secretKey: "teams-s3cret-value", tenantId },
  minimal: { message, request: [token, opened, activities] },
  rich: {
    message: { ...message, text: "Grüße **Ada** 🎉", extra: { textFormat: "markdown", attachments: [{ name: "a" }] } },
    request: [
      token,
      opened,
      {
        ...activities,
        json: { type: "message", text: "Grüße **Ada** 🎉", textFormat: "markdown", attachments: [{ name: "a" }] },
      },
    ],
  },
  accepted: { reply: { status: 201, body: { id: "1655900000000" } }, providerMessageId: "1655900000000" },
  more: [
    {
      message: { ...throughWebhook.message, text: JSON.stringify(ownCard, null, 2) },
      request: { ...throughWebhook.request, json: attached },
      accepted: { reply: { status: 200, body: "1" } },
    },
    {
      message: { ...message, text: JSON.stringify(ownCard) },
      request: [token, opened, { ...activities, json: attached }],
      accepted: { reply: { status: 201, body: { id: "1655900000000" } }, providerMessageId: "1655900000000" },
    },
    {
      // JSON, but no card: a text like any other.
      message: { ...throughWebhook.message, text: '{"type":"note"}' },
      request: { ...throughWebhook.request, json: card('{"type":"note"}') },
      accepted: { reply: { status: 200, body: "1" } },
    },
    {
      ...toChannel,
      accepted: {
        reply: {
          status: 201,
          body: { id: "19:ba9f@thread.skype;messageid=1481567603816", activityId: "1481567603816" },
        },
        providerMessageId: "1481567603816",
      },
    },
    {
      ...toCustomer,
      credentials: shared,
      accepted: { reply: { status: 201, body: { id: "1655900000001" } }, providerMessageId: "1655900000001" },
    },
    { ...throughWebhook, credentials: {}, accepted: { reply: { status: 200, body: "1" } } },
    { ...throughWebhook, credentials: {}, accepted: { reply: { status: 202, body: "" } } },
  ],
  errors: [
    {
      name: "a wrong client secret",
      at: 0,
      reply: { status: 401, body: { error: "invalid_client", error_description: "AADSTS7000215" } },
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "a person without the app",
      at: 1,
      reply: error(403, "ForbiddenOperationException"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    { name: "a conversation without a name", at: 1, reply: { status: 201, body: {} }, outcome: { kind: "retry" } },
    {
      name: "a person who blocked the bot",
      reply: error(403, "ConversationBlockedByUser"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a bot that was removed",
      reply: error(403, "BotNotInConversationRoster"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a bot the administrator switched off",
      reply: error(403, "BotDisabledByAdmin"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "a bot without a registration",
      reply: error(401, "BotNotRegistered"),
      outcome: { kind: "rejected", class: "auth" },
    },
    { name: "a bad activity", reply: error(400, "BadSyntax"), outcome: { kind: "rejected", class: "content" } },
    {
      name: "a message that is too big",
      reply: error(413, "MessageSizeTooBig"),
      outcome: { kind: "rejected", class: "content" },
    },
    { name: "a collision", reply: error(412, "PreconditionFailed"), outcome: { kind: "retry" } },
    {
      name: "throttling",
      reply: { ...error(429, "Throttled"), headers: { "retry-after": "5" } },
      outcome: { kind: "retry", afterMs: 5000 },
    },
    {
      name: "a throttled webhook, told with 200",
      sending: throughWebhook,
      reply: {
        status: 200,
        body: "Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429 with ContextId tcid=0",
      },
      outcome: { kind: "retry" },
    },
    {
      name: "a card the webhook does not take, told with 200",
      sending: throughWebhook,
      reply: {
        status: 200,
        body: "Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 413 with ContextId tcid=0",
      },
      outcome: { kind: "rejected", class: "content" },
    },
    {
      name: "a webhook that was removed",
      sending: throughWebhook,
      reply: { status: 404, body: "" },
      outcome: { kind: "rejected", class: "recipient" },
    },
  ],
  quirks: {
    gone: { 404: { kind: "rejected", class: "recipient" }, 410: { kind: "rejected", class: "recipient" } },
    because: "what is called is the conversation with one person",
  },
  // https://learn.microsoft.com/microsoftteams/platform/bots/how-to/update-and-delete-bot-messages
  unsends: [
    {
      name: "deletes a message to a person",
      sent: { content: message, providerMessageId: "1:activity/7" },
      unsending: { kind: "delete" },
      calls: [token, opened, { method: "DELETE", url: `${activities.url}/1%3Aactivity%2F7`, headers }],
      outcomes: [
        { reply: { status: 200, body: "" }, outcome: { kind: "deleted" } },
        { reply: error(404, "ActivityNotFoundInConversation"), outcome: { kind: "deleted" } },
        { reply: error(403, "ConversationBlockedByUser"), at: 1, outcome: { kind: "impossible" } },
        ...failures,
      ],
    },
    {
      name: "changes a post in a channel",
      sent: { content: toChannel.message, providerMessageId: "1595371000000" },
      unsending: {
        kind: "replace",
        content: { ...toChannel.message, text: JSON.stringify(ownCard), extra: { importance: "low" } },
      },
      calls: [
        token,
        {
          method: "PUT",
          url:
            `${conversations}/19%3Aba9feb7470794dbeab58e3f72ef20a6e%40thread.skype%3Bmessageid%3D1595371000000` +
            "/activities/1595371000000",
          headers,
          json: { ...attached, importance: "low" },
        },
      ],
      outcomes: [
        {
          reply: { status: 200, body: { id: "1595371000000" } },
          outcome: { kind: "replaced", providerMessageId: "1595371000000" },
        },
        {
          reply: error(404, "ActivityNotFoundInConversation"),
          outcome: { kind: "impossible", reason: /no longer exists/ },
        },
        { reply: error(413, "MessageSizeTooBig"), outcome: { kind: "failed", canRetry: false } },
        ...failures,
      ],
    },
    {
      name: "leaves what came through a webhook",
      sent: { content: throughWebhook.message, providerMessageId: "1" },
      unsending: { kind: "delete" },
      calls: [],
      outcomes: [{ reply: { status: 200 }, outcome: { kind: "impossible", reason: /through a webhook/ } }],
    },
    {
      name: "refuses an id that leaves the path",
      sent: { content: toChannel.message, providerMessageId: ".." },
      unsending: { kind: "delete" },
      calls: [],
      outcomes: [{ reply: { status: 200 }, outcome: { kind: "impossible" } }],
    },
  ],
  oauth: {
    address:
      `https://login.microsoftonline.com/${tenantId}/v2.0/adminconsent?client_id=${clientId}&scope=a+b` +
      `&redirect_uri=${encodeURIComponent(redirectUri)}&state=st`,
    connections: [
      {
        name: "an organisation",
        brought: {
          tenant: tenantId.toUpperCase(),
          admin_consent: "True",
          scope: "https://graph.microsoft.com/.default",
        },
        calls: [{ ...consented, url: consented.url.replace(tenantId, tenantId.toUpperCase()) }],
        access: { workspace: { id: tenantId }, auth: { accessToken: "app-only" } },
      },
      {
        name: "an organisation that Microsoft knows nothing of, or not yet",
        brought: { tenant: tenantId, admin_consent: "True" },
        calls: [{ ...consented, reply: unauthorized("AADSTS700016: Application was not found in the directory") }],
        refused: { reason: /AADSTS700016/, isTemporary: true },
      },
      {
        name: "a wrong client secret",
        brought: { tenant: tenantId, admin_consent: "True" },
        calls: [{ ...consented, reply: unauthorized("AADSTS7000215: Invalid client secret provided") }],
        refused: { reason: /AADSTS7000215/, isTemporary: false },
      },
      {
        name: "another organisation than the integration's",
        brought: { tenant: customer, admin_consent: "True" },
        calls: [],
        refused: { reason: /another organisation/, isTemporary: false },
      },
      {
        name: "any organisation, where the integration has none: the person has to sign in",
        credentials: shared,
        brought: { tenant: customer, admin_consent: "True", state: "st" },
        calls: [],
        next:
          `${organizations}/oauth2/v2.0/authorize?client_id=${clientId}&response_type=code&response_mode=query` +
          `&scope=openid&redirect_uri=${encodeURIComponent(redirectUri)}&state=st&nonce=${claims.nonce}`,
      },
      {
        name: "the organisation of the person who signed in, whatever the address says beside",
        credentials: shared,
        brought: { ...signedIn, tenant: tenantId, admin_consent: "True" },
        calls: [signIn(idToken()), keys, { ...consented, url: consented.url.replace(tenantId, customer) }],
        access: { workspace: { id: customer }, auth: { accessToken: "app-only" } },
      },
      {
        name: "the organisation of the person who signed in, which has not consented",
        credentials: shared,
        brought: signedIn,
        calls: [
          signIn(idToken()),
          keys,
          {
            ...consented,
            url: consented.url.replace(tenantId, customer),
            reply: unauthorized("AADSTS700016: Application was not found in the directory"),
          },
        ],
        refused: { reason: /AADSTS700016/, isTemporary: true },
      },
      ...forged.map(([name, token]) => ({
        name: `a proof ${name}`,
        credentials: shared,
        brought: signedIn,
        calls: [signIn(token), keys],
        refused: { reason: /proof of the sign-in is not valid/, isTemporary: false },
      })),
      {
        name: "a code where the integration has an organisation of its own",
        brought: signedIn,
        calls: [],
        refused: { reason: /has consented/, isTemporary: false },
      },
      {
        name: "keys that cannot be read now",
        credentials: shared,
        brought: signedIn,
        calls: [signIn(idToken()), { ...keys, reply: { status: 503, body: "" } }],
        refused: { reason: /keys of Microsoft/, isTemporary: true },
      },
      ...[
        { tenant: tenantId },
        { tenant: tenantId, admin_consent: "False" },
        { admin_consent: "True" },
        { tenant: "../common", admin_consent: "True" },
      ].map((brought) => ({
        name: JSON.stringify(brought),
        brought,
        calls: [],
        refused: { reason: /has consented/, isTemporary: false },
      })),
    ],
    personAddress:
      `${organizations}/oauth2/v2.0/authorize?client_id=${clientId}&response_type=code&response_mode=query` +
      `&scope=openid+profile&redirect_uri=${encodeURIComponent(redirectUri)}&state=st&nonce=${claims.nonce}`,
    people: [
      {
        name: "a person of an organisation",
        brought: signedIn,
        calls: [signIn(idToken({ oid: "person-1" }), "openid profile"), keys],
        person: { id: "person-1", workspaceId: customer },
      },
      {
        name: "a proof that names no user",
        brought: signedIn,
        calls: [signIn(idToken(), "openid profile"), keys],
        refused: { reason: /names no person/, isTemporary: false },
      },
      { name: "nothing", brought: {}, calls: [], refused: { reason: /no code/, isTemporary: false } },
    ],
  },
});

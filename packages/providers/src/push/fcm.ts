// Firebase Cloud Messaging, HTTP v1. Credentials: Firebase console, Project settings, Service accounts, "Generate new
// private key"; the whole file is the credential. Apps report what happened to a push with `tidingsMessageId`. An
// override `type: "data"` creates a message without a notification, whose text the app finds in its data. API:
// https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages/send Codes:
// https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode A removal is a data message, which the app has to act
// on: data.tidings is {"remove": "<message id>"} as text.

import type { JsonObject } from "@tidings/contract";
import { secretText } from "../kit/credentials.ts";
import type { Cached, Io } from "../kit/io.ts";
import { loadJose } from "../kit/libraries.ts";
import type { PushMessage } from "../kit/message.ts";
import { type Outcome, rejected, SendError } from "../kit/outcome.ts";
import { toApiNames } from "../kit/override-names.ts";
import { withOverrides } from "../kit/overrides.ts";
import { defineProvider } from "../kit/provider.ts";
import { asReplacement, collapseId, removalOf, textDataOf, topicOf } from "../kit/push.ts";
import { fcmDataMembers, fcmMembers } from "../kit/push-members.ts";
import { genericReceipts } from "../kit/receipts.ts";
import { byStatus, type ErrorClasses, type HttpReply, textAt, valueAt } from "../kit/reply.ts";
import { post } from "../kit/request.ts";
import { cacheKey, fetchToken, withToken } from "../kit/token.ts";

const tokenUrl = "https://oauth2.googleapis.com/token";

const classes: ErrorClasses = {
  UNREGISTERED: "dead-token",
  INVALID_TOKEN: "dead-token",
  SENDER_ID_MISMATCH: "recipient",
  THIRD_PARTY_AUTH_ERROR: "config",
  QUOTA_EXCEEDED: "retry",
  // Without an FCM code it is the project that was not found.
  NOT_FOUND: "config",
};

const configFault = (reason: string): SendError => new SendError(rejected("config", reason));

function parseAccount(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw configFault("serviceAccount is not JSON: it takes the whole key file of the Firebase service account");
  }
}

function readAccount(text: string) {
  const account = parseAccount(text);
  const member = (name: string): string => {
    const value = textAt(account, name);
    if (!value) throw configFault(`serviceAccount has no ${name}: it takes the whole key file of the service account`);
    return value;
  };
  return { project: member("project_id"), email: member("client_email"), privateKey: member("private_key") };
}

async function buyAccess(io: Io, { email, privateKey }: ReturnType<typeof readAccount>): Promise<Cached<string>> {
  const { importPKCS8, SignJWT } = loadJose();
  const key = await importPKCS8(privateKey, "RS256").catch(() => {
    throw configFault("The private_key in serviceAccount is not a private key in PEM format");
  });
  const now = Math.floor(io.now().getTime() / 1000);
  const assertion = await new SignJWT({ scope: "https://www.googleapis.com/auth/firebase.messaging" })
    .setProtectedHeader({ alg: "RS256", typ: "JWT" })
    .setIssuer(email)
    .setAudience(tokenUrl)
    .setIssuedAt(now)
    .setExpirationTime(now + 3600)
    .sign(key);
  const form = { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion };
  return fetchToken(io, post(tokenUrl, { form }));
}

function read(reply: HttpReply): Outcome {
  const said = [0, 1, 2].map((index) => textAt(reply.json, "error", "details", index, "errorCode")).find(Boolean);
  const isBadToken = /registration token is not a valid/i.test(textAt(reply.json, "error", "message") ?? "");
  const code = isBadToken ? "INVALID_TOKEN" : (said ?? textAt(reply.json, "error", "status"));
  return byStatus(reply, textAt(reply.json, "name"), { code, classes });
}

/**
 * What the message shows, or what its data gives the app, with the overrides that go with it. A later push with the
 * same tags replaces the notification. Android's collapse_key is left to the overrides: of messages with different
 * keys, Google keeps four for a device that is offline.
 */
function contentOf(message: PushMessage, shown: PushMessage = message) {
  const { title, body } = message;
  const { type = "notification", ...members } = message.extra ?? {};
  if (type !== "notification" && type !== "data") {
    throw new SendError(rejected("content", 'The override type of Firebase must be "notification" or "data"'));
  }
  const extra = toApiNames(members, type === "data" ? fcmDataMembers : fcmMembers);
  const tag = collapseId(shown);
  const apns = { headers: { "apns-collapse-id": tag } };
  const isNamed = Object.keys(valueAt(extra, "webpush", "headers") ?? {}).some((name) => /^topic$/i.test(name));
  const topic = isNamed ? undefined : topicOf(shown);
  const webpush = topic ? { headers: { Topic: topic } } : {};
  const data = textDataOf(message);
  if (type === "data") return { content: { data: { ...data, title, body, message: body }, apns, webpush }, extra };
  const android = { notification: { tag } };
  const notification = { title, body };
  return { content: { notification, data, android, apns, webpush: { ...webpush, notification: { tag } } }, extra };
}

type Shown = { content: object; extra: JsonObject };

async function show(message: PushMessage, { content, extra }: Shown, serviceAccount: string, io: Io): Promise<Outcome> {
  const account = readAccount(serviceAccount);
  const json = { message: { token: message.token, ...content } };
  const url = `https://fcm.googleapis.com/v1/projects/${encodeURIComponent(account.project)}/messages:send`;
  const { headers, ...request } = withOverrides(post(url, { json }), { ...message, extra }, ["message"]);
  const key = cacheKey("fcm", serviceAccount);
  const call = (access: string) => io.http({ ...request, headers: { authorization: `Bearer ${access}`, ...headers } });
  return read(await withToken(io, key, () => buyAccess(io, account), call));
}

export default defineProvider({
  id: "fcm",
  channel: "push",
  name: "Firebase Cloud Messaging",
  docs: "https://firebase.google.com/docs/cloud-messaging/send/v1-api",
  help: "In the Firebase console, Project settings, Service accounts, generate a new private key and paste the whole file.",
  credentials: { serviceAccount: secretText("Service Account (entire JSON file)") },
  // 4096 bytes for the whole payload: a longer text cannot fit.
  limits: { text: 4096 },
  send: async (message, { serviceAccount }, io) => show(message, contentOf(message), serviceAccount, io),
  unsend: {
    replace: async (sent, content, { serviceAccount }, io) => {
      const next = asReplacement(sent, content);
      return show(next, contentOf(next, sent.content), serviceAccount, io);
    },
    remove: ({ content: message }, { serviceAccount }, io) => {
      const headers = { "apns-push-type": "background", "apns-priority": "5", "apns-collapse-id": collapseId(message) };
      const topic = topicOf(message);
      const content = {
        data: { tidings: JSON.stringify(removalOf(message).tidings) },
        apns: { headers, payload: { aps: { "content-available": 1 } } },
        ...(topic ? { webpush: { headers: { Topic: topic } } } : {}),
      };
      return show({ ...message, passthrough: {} }, { content, extra: {} }, serviceAccount, io);
    },
  },
  check: async ({ serviceAccount }, io) => {
    await buyAccess(io, readAccount(serviceAccount));
    return { ok: true };
  },
  receipts: genericReceipts("push"),
});

// Apple Push Notification service, over HTTP/2 with a signed token. Credentials: developer.apple.com, Certificates,
// Identifiers & Profiles, Keys (the .p8 file and its Key ID); the Team ID is under Membership. `secure` selects
// production: builds from the App Store and TestFlight register there, builds from Xcode in the sandbox. API:
// https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns Codes:
// https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns
//
// Every push has a collapse id, so that a later one replaces its notification. A removal is a background push, which
// the app has to act on: https://developer.apple.com/documentation/usernotifications/pushing-background-updates-to-your-app

import { destination, flag, secret, secretText, text } from "../kit/credentials.ts";
import type { Io } from "../kit/io.ts";
import { loadJose } from "../kit/libraries.ts";
import type { Message, PushMessage } from "../kit/message.ts";
import { rejected, SendError } from "../kit/outcome.ts";
import { withOverrides } from "../kit/overrides.ts";
import { defineProvider } from "../kit/provider.ts";
import { asReplacement, collapseId, dataOf, removalOf, unsendId } from "../kit/push.ts";
import { apnsMembers, partApnsMembers } from "../kit/push-members.ts";
import { genericReceipts } from "../kit/receipts.ts";
import { byStatus, type ErrorClasses, textAt } from "../kit/reply.ts";
import { post } from "../kit/request.ts";
import { cacheKey } from "../kit/token.ts";

// Apple takes a token for an hour and refuses to see new ones more often than every 20 minutes.
const tokenMs = 50 * 60_000;

// A token is gone when Apple says so (410). A bad one may be a good one of the other environment, and would be lost to
// a switch that was forgotten.
const classes: ErrorClasses = {
  BadDeviceToken: "recipient",
  ExpiredToken: "dead-token",
  Unregistered: "dead-token",
  DeviceTokenNotForTopic: "recipient",
  BadTopic: "config",
  MissingTopic: "config",
  TopicDisallowed: "config",
  BadEnvironmentKeyIdInToken: "config",
  UnrelatedKeyIdInToken: "config",
  ExpiredProviderToken: "retry",
  IdleTimeout: "retry",
};

type Signer = {
  secretKey: string;
  apiKey: string;
  projectName: string;
};

async function signToken({ secretKey, apiKey, projectName }: Signer, now: Date): Promise<string> {
  // A key that came through an environment variable often has its line breaks written out.
  const { importPKCS8, SignJWT } = loadJose();
  const key = await importPKCS8(secretKey.replaceAll("\\n", "\n").trim(), "ES256").catch(() => {
    throw new SendError(rejected("config", "secretKey is not the private key of APNs: paste the whole .p8 file"));
  });
  return new SignJWT()
    .setProtectedHeader({ alg: "ES256", kid: apiKey })
    .setIssuer(projectName)
    .setIssuedAt(Math.floor(now.getTime() / 1000))
    .sign(key);
}

type Overrides = Pick<Message, "extra" | "passthrough">;
type Push = { token: string; headers: Record<string, string>; json: object };
type Credentials = Signer & { applicationId: string; secure?: boolean };

/** Calls Apple. `overrides` are those of the message. */
async function call({ token, headers, json }: Push, overrides: Overrides, credentials: Credentials, io: Io) {
  const { secretKey, apiKey, projectName, applicationId, secure } = credentials;
  const key = cacheKey("apns", secretKey, apiKey, projectName);
  const signed = await io.cached(key, async () => {
    const now = io.now();
    return { value: await signToken(credentials, now), expiresAt: new Date(now.getTime() + tokenMs) };
  });
  const host = secure ? "api.push.apple.com" : "api.sandbox.push.apple.com";
  const request = post(`https://${host}/3/device/${encodeURIComponent(token)}`, {
    headers: { authorization: `bearer ${signed}`, "apns-topic": applicationId, ...headers },
    json,
  });
  const reply = await io.http2(withOverrides(request, overrides));
  const code = textAt(reply.json, "reason") ?? (reply.status === 410 ? "Unregistered" : undefined);
  if (code === "ExpiredProviderToken") io.forget(key);
  return byStatus(reply, reply.headers["apns-id"], { code, classes });
}

function show(message: PushMessage, ids: { id: string; collapse: string }, credentials: Credentials, io: Io) {
  const own = partApnsMembers(message.extra ?? {});
  const headers = {
    "apns-id": ids.id,
    "apns-push-type": "alert",
    "apns-priority": "10",
    "apns-collapse-id": ids.collapse,
    ...own.headers,
  };
  const json = { ...dataOf(message), aps: { alert: { title: message.title, body: message.body } } };
  const { passthrough } = message;
  return call({ token: message.token, headers, json }, { extra: own.payload, passthrough }, credentials, io);
}

export default defineProvider({
  id: "apns",
  channel: "push",
  name: "APNs",
  docs: "https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns",
  help: "Create a key for APNs at developer.apple.com, under Keys; switch Production on for builds from the App Store.",
  credentials: {
    secretKey: secretText("Private Key"),
    apiKey: secret("Key ID"),
    projectName: text("Team ID"),
    applicationId: text("Bundle ID"),
    secure: destination(flag("Production")),
  },
  // 4096 bytes for the whole payload: a longer text cannot fit.
  limits: { text: 4096 },
  overrideNames: apnsMembers,
  send: (message, credentials, io) => show(message, { id: message.id, collapse: collapseId(message) }, credentials, io),
  unsend: {
    replace: (sent, content, credentials, io) => {
      const ids = { id: unsendId(content, "replace"), collapse: collapseId(sent.content) };
      return show(asReplacement(sent, content), ids, credentials, io);
    },
    // With the collapse id, it also replaces a notification that still waits for the device.
    remove: ({ content }, credentials, io) => {
      const headers = {
        "apns-id": unsendId(content, "remove"),
        "apns-push-type": "background",
        "apns-priority": "5",
        "apns-collapse-id": collapseId(content),
      };
      const json = { aps: { "content-available": 1 }, ...removalOf(content) };
      return call({ token: content.token, headers, json }, {}, credentials, io);
    },
  },
  receipts: genericReceipts("push"),
});

// Apple Push Notification service, over HTTP/2 with a signed token. Credentials: developer.apple.com, Certificates,
// Identifiers & Profiles, Keys (the .p8 file and its Key ID); the Team ID is under Membership. `secure` selects
// production: builds from the App Store and TestFlight register there, builds from Xcode in the sandbox. API:
// https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns Codes:
// https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns

import { destination, flag, secret, secretText, text } from "../kit/credentials.ts";
import { loadJose } from "../kit/libraries.ts";
import { rejected, SendError } from "../kit/outcome.ts";
import { withOverrides } from "../kit/overrides.ts";
import { defineProvider } from "../kit/provider.ts";
import { dataOf } from "../kit/push.ts";
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
  send: async (message, credentials, io) => {
    const { secretKey, apiKey, projectName, applicationId, secure } = credentials;
    const key = cacheKey("apns", secretKey, apiKey, projectName);
    const token = await io.cached(key, async () => {
      const now = io.now();
      return { value: await signToken(credentials, now), expiresAt: new Date(now.getTime() + tokenMs) };
    });
    const own = partApnsMembers(message.extra ?? {});
    const host = secure ? "api.push.apple.com" : "api.sandbox.push.apple.com";
    const request = post(`https://${host}/3/device/${encodeURIComponent(message.token)}`, {
      headers: {
        authorization: `bearer ${token}`,
        "apns-id": message.id,
        "apns-topic": applicationId,
        "apns-push-type": "alert",
        "apns-priority": "10",
        ...own.headers,
      },
      json: { ...dataOf(message), aps: { alert: { title: message.title, body: message.body } } },
    });
    const reply = await io.http2(withOverrides(request, { ...message, extra: own.payload }));
    const code = textAt(reply.json, "reason") ?? (reply.status === 410 ? "Unregistered" : undefined);
    if (code === "ExpiredProviderToken") io.forget(key);
    return byStatus(reply, reply.headers["apns-id"], { code, classes });
  },
  receipts: genericReceipts("push"),
});

// Web Push, straight to the push services of the browsers, without a provider between. The device token is the
// browser's PushSubscription as JSON. The push carries {title, body, data}, encrypted for that browser alone; the
// site's service worker shows it and may report back with `tidingsMessageId`. Credentials: a VAPID key pair, whose
// public half the site subscribes with, and an address under which the push services can reach you. RFC 8030
// (protocol), RFC 8291 (encryption), RFC 8292 (VAPID)

import { secret, text } from "../kit/credentials.ts";
import type { Io } from "../kit/io.ts";
import { loadWebPush } from "../kit/libraries.ts";
import type { PushMessage } from "../kit/message.ts";
import { type Outcome, rejected, SendError } from "../kit/outcome.ts";
import { withOverrides } from "../kit/overrides.ts";
import { defineProvider } from "../kit/provider.ts";
import { asReplacement, collapseId, dataOf, removalOf, topicOf } from "../kit/push.ts";
import { genericReceipts } from "../kit/receipts.ts";
import { byStatus, type ErrorClasses, textAt } from "../kit/reply.ts";
import { post } from "../kit/request.ts";

// How long a push waits for a browser that is not running: four weeks, the most that all push services allow.
const ttl = String(28 * 24 * 3600);

const classes: ErrorClasses = { 404: "dead-token", 410: "dead-token" };

/** A new pair of keys, in the form in which browsers and credentials hold them. */
export function makeVapidKeys(): { publicKey: string; privateKey: string } {
  return loadWebPush().generateVAPIDKeys();
}

type Subscription = {
  endpoint: string;
  keys: { p256dh: string; auth: string };
};

function readSubscription(token: string): Subscription {
  const given = parse(token);
  const [endpoint = "", p256dh = "", auth = ""] = [
    textAt(given, "endpoint"),
    textAt(given, "keys", "p256dh"),
    textAt(given, "keys", "auth"),
  ];
  const bytes = (key: string): number => Buffer.from(key, "base64url").length;
  if (URL.parse(endpoint)?.protocol !== "https:" || bytes(p256dh) !== 65 || bytes(auth) !== 16) {
    const reason = "The device token is not a PushSubscription as JSON: {endpoint, keys: {p256dh, auth}}";
    throw new SendError(rejected("recipient", reason));
  }
  return { endpoint, keys: { p256dh, auth } };
}

function parse(token: string): unknown {
  try {
    return JSON.parse(token);
  } catch {
    return undefined;
  }
}

type Vapid = Readonly<Record<"subject" | "publicKey" | "privateKey", string>>;

/** The library's part: the body encrypted for one browser, and the header that proves who sent it. */
function encrypt(subscription: Subscription, body: string, vapidDetails: Vapid) {
  try {
    return loadWebPush().generateRequestDetails(subscription, body, { vapidDetails });
  } catch (error) {
    throw new SendError(rejected("config", `subject, publicKey or privateKey is wrong: ${(error as Error).message}`));
  }
}

/** `shown` is the message whose place the push takes, `members` are added to what it carries. */
async function push(
  message: PushMessage,
  { shown = message, members = {} }: { shown?: PushMessage; members?: object },
  vapid: Vapid,
  io: Io,
): Promise<Outcome> {
  const subscription = readSubscription(message.token);
  const { title, body } = message;
  // A push that waits replaces one with the same topic, so a repeat is not shown twice.
  const request = withOverrides(
    post(subscription.endpoint, {
      headers: { ttl, urgency: "normal", topic: topicOf(shown) },
      json: { title, body, data: dataOf(message), ...members },
    }),
    message,
  );
  const { headers, body: encrypted } = encrypt(subscription, String(request.body), vapid);
  const own = { "content-type": "application/octet-stream", "content-encoding": "aes128gcm" };
  const authorization = String(headers.Authorization);
  const reply = await io.http({
    ...request,
    headers: { ...request.headers, ...own, authorization },
    body: new Uint8Array(encrypted ?? []),
  });
  return byStatus(reply, reply.headers.location, { code: String(reply.status), classes });
}

export default defineProvider({
  id: "web-push",
  channel: "push",
  name: "Web Push",
  docs: "https://www.rfc-editor.org/rfc/rfc8030",
  help: "A VAPID key pair of your own, and a mailto: or https: address where push services can reach you.",
  credentials: {
    publicKey: text("VAPID public key"),
    privateKey: secret("VAPID private key"),
    subject: text("Contact (mailto: or https:)"),
  },
  // 4096 bytes after encryption, of which 103 are not the text.
  limits: { text: 3993 },
  send: async (message, vapid, io) => push(message, {}, vapid, io),
  unsend: {
    replace: async (sent, content, vapid, io) => {
      const { content: shown } = sent;
      return push(asReplacement(sent, content), { shown, members: { tag: collapseId(shown) } }, vapid, io);
    },
    // Browsers demand that every push is shown: a worker that does not know removals shows this title.
    remove: async ({ content }, vapid, io) => {
      const { id, token, extra } = content;
      const tag = typeof extra?.tag === "string" ? extra.tag : id;
      const notice: PushMessage = { id, channel: "push", token, title: "Notification withdrawn", body: "" };
      return push(notice, { members: { tag, silent: true, ...removalOf(content) } }, vapid, io);
    },
  },
  receipts: genericReceipts("push"),
});

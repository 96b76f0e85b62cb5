// Expo push service, for apps built with Expo. Credentials: expo.dev, account settings, Access tokens. The ticket that
// comes back says that Expo took the push. What Apple or Google did with it is known to the app and to Expo's push
// receipts, which are not asked for: that takes a second call, 15 minutes later. A device that is gone is therefore
// forgotten only when Expo says so in a ticket. API: https://docs.expo.dev/push-notifications/sending-notifications/
// A removal is a push without a title and a text, which wakes the app to act on data.tidings. Documentation seen: it
// does not say what a collapseId does on Android, so pushes have none and cannot be replaced.

import { secret } from "../kit/credentials.ts";
import { accepted, type Outcome } from "../kit/outcome.ts";
import { defineProvider } from "../kit/provider.ts";
import { dataOf, removalOf } from "../kit/push.ts";
import { expoMembers } from "../kit/push-members.ts";
import { genericReceipts } from "../kit/receipts.ts";
import { byStatus, type ErrorClasses, failureByCode, type HttpReply, textAt, unreadable } from "../kit/reply.ts";
import { post } from "../kit/request.ts";

const classes: ErrorClasses = {
  DeviceNotRegistered: "dead-token",
  MessageRateExceeded: "retry",
  ProviderError: "retry",
  MismatchSenderId: "config",
  InvalidCredentials: "config",
  "not a token": "recipient",
};

const address = "https://exp.host/--/api/v2/push/send";

function read(reply: HttpReply): Outcome {
  if (reply.status >= 300) {
    const isBadToken = /valid Expo push token/i.test(textAt(reply.json, "errors", 0, "message") ?? "");
    return byStatus(reply, undefined, { code: isBadToken ? "not a token" : undefined, classes });
  }
  // One message returns one ticket, a list returns a list.
  const ticket = (member: string) => textAt(reply.json, "data", member) ?? textAt(reply.json, "data", 0, member);
  if (ticket("status") === "ok") return accepted(ticket("id"));
  if (ticket("status") !== "error") return unreadable(reply);
  const code = textAt(reply.json, "data", "details", "error") ?? textAt(reply.json, "data", 0, "details", "error");
  return failureByCode(reply, code, classes);
}

export default defineProvider({
  id: "expo",
  channel: "push",
  name: "Expo Push",
  docs: "https://docs.expo.dev/push-notifications/sending-notifications/",
  help: "Create an access token at expo.dev, in the settings of the account, under Access tokens.",
  credentials: { apiKey: secret("Access Token") },
  // 4096 bytes for the whole payload: a longer text cannot fit.
  limits: { text: 4096, perSecond: 600 },
  request: (message, { apiKey }) =>
    post(address, {
      bearer: apiKey,
      json: { to: message.token, title: message.title, body: message.body, data: dataOf(message) },
    }),
  overrideNames: expoMembers,
  read,
  unsend: {
    remove: async ({ content }, { apiKey }, io) => {
      const json = { to: content.token, data: removalOf(content), _contentAvailable: true };
      return read(await io.http(post(address, { bearer: apiKey, json })));
    },
  },
  receipts: genericReceipts("push"),
});

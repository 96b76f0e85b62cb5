// OneSignal. Credentials: dashboard.onesignal.com, Settings, Keys & IDs. The device token is a subscription id (once
// called player id) or, with the addressing model externalId, the id your app gave the user. API:
// https://documentation.onesignal.com/reference/push-notification

import { choice, secret, text } from "../kit/credentials.ts";
import { accepted, rejected } from "../kit/outcome.ts";
import { defineProvider } from "../kit/provider.ts";
import { dataOf, deliveryId } from "../kit/push.ts";
import { oneSignalMembers } from "../kit/push-members.ts";
import { genericReceipts } from "../kit/receipts.ts";
import { byStatus, checkByStatus, type ErrorClasses, failureByCode, textAt, unreadable } from "../kit/reply.ts";
import { get, post } from "../kit/request.ts";

const api = "https://api.onesignal.com";

// Devices that are not there, or that are no longer subscribed: these come back under the same id, so no token is
// dropped.
const invalid: ErrorClasses = {
  invalid_player_ids: "recipient",
  invalid_subscription_ids: "recipient",
  invalid_aliases: "recipient",
  invalid_external_user_ids: "recipient",
};

const authorization = (apiKey: string): string => `Key ${apiKey}`;

export default defineProvider({
  id: "one-signal",
  channel: "push",
  name: "OneSignal",
  docs: "https://documentation.onesignal.com/reference/push-notification",
  help: "App ID and App API Key are in the OneSignal dashboard, under Settings, Keys & IDs.",
  credentials: {
    applicationId: text("Application ID"),
    apiKey: secret("API Key"),
    apiVersion: choice("Addressing model", ["playerModel", "externalId"], { optional: true }),
  },
  request: (message, { applicationId, apiKey, apiVersion }) => {
    const to =
      apiVersion === "externalId"
        ? { include_aliases: { external_id: [message.token] } }
        : { include_subscription_ids: [message.token] };
    return post(`${api}/notifications`, {
      query: { c: "push" },
      headers: { authorization: authorization(apiKey) },
      json: {
        app_id: applicationId,
        ...to,
        target_channel: "push",
        headings: { en: message.title },
        contents: { en: message.body },
        data: dataOf(message),
        idempotency_key: deliveryId(message),
      },
    });
  },
  overrideNames: oneSignalMembers,
  read: (reply) => {
    if (reply.status >= 300) {
      const code = /\bapp_id\b/.test(textAt(reply.json, "errors", 0) ?? "") ? "app_id" : undefined;
      return byStatus(reply, undefined, { code, classes: { app_id: "config" } });
    }
    const { id, errors } = (reply.json ?? {}) as { id?: unknown; errors?: unknown };
    // The push has one recipient: whatever is said to be invalid is that one.
    const fault = Object.keys(errors ?? {}).find((name) => Object.hasOwn(invalid, name));
    if (fault) return failureByCode(reply, fault, invalid);
    if (typeof id === "string" && id !== "") return accepted(id);
    // An empty id means that no notification was created, because no device is subscribed.
    return id === "" ? rejected("recipient", `OneSignal: ${textAt(errors, 0) ?? "not subscribed"}`) : unreadable(reply);
  },
  unsend: "OneSignal can only cancel notifications that are scheduled and not yet sent",
  check: async ({ applicationId, apiKey }, io) => {
    const headers = { authorization: authorization(apiKey) };
    const query = { app_id: applicationId, limit: 1 };
    return checkByStatus(await io.http(get(`${api}/notifications`, { query, headers })));
  },
  receipts: genericReceipts("push"),
});

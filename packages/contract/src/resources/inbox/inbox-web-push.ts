// Push to the browser of the subscriber whose token a request has: the key to subscribe with, and which browsers are
// subscribed.
import { operation } from "../../operation.ts";
import { named, Type } from "../../schema.ts";
import { secret } from "../../secrets.ts";
import { inboxErrors } from "./inbox-notifications.ts";

/** Browsers per subscriber. An additional one replaces the oldest. */
export const maxBrowsers = 20;

const endpointHash = Type.String({
  pattern: "^[0-9a-f]{64}$",
  description: "Hex SHA-256 of the `endpoint` of a PushSubscription",
});

const errors = [...inboxErrors, "INTEGRATION_NOT_FOUND"] as const;

const WebPush = named("InboxWebPush", {
  publicKey: Type.String({ description: "VAPID public key, for `applicationServerKey` of `pushManager.subscribe`" }),
  browsers: Type.Array(endpointHash, { description: "The subscriber's browsers" }),
});
const answer = named("InboxWebPushAnswer", { data: WebPush });

export const inboxWebPushOperations = {
  "inbox.retrieveWebPush": operation({
    id: "inbox.retrieveWebPush",
    method: "GET",
    path: "/v1/inbox/web-push",
    summary: "Retrieve the key for push to the subscriber's browser",
    description:
      "The public key of the active Web Push integration, and the subscribed browsers as hashes: their addresses are " +
      "never shown. Returns 404 `INTEGRATION_NOT_FOUND` if the environment has no such integration.",
    category: "inbox",
    access: "inbox",
    success: { status: 200, schema: answer },
    errors,
  }),
  "inbox.subscribeWebPush": operation({
    id: "inbox.subscribeWebPush",
    method: "POST",
    path: "/v1/inbox/web-push/browsers",
    summary: "Subscribe the subscriber's browser to push",
    description:
      "The body is a PushSubscription as `JSON.stringify` writes it. The same `endpoint` is stored once, with its newest " +
      `keys. A subscriber has at most ${maxBrowsers} browsers: an additional one replaces the oldest.`,
    category: "inbox",
    access: "inbox",
    body: named("InboxPushSubscriptionIn", {
      endpoint: Type.String({
        minLength: 1,
        maxLength: 2_000,
        description: "An HTTPS address of a push service",
        ...secret("none"),
      }),
      expirationTime: Type.Optional(Type.Union([Type.Number(), Type.Null()], { description: "Not used" })),
      keys: named("InboxPushKeys", {
        p256dh: Type.String({ maxLength: 200, description: "A point of P-256, base64url", ...secret("none") }),
        auth: Type.String({ maxLength: 100, description: "16 bytes, base64url", ...secret("none") }),
      }),
    }),
    success: { status: 200, schema: answer },
    errors,
  }),
  "inbox.unsubscribeWebPush": operation({
    id: "inbox.unsubscribeWebPush",
    method: "DELETE",
    path: "/v1/inbox/web-push/browsers/{endpointHash}",
    summary: "Unsubscribe the subscriber's browser from push",
    description: "A browser that is not subscribed is not an error.",
    category: "inbox",
    access: "inbox",
    params: Type.Object({ endpointHash }),
    success: { status: 204 },
    errors: inboxErrors,
  }),
};

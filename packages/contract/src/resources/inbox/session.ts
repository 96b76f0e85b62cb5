// The session of an inbox: a token for the browser of one subscriber.
import { operation } from "../../operation.ts";
import { isoTime, named, Type } from "../../schema.ts";
import { secret } from "../../secrets.ts";
import { Schedule } from "../subscribers/preferences.ts";
import { SubscriberIn } from "../subscribers/subscribers.ts";
import { ContextMap } from "../topics/contexts.ts";

const severityCount = Type.Integer({ description: "Counted up to 100" });

const InboxSession = named("InboxSession", {
  token: Type.String({ description: "For `Authorization: Bearer <token>`; valid for 7 days" }),
  totalUnreadCount: severityCount,
  unreadCount: named("InboxUnreadCount", {
    total: severityCount,
    severity: named("InboxUnreadBySeverity", {
      high: severityCount,
      medium: severityCount,
      low: severityCount,
      none: severityCount,
    }),
  }),
  removeNovuBranding: Type.Boolean({ description: "Always true: widgets of other vendors hide their footer" }),
  isDevelopmentMode: Type.Boolean({ description: "Whether the environment is one for development" }),
  maxSnoozeDurationHours: Type.Integer(),
  applicationIdentifier: Type.String(),
  contextKeys: Type.Array(Type.String(), { description: "Sorted `<type>:<id>` keys of the session" }),
  theme: Type.Optional(
    Type.Unsafe<Record<string, string>>({
      type: "object",
      additionalProperties: { type: "string" },
      description:
        "The brand of the session's contexts or environment as values of CSS variables, by name without `--tidings-`; " +
        "absent without a brand",
    }),
  ),
});

const hash = (of: string) =>
  Type.Optional(
    Type.String({ maxLength: 200, description: `Hex HMAC-SHA256 of ${of} under an API key of the environment` }),
  );

export const inboxSessionOperations = {
  "inbox.openSession": operation({
    id: "inbox.openSession",
    method: "POST",
    path: "/v1/inbox/session",
    summary: "Open a session for a subscriber's inbox",
    description:
      "With a valid `subscriberHash`, and without one in development environments, the subscriber is created or updated. " +
      "In production the hash is required (`TIDINGS_INBOX_REQUIRE_HASH`).",
    category: "inbox",
    limits: ["inbox"],
    access: "open",
    body: named("InboxSessionIn", {
      applicationIdentifier: Type.String({
        minLength: 1,
        maxLength: 255,
        description: "Identifier or id of the environment",
      }),
      subscriber: SubscriberIn,
      subscriberHash: hash("`subscriber.subscriberId`"),
      context: Type.Optional(ContextMap),
      contextHash: hash("the canonical JSON (members in order, without spaces) of `context`"),
      defaultSchedule: Type.Optional(Schedule),
    }),
    success: { status: 201, schema: named("InboxSessionAnswer", { data: InboxSession }) },
    errors: [
      "ENVIRONMENT_NOT_FOUND",
      "SUBSCRIBER_NOT_FOUND",
      "SUBSCRIBER_BEING_ERASED",
      "INBOX_HASH_MISSING",
      "INBOX_HASH_WRONG",
      "ORIGIN_NOT_ALLOWED",
    ],
  }),
  "inbox.createToken": operation({
    id: "inbox.createToken",
    method: "POST",
    path: "/v2/inbox/tokens",
    summary: "Create a token for a subscriber's inbox",
    description:
      "For pages that get their token from your server. It is valid for 15 minutes; create a new one after that.",
    category: "configuration",
    body: named("InboxTokenIn", {
      subscriberId: Type.String({ minLength: 1 }),
      context: Type.Optional(ContextMap),
    }),
    success: {
      status: 201,
      schema: named("InboxToken", {
        token: Type.String(secret("editor")),
        expiresAt: isoTime("When the token expires"),
      }),
    },
    errors: ["SUBSCRIBER_NOT_FOUND"],
  }),
};

import { createSign, generateKeyPairSync } from "node:crypto";
import { messageId, providerCase } from "../../case.ts";

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const account = {
  type: "service_account",
  project_id: "example-app",
  private_key_id: "a1b2c3",
  private_key: pem,
  client_email: "sender@example-app.iam.gserviceaccount.com",
  token_uri: "https://oauth2.googleapis.com/token",
};

// By the letter of https://developers.google.com/identity/protocols/oauth2/service-account#authorizingrequests
const now = "2026-01-02T03:04:05Z";
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const iat = Date.parse(now) / 1000;
const claims = {
  scope: "https://www.googleapis.com/auth/firebase.messaging",
  iss: account.client_email,
  aud: "https://oauth2.googleapis.com/token",
  iat,
  exp: iat + 3600,
};
const unsigned = `${part({ alg: "RS256", typ: "JWT" })}.${part(claims)}`;
const assertion = `${unsigned}.${createSign("RSA-SHA256").update(unsigned).sign(privateKey, "base64url")}`;

const token = {
  method: "POST",
  url: "https://oauth2.googleapis.com/token",
  form: { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion },
};
const bought = { ...token, reply: { status: 200, body: { access_token: "ya29.access", expires_in: 3599 } } };

function expected(message: object) {
  return {
    method: "POST",
    url: "https://fcm.googleapis.com/v1/projects/example-app/messages:send",
    headers: { authorization: "Bearer ya29.access" },
    json: { message },
  };
}

function error(code: number, status: string, errorCode?: string, message = "Said") {
  return {
    status: code,
    body: {
      error: {
        code,
        message,
        status,
        details: errorCode ? [{ "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", errorCode }] : [],
      },
    },
  };
}

/** What a later push replaces the notification by. */
const collapsed = {
  android: { notification: { tag: messageId } },
  apns: { headers: { "apns-collapse-id": messageId } },
  webpush: { headers: { Topic: messageId.replaceAll("-", "") }, notification: { tag: messageId } },
};
const message = {
  id: messageId,
  channel: "push" as const,
  token: "bk3RNwTe3H0:CI2k_HHwg",
  title: "Hi",
  body: "There",
};
const sent = { content: message, providerMessageId: "projects/example-app/messages/1" };
const shown = { status: 200, body: { name: "projects/example-app/messages/2" } };
const failures = [
  { reply: error(404, "NOT_FOUND", "UNREGISTERED"), outcome: { kind: "impossible" as const, reason: /UNREGISTERED/ } },
  {
    reply: { status: 400, body: { error: "invalid_grant" } },
    at: 0,
    outcome: { kind: "failed" as const, canRetry: false },
  },
];

export default providerCase({
  id: "fcm",
  docs: "https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages/send",
  credentials: { serviceAccount: JSON.stringify(account) },
  now,
  minimal: {
    message: { id: messageId, channel: "push", token: "bk3RNwTe3H0:CI2k_HHwg", title: "Hi", body: "There" },
    request: [
      bought,
      expected({
        token: "bk3RNwTe3H0:CI2k_HHwg",
        notification: { title: "Hi", body: "There" },
        data: { tidingsMessageId: messageId },
        ...collapsed,
      }),
    ],
  },
  rich: {
    message: {
      id: messageId,
      channel: "push",
      token: "bk3RNwTe3H0:CI2k_HHwg",
      title: "Grüße 🎉",
      body: "Ada & Bob",
      data: { url: "https://example.com/?a=1", count: 3, nested: { a: [true] } },
      extra: { android: { priority: "HIGH" }, notification: { image: "https://example.com/i.png" } },
      passthrough: { body: { validate_only: true } },
    },
    request: [
      bought,
      {
        ...expected({}),
        json: {
          message: {
            token: "bk3RNwTe3H0:CI2k_HHwg",
            notification: { title: "Grüße 🎉", body: "Ada & Bob", image: "https://example.com/i.png" },
            data: {
              url: "https://example.com/?a=1",
              count: "3",
              nested: '{"a":[true]}',
              tidingsMessageId: messageId,
            },
            ...collapsed,
            android: { ...collapsed.android, priority: "HIGH" },
          },
          validate_only: true,
        },
      },
    ],
  },
  accepted: {
    reply: { status: 200, body: { name: "projects/example-app/messages/0:1500415314455276%31bd1c9631bd1c96" } },
    providerMessageId: "projects/example-app/messages/0:1500415314455276%31bd1c9631bd1c96",
  },
  errors: [
    {
      name: "an unregistered token",
      reply: error(404, "NOT_FOUND", "UNREGISTERED", "Requested entity was not found."),
      outcome: { kind: "dead-token" },
    },
    {
      name: "a text that is no token",
      reply: error(
        400,
        "INVALID_ARGUMENT",
        "INVALID_ARGUMENT",
        "The registration token is not a valid FCM registration token",
      ),
      outcome: { kind: "dead-token" },
    },
    {
      name: "a bad field",
      reply: error(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT", "Invalid value at 'message.data[0].value'"),
      outcome: { kind: "rejected", class: "content" },
    },
    {
      name: "the token of another project",
      reply: error(403, "PERMISSION_DENIED", "SENDER_ID_MISMATCH"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "an account without the permission",
      reply: error(403, "PERMISSION_DENIED"),
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "an unknown project",
      reply: error(404, "NOT_FOUND"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "missing APNs keys",
      reply: error(401, "UNAUTHENTICATED", "THIRD_PARTY_AUTH_ERROR"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "a used up quota",
      reply: { ...error(429, "RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED"), headers: { "retry-after": "60" } },
      outcome: { kind: "retry", afterMs: 60_000 },
    },
    { name: "an overloaded server", reply: error(503, "UNAVAILABLE", "UNAVAILABLE"), outcome: { kind: "retry" } },
    {
      name: "a revoked key",
      at: 0,
      reply: { status: 400, body: { error: "invalid_grant", error_description: "Invalid JWT Signature." } },
      outcome: { kind: "rejected", class: "auth" },
    },
  ],
  check: {
    request: token,
    ok: bought.reply,
    bad: { status: 400, body: { error: "invalid_grant", error_description: "Invalid JWT Signature." } },
  },
  unsends: [
    {
      name: "asks the app to remove the notification",
      sent,
      unsending: { kind: "delete" },
      calls: [
        bought,
        expected({
          token: "bk3RNwTe3H0:CI2k_HHwg",
          data: { tidings: JSON.stringify({ remove: messageId }) },
          apns: {
            headers: { "apns-push-type": "background", "apns-priority": "5", "apns-collapse-id": messageId },
            payload: { aps: { "content-available": 1 } },
          },
          webpush: { headers: { Topic: messageId.replaceAll("-", "") } },
        }),
      ],
      outcomes: [{ reply: shown, outcome: { kind: "removal_sent" } }, ...failures],
    },
    {
      name: "replaces the notification",
      sent: { ...sent, content: { ...message, extra: { tag: "orders" } } },
      unsending: { kind: "replace", content: { ...message, title: "Corrected" } },
      calls: [
        bought,
        expected({
          token: "bk3RNwTe3H0:CI2k_HHwg",
          notification: { title: "Corrected", body: "There" },
          data: { tidingsMessageId: messageId },
          ...collapsed,
          android: { notification: { tag: "orders" } },
          webpush: { ...collapsed.webpush, notification: { tag: "orders" } },
        }),
      ],
      outcomes: [
        { reply: shown, outcome: { kind: "replaced", providerMessageId: "projects/example-app/messages/2" } },
        ...failures,
      ],
    },
  ],
  receipts: [
    {
      name: "an app that reports",
      json: { tidingsMessageId: messageId, status: "opened", date: "2026-01-02T03:04:05Z" },
      expected: [{ messageId, status: "opened", date: new Date("2026-01-02T03:04:05Z") }],
    },
  ],
});

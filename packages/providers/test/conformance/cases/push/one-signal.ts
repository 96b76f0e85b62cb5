import { messageId, providerCase } from "../../case.ts";

const token = "1dd608f2-c6a1-11e3-851d-000c2940e62c";
const target = {
  method: "POST",
  url: "https://api.onesignal.com/notifications?c=push",
  headers: { authorization: "Key os_v2_app_s3cret" },
};
const credentials = { applicationId: "5eb5a37e-b458-11e3-ac11-000c2940e62c", apiKey: "os_v2_app_s3cret" };

function content(title: string, body: string) {
  return {
    app_id: credentials.applicationId,
    target_channel: "push",
    headings: { en: title },
    contents: { en: body },
    // The first 16 bytes of the SHA-256 of "<message id>\n<token>", marked as a UUID of version 4.
    idempotency_key: "56c83a3b-3f26-48e4-a6b1-0252fe4481c2",
  };
}

const message = { id: messageId, channel: "push" as const, token, title: "Hi", body: "There" };
const data = { tidingsMessageId: messageId };
const accepted = {
  reply: { status: 200, body: { id: "b98881cc-1e94-4366-bbd9-db8f3429292b", external_id: null } },
  providerMessageId: "b98881cc-1e94-4366-bbd9-db8f3429292b",
};
const answer = (status: number, body: object) => ({ status, body });

export default providerCase({
  id: "one-signal",
  docs: "https://documentation.onesignal.com/reference/push-notification",
  credentials,
  minimal: {
    message,
    request: { ...target, json: { ...content("Hi", "There"), include_subscription_ids: [token], data } },
  },
  rich: {
    message: {
      ...message,
      title: "Grüße 🎉",
      body: "Ada & Bob",
      data: { url: "https://example.com/?a=1" },
      extra: { headings: { de: "Grüße" }, ios_badgeType: "Increase", ios_badgeCount: 1 },
    },
    request: {
      ...target,
      json: {
        ...content("Grüße 🎉", "Ada & Bob"),
        headings: { en: "Grüße 🎉", de: "Grüße" },
        include_subscription_ids: [token],
        data: { url: "https://example.com/?a=1", ...data },
        ios_badgeType: "Increase",
        ios_badgeCount: 1,
      },
    },
  },
  accepted,
  more: [
    {
      message,
      credentials: { ...credentials, apiVersion: "externalId" },
      request: { ...target, json: { ...content("Hi", "There"), include_aliases: { external_id: [token] }, data } },
      accepted,
    },
  ],
  errors: [
    {
      name: "a subscription that is unknown or switched off",
      reply: answer(200, { id: "", errors: { invalid_player_ids: [token] } }),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a user that is unknown",
      reply: answer(200, { id: "b15ba6e5", errors: { invalid_aliases: { external_id: [token] } } }),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "no device subscribed",
      reply: answer(200, { id: "", errors: ["All included players are not subscribed"] }),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "an unknown app",
      reply: answer(400, { errors: ["app_id not found"] }),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "a bad field",
      reply: answer(400, { errors: ["Message Notifications must have English language content"] }),
      outcome: { kind: "rejected", class: "content" },
    },
    {
      name: "a wrong key",
      reply: answer(403, { errors: ["Access denied.  Please include an 'Authorization: ...' header"] }),
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "the rate limit",
      reply: { ...answer(429, { errors: ["API rate limit exceeded"] }), headers: { "retry-after": "3" } },
      outcome: { kind: "retry", afterMs: 3000 },
    },
    {
      name: "a fault of theirs",
      reply: answer(503, { errors: ["Service temporarily unavailable"] }),
      outcome: { kind: "retry" },
    },
  ],
  check: {
    request: {
      method: "GET",
      url: `https://api.onesignal.com/notifications?app_id=${credentials.applicationId}&limit=1`,
      headers: target.headers,
    },
    ok: answer(200, { total_count: 0, offset: 0, limit: 1, notifications: [] }),
    bad: answer(403, { errors: ["Access denied."] }),
  },
  receipts: [
    {
      name: "an app that reports",
      json: { tidingsMessageId: messageId, status: "clicked" },
      expected: [{ messageId, status: "clicked" }],
    },
  ],
  quirks: { invalidJson: "unknown", because: "refused recipients are answered with 200, so only the id can confirm" },
});

import { messageId, providerCase } from "../../case.ts";

const headers = { authorization: 'Token token="pushpad-s3cret-token"' };
const target = { method: "POST", url: "https://pushpad.xyz/api/v1/projects/123/notifications", headers };

export default providerCase({
  id: "pushpad",
  docs: "https://pushpad.xyz/docs/rest_api",
  credentials: { apiKey: "pushpad-s3cret-token", applicationId: "123" },
  minimal: {
    message: { id: messageId, channel: "push", token: "user-1", title: "Hi", body: "There" },
    request: {
      ...target,
      json: {
        notification: { title: "Hi", body: "There", custom_data: `{"tidingsMessageId":"${messageId}"}` },
        uids: ["user-1"],
      },
    },
  },
  rich: {
    message: {
      id: messageId,
      channel: "push",
      token: "user-1",
      title: "Grüße 🎉",
      body: "Ada & Bob",
      data: { order: 7 },
      extra: { target_url: "https://example.com/?a=1", ttl: 600 },
      passthrough: { body: { tags: ["vip"] } },
    },
    request: {
      ...target,
      json: {
        notification: {
          title: "Grüße 🎉",
          body: "Ada & Bob",
          custom_data: `{"order":7,"tidingsMessageId":"${messageId}"}`,
          target_url: "https://example.com/?a=1",
          ttl: 600,
        },
        uids: ["user-1"],
        tags: ["vip"],
      },
    },
  },
  accepted: {
    reply: { status: 201, body: { id: 197123, scheduled: 2, uids: ["user-1"] } },
    providerMessageId: "197123",
  },
  errors: [
    {
      name: "a user without a device",
      reply: { status: 201, body: { id: 197123, scheduled: 0, uids: [] } },
      outcome: { kind: "rejected", class: "recipient" },
    },
    { name: "a wrong token", reply: { status: 401, body: "" }, outcome: { kind: "rejected", class: "auth" } },
    { name: "an unpaid invoice", reply: { status: 402, body: "" }, outcome: { kind: "rejected", class: "quota" } },
    { name: "a missing permission", reply: { status: 403, body: "" }, outcome: { kind: "rejected", class: "auth" } },
    { name: "an unknown project", reply: { status: 404, body: "" }, outcome: { kind: "rejected", class: "config" } },
    {
      name: "a bad field",
      reply: { status: 422, body: { title: ["is too long"] } },
      outcome: { kind: "rejected", class: "content" },
    },
    { name: "the rate limit", reply: { status: 429, body: "" }, outcome: { kind: "retry" } },
  ],
  check: {
    request: { method: "GET", url: "https://pushpad.xyz/api/v1/projects/123", headers },
    ok: { status: 200, body: { id: 123, name: "Example" } },
    bad: { status: 401, body: "" },
  },
  receipts: [
    {
      name: "a site that reports",
      json: { tidingsMessageId: messageId, status: "clicked" },
      expected: [{ messageId, status: "clicked" }],
    },
  ],
});

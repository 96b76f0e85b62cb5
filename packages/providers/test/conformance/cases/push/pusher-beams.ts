import { messageId, providerCase } from "../../case.ts";

const id = "8f9a6e22-2483-49aa-8552-125f1a4c5781";
const target = {
  method: "POST",
  url: `https://${id}.pushnotifications.pusher.com/publish_api/v1/instances/${id}/publishes/users`,
  headers: { authorization: "Bearer C54D42FB7CD2D408-s3cret" },
};
const error = (status: number, name: string) => ({ status, body: { error: name, description: name } });

export default providerCase({
  id: "pusher-beams",
  docs: "https://pusher.com/docs/beams/reference/publish-api#publishing-a-notification-to-user-s",
  credentials: { instanceId: id, secretKey: "C54D42FB7CD2D408-s3cret" },
  minimal: {
    message: { id: messageId, channel: "push", token: "user-1", title: "Hi", body: "There" },
    request: {
      ...target,
      json: {
        users: ["user-1"],
        apns: { aps: { alert: { title: "Hi", body: "There" } }, tidingsMessageId: messageId },
        fcm: { notification: { title: "Hi", body: "There" }, data: { tidingsMessageId: messageId } },
        web: { notification: { title: "Hi", body: "There" }, data: { tidingsMessageId: messageId } },
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
      data: { count: 3 },
      extra: { web: { notification: { deep_link: "https://example.com/?a=1" } }, apns: { aps: { badge: 1 } } },
    },
    request: {
      ...target,
      json: {
        users: ["user-1"],
        apns: {
          aps: { alert: { title: "Grüße 🎉", body: "Ada & Bob" }, badge: 1 },
          count: 3,
          tidingsMessageId: messageId,
        },
        fcm: {
          notification: { title: "Grüße 🎉", body: "Ada & Bob" },
          data: { count: "3", tidingsMessageId: messageId },
        },
        web: {
          notification: { title: "Grüße 🎉", body: "Ada & Bob", deep_link: "https://example.com/?a=1" },
          data: { count: 3, tidingsMessageId: messageId },
        },
      },
    },
  },
  accepted: {
    reply: { status: 200, body: { publishId: "pubid-f4b7a1f0-55f2-4b1d-8e5a-c8c4a2b7d3f1" } },
    providerMessageId: "pubid-f4b7a1f0-55f2-4b1d-8e5a-c8c4a2b7d3f1",
  },
  errors: [
    { name: "a wrong key", reply: error(401, "Unauthorized"), outcome: { kind: "rejected", class: "auth" } },
    { name: "an unknown instance", reply: error(404, "Not found"), outcome: { kind: "rejected", class: "config" } },
    { name: "a bad payload", reply: error(422, "Bad request"), outcome: { kind: "rejected", class: "content" } },
    { name: "a payload too large", reply: error(413, "Too large"), outcome: { kind: "rejected", class: "content" } },
    { name: "a fault of theirs", reply: error(500, "Internal error"), outcome: { kind: "retry" } },
  ],
  receipts: [
    {
      name: "an app that reports",
      json: { tidingsMessageId: messageId, status: "opened" },
      expected: [{ messageId, status: "opened" }],
    },
  ],
});

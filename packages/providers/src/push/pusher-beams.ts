// Pusher Beams. Credentials: dashboard.pusher.com, the Beams instance, Keys. The device token is the id of an
// authenticated user; Beams knows the user's devices, so one publish carries the push for all platforms. API:
// https://pusher.com/docs/beams/reference/publish-api

import { destination, secret, text } from "../kit/credentials.ts";
import { rejected, SendError } from "../kit/outcome.ts";
import { defineProvider } from "../kit/provider.ts";
import { dataOf, textDataOf } from "../kit/push.ts";
import { beamsMembers } from "../kit/push-members.ts";
import { genericReceipts } from "../kit/receipts.ts";
import { byStatus, textAt } from "../kit/reply.ts";
import { post } from "../kit/request.ts";

export default defineProvider({
  id: "pusher-beams",
  channel: "push",
  name: "Pusher Beams",
  docs: "https://pusher.com/docs/beams/reference/publish-api",
  help: "Instance ID and secret key are in the Pusher dashboard, on the Keys page of the Beams instance.",
  credentials: { instanceId: destination(text("Instance ID")), secretKey: secret("Secret Key") },
  request: (message, { instanceId, secretKey }) => {
    // The id is part of the host name: anything but an id could lead the key to another host.
    if (!/^[\w-]+$/.test(instanceId)) {
      throw new SendError(rejected("config", "instanceId is not the id of a Beams instance, which is a UUID"));
    }
    const notification = { title: message.title, body: message.body };
    const host = `https://${instanceId}.pushnotifications.pusher.com`;
    return post(`${host}/publish_api/v1/instances/${instanceId}/publishes/users`, {
      bearer: secretKey,
      json: {
        users: [message.token],
        apns: { ...dataOf(message), aps: { alert: notification } },
        fcm: { notification, data: textDataOf(message) },
        web: { notification, data: dataOf(message) },
      },
    });
  },
  overrideNames: beamsMembers,
  read: (reply) => byStatus(reply, textAt(reply.json, "publishId")),
  receipts: genericReceipts("push"),
});

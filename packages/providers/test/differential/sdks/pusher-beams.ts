import { given, reasons, sdkCase } from "../case.ts";

export default sdkCase({
  id: "pusher-beams",
  channel: "push",
  send: async ({ token, title, body, data }, { instanceId = "", secretKey = "" }) => {
    const { default: PushNotifications } = await import("@pusher/push-notifications-server");
    const notification = { title, body };
    const texts = Object.entries(data).map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]);
    await new PushNotifications({ instanceId, secretKey }).publishToUsers([token], {
      apns: { ...data, aps: { alert: notification } },
      fcm: { notification, data: given(Object.fromEntries(texts)) },
      web: { notification, data: given(data) },
    });
  },
  differences: {
    "header x-pusher-library": "names the SDK",
    "body.*.tidingsMessageId": reasons.ownId,
    "body.*.data.tidingsMessageId": reasons.ownId,
  },
});

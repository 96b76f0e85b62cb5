import { given, reasons, sdkCase } from "../case.ts";

export default sdkCase({
  id: "one-signal",
  channel: "push",
  send: async ({ token, title, body, data }, { apiKey, applicationId = "" }) => {
    const { createConfiguration, DefaultApi, Notification } = await import("@onesignal/node-onesignal");
    const notification = Object.assign(new Notification(), {
      app_id: applicationId,
      include_subscription_ids: [token],
      target_channel: "push",
      headings: { en: title },
      contents: { en: body },
      data: given(data),
    });
    await new DefaultApi(createConfiguration({ restApiKey: apiKey })).createNotification(notification);
  },
  differences: {
    "header os-usage-data": "names the SDK",
    "query.c": "the documentation has it, the SDK does not",
    "body.idempotency_key": reasons.ownId,
    "body.data.tidingsMessageId": reasons.ownId,
  },
});

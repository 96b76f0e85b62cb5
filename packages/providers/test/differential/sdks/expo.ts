import { given, reasons, sdkCase } from "../case.ts";

export default sdkCase({
  id: "expo",
  channel: "push",
  send: async ({ token, title, body, data }, { apiKey }) => {
    const { Expo } = await import("expo-server-sdk");
    await new Expo({ accessToken: apiKey }).sendPushNotificationsAsync([{ to: token, title, body, data: given(data) }]);
  },
  // The SDK sends lists only, and expects a ticket for each.
  reply: { status: 200, body: { data: [{ status: "ok", id: "XXXXXXXX-XXXX-XXXX-XXXX-XXXXXXXXXXXX" }] } },
  moved: [{ from: "body.0", to: "body", because: "the SDK sends a list of pushes, we send one" }],
  differences: {
    "body.data.tidingsMessageId": reasons.ownId,
  },
});

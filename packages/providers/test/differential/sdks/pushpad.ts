import { reasons, sdkCase } from "../case.ts";

export default sdkCase({
  id: "pushpad",
  channel: "push",
  send: async ({ token, title, body, data }, { apiKey = "", applicationId }) => {
    const { default: Pushpad } = await import("pushpad");
    const pushpad = new Pushpad({ authToken: apiKey, projectId: Number(applicationId) });
    await pushpad.notification.create({ title, body, custom_data: JSON.stringify(data), uids: [token] });
  },
  moved: ["title", "body", "custom_data"].map((name) => ({
    from: `body.${name}`,
    to: `body.notification.${name}`,
    because: "the documentation has the content in this member, the SDK at the root since its version 2",
  })),
  differences: {
    "header authorization": "the documentation has the scheme Token, the SDK has Bearer since its version 2",
    "body.notification.custom_data": reasons.ownId,
  },
});

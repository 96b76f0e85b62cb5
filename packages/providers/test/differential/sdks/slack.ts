import { sdkCase } from "../case.ts";

export default sdkCase({
  id: "slack",
  channel: "chat",
  send: async ({ accessToken, channel, text }) => {
    const { WebClient } = await import("@slack/web-api");
    await new WebClient(accessToken).chat.postMessage({ channel, text });
  },
  differences: {
    "header content-type": "the method takes both; the SDK writes the same members as a form",
  },
});

import { reasons, sdkCase } from "../case.ts";

export default sdkCase({
  id: "messagebird",
  channel: "sms",
  send: async ({ from, to, text }, { accessKey = "" }) => {
    const { initClient } = await import("messagebird");
    const { messages } = initClient(accessKey);
    const params = { originator: from, recipients: [to.replace("+", "")], body: text, datacoding: "auto" as const };
    await new Promise<void>((resolve, reject) => {
      messages.create(params, (error) => (error ? reject(error) : resolve()));
    });
  },
  moved: [
    {
      from: "body.recipients",
      to: "body.recipients.0",
      because: "the SDK joins with commas what is documented as a list",
    },
  ],
  differences: {
    "body.reference": reasons.ownId,
  },
});

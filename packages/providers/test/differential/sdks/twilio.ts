import { sdkCase } from "../case.ts";

export default sdkCase({
  id: "twilio",
  channel: "sms",
  send: async ({ from, to, text }, { accountSid, token }) => {
    const { default: twilio } = await import("twilio");
    await twilio(accountSid, token).messages.create({ from, to, body: text });
  },
  differences: {
    "header accept-charset": "names the character set of the reply, which is UTF-8 anyway",
  },
});

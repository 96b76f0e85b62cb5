import { sdkCase } from "../case.ts";

export default sdkCase({
  id: "brevo-sms",
  channel: "sms",
  send: async ({ from, to, text }, { apiKey = "" }) => {
    const { BrevoClient } = await import("@getbrevo/brevo");
    await new BrevoClient({ apiKey }).transactionalSms.sendAsyncTransactionalSms({
      sender: from,
      recipient: to.replace("+", ""),
      content: text,
      type: "transactional",
      unicodeEnabled: !/^[ -~]*$/.test(text),
    });
  },
  differences: {},
});

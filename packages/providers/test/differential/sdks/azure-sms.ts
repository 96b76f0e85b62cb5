import { reasons, sdkCase } from "../case.ts";

export default sdkCase({
  id: "azure-sms",
  channel: "sms",
  send: async ({ from, to, text }, { accessKey = "" }) => {
    const { SmsClient } = await import("@azure/communication-sms");
    await new SmsClient(accessKey).send({ from, to: [to], message: text }, { enableDeliveryReport: true });
  },
  differences: {
    "body.smsRecipients.0.repeatabilityRequestId":
      "ours is our message id, the same on every attempt; theirs is new each time",
    "body.smsRecipients.0.repeatabilityFirstSent": "ours is the time of our message id, theirs that of the call",
    "body.smsSendOptions.tag": reasons.ownId,
  },
});

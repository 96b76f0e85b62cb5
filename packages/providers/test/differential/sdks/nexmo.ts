import { reasons, sdkCase } from "../case.ts";

export default sdkCase({
  id: "nexmo",
  channel: "sms",
  send: async ({ from, to, text }, { apiKey = "", secretKey = "" }) => {
    const { SMS, TypeEnum } = await import("@vonage/sms");
    const isPlain = /^[ -~]*$/.test(text);
    const type = isPlain ? TypeEnum.TEXT : TypeEnum.UNICODE;
    await new SMS({ apiKey, apiSecret: secretKey }).send({ from, to: to.replace("+", ""), text, type });
  },
  differences: {
    "header content-type": "the documentation has a form, the SDK writes the same members as JSON",
    "header authorization": "the documentation of the SMS API has the key among the members, the SDK in this header",
    "body.api_key": "see authorization",
    "body.api_secret": "see authorization",
    "body.client-ref": reasons.ownId,
  },
});

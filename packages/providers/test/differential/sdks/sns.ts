import { sdkCase } from "../case.ts";

const text = (StringValue: string) => ({ DataType: "String", StringValue });

export default sdkCase({
  id: "sns",
  channel: "sms",
  send: async (sms, { apiKey = "", secretKey = "", region }) => {
    const { PublishCommand, SNSClient } = await import("@aws-sdk/client-sns");
    const client = new SNSClient({ region, credentials: { accessKeyId: apiKey, secretAccessKey: secretKey } });
    const MessageAttributes = {
      "AWS.SNS.SMS.SMSType": text("Transactional"),
      "AWS.MM.SMS.OriginationNumber": text(sms.from),
    };
    await client.send(new PublishCommand({ PhoneNumber: sms.to, Message: sms.text, MessageAttributes }));
    client.destroy();
  },
  differences: {},
});

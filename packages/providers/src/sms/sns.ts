// Amazon SNS, SMS to a phone number. Credentials: an access key of an IAM user that may call sns:Publish. A message may
// name its sender: a number that belongs to the account, or a sender name. Overrides have the names of the API, message
// attributes as the SDKs take them: MessageAttributes: {<name>: {DataType, StringValue}}. Delivery is reported to
// CloudWatch only. API: https://docs.aws.amazon.com/sns/latest/api/API_Publish.html

import { awsHost, signAwsRequest, toAwsQuery } from "../kit/aws.ts";
import { destination, secret, text } from "../kit/credentials.ts";
import { defineProvider } from "../kit/provider.ts";
import { byStatus, checkByStatus, type ErrorClasses } from "../kit/reply.ts";
import { post } from "../kit/request.ts";

const classes: ErrorClasses = {
  PhoneNumber: "recipient",
  OptedOut: "recipient",
  IncompleteSignature: "auth",
  InvalidClientTokenId: "auth",
  RequestExpired: "config",
  Throttled: "retry",
  Throttling: "retry",
  ThrottlingException: "retry",
  RequestLimitExceeded: "retry",
  InternalError: "retry",
};

function attributes(from: string | undefined) {
  const text = (StringValue: string) => ({ DataType: "String", StringValue });
  const kind = { "AWS.SNS.SMS.SMSType": text("Transactional") };
  if (!from) return kind;
  return { ...kind, [/^\+?\d+$/.test(from) ? "AWS.MM.SMS.OriginationNumber" : "AWS.SNS.SMS.SenderID"]: text(from) };
}

// Asked for JSON, the service responds in another form than the documented one.
const headers = { accept: "application/xml" };

export default defineProvider({
  id: "sns",
  channel: "sms",
  name: "Amazon SNS",
  docs: "https://docs.aws.amazon.com/sns/latest/api/API_Publish.html",
  help: "Create an access key for an IAM user that is allowed sns:Publish, in the region your SMS are sent from.",
  credentials: {
    apiKey: secret("Access key ID"),
    secretKey: secret("Secret access key"),
    region: destination(text("AWS region")),
  },
  limits: { text: 1600 },
  request: (message, { region }) => {
    const content = { PhoneNumber: message.to, Message: message.text, MessageAttributes: attributes(message.from) };
    return post(`https://${awsHost("sns", region)}/`, {
      headers,
      json: { Action: "Publish", Version: "2010-03-31", ...content },
    });
  },
  overrideNames: { members: ["Subject", "MessageStructure", "MessageAttributes", "TargetArn", "TopicArn"] },
  sign: (request, credentials, now) => signAwsRequest(toAwsQuery(request), "sns", credentials, now),
  read: (reply) => {
    const tag = (name: string) => new RegExp(`<${name}>([^<]+)</${name}>`).exec(reply.text)?.[1];
    // An invalid parameter is named in the text only.
    const code = /PhoneNumber/.test(tag("Message") ?? "") ? "PhoneNumber" : tag("Code");
    return byStatus(reply, tag("MessageId"), { code, classes });
  },
  // Asks who the key belongs to, which every key is allowed to.
  check: async (credentials, io) => {
    const form = { Action: "GetCallerIdentity", Version: "2011-06-15" };
    const request = post(`https://${awsHost("sts", credentials.region)}/`, { headers, form });
    return checkByStatus(await io.http(await signAwsRequest(request, "sts", credentials, io.now())));
  },
});

// Amazon SNS, SMS to a phone number. Credentials: an access key of an IAM user that may call sns:Publish. A message may
// name its sender: a number that belongs to the account, or a sender name. Delivery is reported to CloudWatch only.
// API: https://docs.aws.amazon.com/sns/latest/api/API_Publish.html

import { awsHost, awsSigned } from "../aws.ts";
import { secret, text } from "../credentials.ts";
import { byStatus, checkByStatus, type ErrorClasses } from "../outcome.ts";
import { defineProvider } from "../provider.ts";
import { post } from "../request.ts";

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

const attributes = (from: string | undefined): Record<string, string> => {
  const named: [name: string, value: string][] = [["AWS.SNS.SMS.SMSType", "Transactional"]];
  if (from) named.push([/^\+?\d+$/.test(from) ? "AWS.MM.SMS.OriginationNumber" : "AWS.SNS.SMS.SenderID", from]);
  return Object.fromEntries(
    named.flatMap(([name, value], index) => {
      const entry = `MessageAttributes.entry.${index + 1}`;
      return [
        [`${entry}.Name`, name],
        [`${entry}.Value.DataType`, "String"],
        [`${entry}.Value.StringValue`, value],
      ];
    }),
  );
};

// Asked for JSON, the service answers in another form than the documented one.
const headers = { accept: "application/xml" };

export default defineProvider({
  id: "sns",
  channel: "sms",
  name: "Amazon SNS",
  docs: "https://docs.aws.amazon.com/sns/latest/api/API_Publish.html",
  help: "Create an access key for an IAM user that is allowed sns:Publish, in the region your SMS are sent from.",
  credentials: { apiKey: secret("Access key ID"), secretKey: secret("Secret access key"), region: text("AWS region") },
  limits: { text: 1600 },
  request: (message, { region }) => {
    const content = { PhoneNumber: message.to, Message: message.text, ...attributes(message.from) };
    return post(`https://${awsHost("sns", region)}/`, {
      headers,
      form: { Action: "Publish", Version: "2010-03-31", ...content },
    });
  },
  sign: (request, credentials, now) => awsSigned(request, "sns", credentials, now),
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
    return checkByStatus(await io.http(await awsSigned(request, "sts", credentials, io.now())));
  },
});

// Amazon SES. Credentials: an access key of an IAM user that may call ses:SendEmail. A configuration set is named by
// the integration's configurations or by the override ConfigurationSetName. Receipts come through an SNS topic
// (identity notifications, or an event destination of the configuration set) that delivers to us over HTTPS, without
// raw message delivery; the signing key is its ARN. Keys that were created for SMTP or for the older API may be limited
// to ses:SendRawEmail, which is not enough here. API:
// https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html

import { awsHost, signAwsRequest } from "../kit/aws.ts";
import { destination, secret, text } from "../kit/credentials.ts";
import { inlineContentId, nonEmpty, tagsOf } from "../kit/email.ts";
import { formatMailbox, type Mailbox, toMail } from "../kit/mail.ts";
import { defineProvider } from "../kit/provider.ts";
import { byStatus, checkByStatus, type ErrorClasses, type HttpReply, textAt } from "../kit/reply.ts";
import { base64, get, post } from "../kit/request.ts";
import { sesReceipts } from "./ses-receipts.ts";

const classes: ErrorClasses = {
  unverified: "config",
  quota: "quota",
  AccountSuspendedException: "auth",
  SendingPausedException: "config",
  MailFromDomainNotVerifiedException: "config",
  NotFoundException: "config",
  LimitExceededException: "quota",
  TooManyRequestsException: "retry",
};

const endpoint = (region: string, path: string): string => `https://${awsHost("email", region)}/v2/email/${path}`;
const utf8 = (Data: string) => ({ Data, Charset: "UTF-8" });

// SES takes printable ASCII; everything else as encoded words (RFC 2047), each of at most 75 characters.
const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);
const encoded = (text: string): string =>
  text
    .match(/.{1,11}/gsu)
    ?.map((part) => `=?UTF-8?B?${base64(part)}?=`)
    .join(" ") ?? "";

const mailbox = ({ name, address }: Mailbox): string =>
  isAscii(name) ? formatMailbox({ name, address }) : `${encoded(name)} <${address}>`;

// An empty value is refused.
const toHeaders = (headers: Record<string, string>) =>
  Object.entries(headers).flatMap(([Name, given]) =>
    given ? [{ Name, Value: isAscii(given) ? given : encoded(given) }] : [],
  );

// biome-ignore format: a list of names reads better in lines than in a column
const overrideNames = {
  members: [
    "ConfigurationSetName", "FromEmailAddressIdentityArn", "FeedbackForwardingEmailAddress",
    "FeedbackForwardingEmailAddressIdentityArn", "EndpointId", "TenantName", "EmailTags", "ReplyToAddresses",
    "ListManagementOptions.ContactListName", "ListManagementOptions.TopicName",
  ],
};

function codeOf(reply: HttpReply): string | undefined {
  const said = textAt(reply.json, "message") ?? "";
  if (/address(es)? (is|are) not verified|domain is not verified/i.test(said)) return "unverified";
  return /daily message quota/i.test(said) ? "quota" : reply.headers["x-amzn-errortype"]?.split(":")[0];
}

export default defineProvider({
  id: "ses",
  channel: "email",
  name: "Amazon SES",
  docs: "https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html",
  help: "Create an access key for an IAM user that is allowed ses:SendEmail, and verify the sender in SES, Identities.",
  credentials: {
    apiKey: secret("Access key ID"),
    secretKey: secret("Secret access key"),
    region: destination(text("Region")),
    from: text("From email address"),
    senderName: text("Sender name"),
  },
  // 40 MB for the whole mail, after base64.
  limits: { recipients: 50, attachmentBytes: 29_000_000 },
  takes: ["inline", "customData"],
  overrideNames,
  request: (message, { region }) => {
    const mail = toMail(message);
    const json = {
      FromEmailAddress: mailbox(mail.from),
      Destination: {
        ToAddresses: mail.to.map(mailbox),
        CcAddresses: nonEmpty(mail.cc.map(mailbox)),
        BccAddresses: nonEmpty(mail.bcc.map(mailbox)),
      },
      ReplyToAddresses: mail.replyTo && [mailbox(mail.replyTo)],
      Content: {
        Simple: {
          Subject: utf8(mail.subject),
          Body: { Text: mail.text ? utf8(mail.text) : undefined, Html: utf8(mail.html) },
          Headers: nonEmpty(toHeaders(mail.headers)),
          // How SES writes the file into the mail. Its own choice is 7 bit, which destroys everything but ASCII text.
          Attachments: message.attachments?.map((file) => ({
            FileName: file.name,
            ContentType: file.mime,
            RawContent: base64(file.content),
            ContentTransferEncoding: "BASE64",
            ...(inlineContentId(file) ? { ContentDisposition: "INLINE", ContentId: inlineContentId(file) } : {}),
          })),
        },
      },
      EmailTags: tagsOf(message).map(([Name, Value]) => ({ Name, Value })),
    };
    return post(endpoint(region, "outbound-emails"), { json });
  },
  sign: (request, credentials, now) => signAwsRequest(request, "ses", credentials, now),
  read: (reply) => byStatus(reply, textAt(reply.json, "MessageId"), { code: codeOf(reply), classes }),
  check: async (credentials, io) => {
    const request = get(endpoint(credentials.region, "account"));
    const reply = await io.http(await signAwsRequest(request, "ses", credentials, io.now()));
    // A key that may only send is refused here, and by this name it is a good key.
    return codeOf(reply) === "AccessDeniedException" ? { ok: true } : checkByStatus(reply);
  },
  receipts: sesReceipts,
});

import { formatted, given, reasons, sdkCase } from "../case.ts";

const encodedWords = "SES asks for names outside ASCII as encoded words (RFC 2047); the SDK passes on what it is given";

const utf8 = (Data: string) => ({ Data, Charset: "UTF-8" });

export default sdkCase({
  id: "ses",
  channel: "email",
  send: async (mail, { apiKey = "", secretKey = "", region }) => {
    const { SendEmailCommand, SESv2Client } = await import("@aws-sdk/client-sesv2");
    const credentials = { accessKeyId: apiKey, secretAccessKey: secretKey };
    const client = new SESv2Client({ region, credentials });
    const command = new SendEmailCommand({
      FromEmailAddress: formatted(mail.from),
      Destination: {
        ToAddresses: mail.to.map(formatted),
        CcAddresses: given(mail.cc.map(formatted)),
        BccAddresses: given(mail.bcc.map(formatted)),
      },
      ReplyToAddresses: mail.replyTo && [formatted(mail.replyTo)],
      Content: {
        Simple: {
          Subject: utf8(mail.subject),
          Body: { Html: utf8(mail.html), Text: utf8(mail.text) },
          Headers: given(Object.entries(mail.headers).map(([Name, Value]) => ({ Name, Value }))),
          Attachments: given(
            mail.files.map(({ name, mime, content, cid }) => ({
              FileName: name,
              ContentType: mime,
              RawContent: content,
              ContentTransferEncoding: "BASE64",
              ContentDisposition: cid ? "INLINE" : undefined,
              ContentId: cid,
            })),
          ),
        },
      },
    });
    await client.send(command);
    client.destroy();
  },
  differences: {
    "body.EmailTags": reasons.ownId,
    "body.FromEmailAddress": encodedWords,
    "body.Destination.*.0": encodedWords,
  },
});

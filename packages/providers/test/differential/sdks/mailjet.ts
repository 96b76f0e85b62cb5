import { given, type Mailbox, reasons, sdkCase } from "../case.ts";

export default sdkCase({
  id: "mailjet",
  channel: "email",
  send: async (mail, { apiKey, secretKey }) => {
    const { Client } = (await import("node-mailjet")).default;
    const person = ({ name, address }: Mailbox) => ({
      Email: address,
      Name: name || undefined,
    });
    const file = ({ name, mime, content, cid }: (typeof mail.files)[number]) => ({
      ContentType: mime,
      Filename: name,
      Base64Content: content.toString("base64"),
      ContentID: cid,
    });
    await new Client({ apiKey, apiSecret: secretKey }).post("send", { version: "v3.1" }).request({
      Messages: [
        {
          From: person(mail.from),
          To: mail.to.map(person),
          Cc: given(mail.cc.map(person)),
          Bcc: given(mail.bcc.map(person)),
          ReplyTo: mail.replyTo && person(mail.replyTo),
          Subject: mail.subject,
          TextPart: mail.text,
          HTMLPart: mail.html,
          Headers: given(mail.headers),
          Attachments: given(mail.files.filter(({ cid }) => !cid).map(file)),
          InlinedAttachments: given(mail.files.filter(({ cid }) => cid).map(file)),
        },
      ],
    });
  },
  differences: {
    "body.Messages.0.CustomID": reasons.ownId,
    "body.Messages.0.EventPayload": reasons.ownId,
  },
});

import { given, type Mailbox, reasons, sdkCase } from "../case.ts";

export default sdkCase({
  id: "sendgrid",
  channel: "email",
  send: async (mail, { apiKey = "", ipPoolName }) => {
    const { default: sendgrid } = await import("@sendgrid/mail");
    const { default: client } = await import("@sendgrid/client");
    const person = ({ name, address }: Mailbox) => ({ name, email: address });
    client.setDataResidency("eu");
    sendgrid.setClient(client);
    sendgrid.setApiKey(apiKey);
    await sendgrid.send({
      from: person(mail.from),
      to: mail.to.map(person),
      cc: given(mail.cc.map(person)),
      bcc: given(mail.bcc.map(person)),
      replyTo: mail.replyTo && person(mail.replyTo),
      subject: mail.subject,
      text: mail.text,
      html: mail.html,
      headers: given(mail.headers),
      ipPoolName,
      attachments: given(
        mail.files.map(({ name, mime, content, cid }) => ({
          filename: name,
          type: mime,
          content: content.toString("base64"),
          disposition: cid ? "inline" : undefined,
          content_id: cid,
        })),
      ),
    });
  },
  differences: {
    "header x-campaign": "the SDK repeats the headers of the mail as headers of its call",
    "header x-long": "see x-campaign",
    "body.custom_args": reasons.ownId,
  },
});

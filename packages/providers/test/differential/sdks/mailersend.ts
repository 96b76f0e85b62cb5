import { type Mailbox, sdkCase } from "../case.ts";

export default sdkCase({
  id: "mailersend",
  channel: "email",
  send: async (mail, { apiKey = "" }) => {
    const { Attachment, EmailParams, MailerSend, Recipient, Sender } = await import("mailersend");
    const person = ({ name, address }: Mailbox) => new Recipient(address, name || undefined);
    const params = new EmailParams()
      .setFrom(new Sender(mail.from.address, mail.from.name))
      .setTo(mail.to.map(person))
      .setSubject(mail.subject)
      .setText(mail.text)
      .setHtml(mail.html);
    if (mail.cc.length > 0) params.setCc(mail.cc.map(person));
    if (mail.bcc.length > 0) params.setBcc(mail.bcc.map(person));
    if (mail.replyTo) params.setReplyTo(person(mail.replyTo));
    const headers = Object.entries(mail.headers).map(([name, value]) => ({ name, value }));
    if (headers.length > 0) params.setHeaders(headers);
    const files = mail.files.map(
      ({ name, content, cid }) => new Attachment(content.toString("base64"), name, cid ? "inline" : "attachment", cid),
    );
    if (files.length > 0) params.setAttachments(files);
    await new MailerSend({ apiKey }).email.send(params);
  },
  differences: {},
});

import { given, type Mailbox, reasons, sdkCase } from "../case.ts";

export default sdkCase({
  id: "sendinblue",
  channel: "email",
  send: async (mail, { apiKey = "" }) => {
    const { BrevoClient } = await import("@getbrevo/brevo");
    const person = ({ name, address }: Mailbox) => ({
      email: address,
      name: name || undefined,
    });
    await new BrevoClient({ apiKey }).transactionalEmails.sendTransacEmail({
      sender: person(mail.from),
      to: mail.to.map(person),
      cc: given(mail.cc.map(person)),
      bcc: given(mail.bcc.map(person)),
      replyTo: mail.replyTo && person(mail.replyTo),
      subject: mail.subject,
      htmlContent: mail.html,
      textContent: mail.text,
      headers: given(mail.headers),
      attachment: given(mail.files.map(({ name, content }) => ({ name, content: content.toString("base64") }))),
    });
  },
  differences: {
    "body.headers.Idempotency-Key": reasons.ownId,
    "body.headers.idempotencyKey": reasons.ownId,
    "body.headers.X-Mailin-custom": reasons.ownId,
  },
});

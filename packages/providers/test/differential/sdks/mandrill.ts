import { formatted, given, type Mailbox, reasons, sdkCase } from "../case.ts";

export default sdkCase({
  id: "mandrill",
  channel: "email",
  send: async (mail, { apiKey = "" }) => {
    // @ts-expect-error The package has no types.
    const { default: mailchimp } = await import("@mailchimp/mailchimp_transactional");
    const of = (type: "to" | "cc" | "bcc") => (box: Mailbox) => ({
      email: box.address,
      name: box.name || undefined,
      type,
    });
    const file = ({ name, mime, content, cid }: (typeof mail.files)[number]) => ({
      type: mime,
      // The id of an inline image is its name.
      name: cid ?? name,
      content: content.toString("base64"),
    });
    const replyTo = mail.replyTo && { "Reply-To": formatted(mail.replyTo) };
    await mailchimp(apiKey).messages.send({
      message: {
        from_email: mail.from.address,
        from_name: mail.from.name,
        to: [...mail.to.map(of("to")), ...mail.cc.map(of("cc")), ...mail.bcc.map(of("bcc"))],
        subject: mail.subject,
        html: mail.html,
        text: mail.text,
        headers: given({ ...replyTo, ...mail.headers }),
        preserve_recipients: true,
        attachments: given(mail.files.filter(({ cid }) => !cid).map(file)),
        images: given(mail.files.filter(({ cid }) => cid).map(file)),
      },
    });
  },
  differences: {
    address: "the documentation has 1.0, the SDK a later number that it does not mention",
    "body.message.metadata": reasons.ownId,
  },
});

import { formatted, given, reasons, sdkCase } from "../case.ts";

export default sdkCase({
  id: "resend",
  channel: "email",
  send: async (mail, { apiKey = "" }) => {
    const { Resend } = await import("resend");
    await new Resend(apiKey).emails.send({
      from: formatted(mail.from),
      to: mail.to.map(formatted),
      cc: given(mail.cc.map(formatted)),
      bcc: given(mail.bcc.map(formatted)),
      replyTo: mail.replyTo && formatted(mail.replyTo),
      subject: mail.subject,
      html: mail.html,
      text: mail.text,
      headers: given(mail.headers),
      attachments: given(
        mail.files.map(({ name, mime, content, cid }) => ({
          filename: name,
          content: content.toString("base64"),
          contentType: mime,
          contentId: cid,
        })),
      ),
    });
  },
  differences: {
    "body.tags": reasons.ownId,
    "header idempotency-key": reasons.ownId,
  },
});

import { formatted, given, reasons, sdkCase } from "../case.ts";

export default sdkCase({
  id: "postmark",
  channel: "email",
  send: async (mail, { apiKey = "" }) => {
    const { ServerClient } = await import("postmark");
    await new ServerClient(apiKey).sendEmail({
      From: formatted(mail.from),
      To: mail.to.map(formatted).join(", "),
      Cc: mail.cc.map(formatted).join(", ") || undefined,
      Bcc: mail.bcc.map(formatted).join(", ") || undefined,
      ReplyTo: mail.replyTo && formatted(mail.replyTo),
      Subject: mail.subject,
      HtmlBody: mail.html,
      TextBody: mail.text,
      Headers: given(Object.entries(mail.headers).map(([Name, Value]) => ({ Name, Value }))),
      Attachments: given(
        mail.files.map(({ name, mime, content, cid }) => ({
          Name: name,
          Content: content.toString("base64"),
          ContentType: mime,
          ContentID: cid ? `cid:${cid}` : null,
        })),
      ),
    });
  },
  differences: {
    "body.Metadata": reasons.ownId,
  },
});

import { formatted, given, reasons, sdkCase } from "../case.ts";

export default sdkCase({
  id: "mailgun",
  channel: "email",
  send: async (mail, { apiKey = "", user = "", domain = "", baseUrl }) => {
    const { default: Mailgun } = await import("mailgun.js");
    const client = new Mailgun(FormData).client({ username: user, key: apiKey, url: baseUrl });
    const headers = Object.entries(mail.headers).map(([name, value]) => [`h:${name}`, value]);
    const file = ({ name, mime, content }: (typeof mail.files)[number]) => ({
      filename: name,
      contentType: mime,
      data: content,
    });
    await client.messages.create(domain, {
      from: formatted(mail.from),
      to: mail.to.map(formatted),
      cc: given(mail.cc.map(formatted)),
      bcc: given(mail.bcc.map(formatted)),
      subject: mail.subject,
      text: mail.text,
      html: mail.html,
      ...(mail.replyTo ? { "h:Reply-To": formatted(mail.replyTo) } : {}),
      ...Object.fromEntries(headers),
      attachment: given(mail.files.filter(({ cid }) => !cid).map(file)),
      // The id of an inline file is its name.
      inline: given(mail.files.flatMap((one) => (one.cid ? [file({ ...one, name: one.cid })] : []))),
    });
  },
  differences: {
    "body.v:tidingsMessageId": reasons.ownId,
    "body.h:Message-Id": reasons.ownId,
    "body.*.type": "the SDK drops the type of a file when it is given the FormData of Node",
  },
});

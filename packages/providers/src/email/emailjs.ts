// EmailJS, the mail library for Node.js (https://github.com/eleith/emailjs): an SMTP server that is described by host,
// port, user and password. The service of the same name at emailjs.com has nothing to do with it. Which of the two SMTP
// providers is used makes no difference on the wire; this one has the credentials that existing integrations have.

import { destination, flag, number, secret, text } from "../kit/credentials.ts";
import { defineProvider } from "../kit/provider.ts";
import { sendBySmtp, smtpOverrideNames } from "../kit/smtp-mail.ts";

export default defineProvider({
  id: "emailjs",
  channel: "email",
  name: "EmailJS (SMTP)",
  docs: "https://github.com/eleith/emailjs",
  help: "Host, port, user and password as your mail server or its operator gives them.",
  credentials: {
    host: destination(text("Host")),
    port: destination(number("Port")),
    user: text("User"),
    password: secret("Password"),
    secure: flag("Secure"),
    from: text("From email address"),
    senderName: text("Sender name"),
  },
  takes: ["inline"],
  overrideNames: smtpOverrideNames,
  send: (message, { host, port, secure, user, password }, io) =>
    sendBySmtp(message, { host, port, secure, user, password }, io),
  check: async ({ host, port, secure, user, password }, io) => {
    await io.smtp({ host, port, secure, user, password }).verify();
    return { ok: true };
  },
});

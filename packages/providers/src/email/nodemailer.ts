// SMTP, to any server. The names of the DKIM fields (domain, secretKey, accountSid) are those of the public API.

import { type CredentialValues, destination, flag, json, number, secret, text } from "../kit/credentials.ts";
import type { SmtpSettings } from "../kit/io.ts";
import { defineProvider } from "../kit/provider.ts";
import { sendBySmtp, smtpOverrideNames } from "../kit/smtp-mail.ts";

const credentials = {
  host: destination(text("Host")),
  port: destination(number("Port")),
  user: text("User", { optional: true }),
  password: secret("Password", { optional: true }),
  from: text("From email address"),
  senderName: text("Sender name"),
  secure: flag("Secure"),
  requireTls: flag("Require TLS"),
  ignoreTls: flag("Ignore TLS"),
  tlsOptions: json("TLS options", { optional: true }),
  domain: text("DKIM: Domain name", { optional: true }),
  secretKey: secret("DKIM: Private key", { optional: true }),
  accountSid: text("DKIM: Key selector", { optional: true }),
};

export default defineProvider({
  id: "nodemailer",
  channel: "email",
  name: "SMTP",
  help: "Host, port, user and password as your mail server or its operator gives them.",
  credentials,
  takes: ["inline"],
  overrideNames: smtpOverrideNames,
  send: (message, settings, io) => sendBySmtp(message, toSettings(settings), io),
  check: async (settings, io) => {
    await io.smtp(toSettings(settings)).verify();
    return { ok: true };
  },
});

function toSettings(values: CredentialValues<typeof credentials>): SmtpSettings {
  const { host, port, user, password, secure, requireTls, ignoreTls, tlsOptions } = values;
  const { domain, secretKey: privateKey, accountSid: selector } = values;
  const dkim = domain && privateKey && selector ? { domain, privateKey, selector } : undefined;
  return { host, port, user, password, secure, requireTls, ignoreTls, tlsOptions, dkim };
}

// Outlook 365, by authenticated SMTP to Exchange Online. The user is the mailbox of the sender; the password is that of
// the mailbox or an app password, and "Authenticated SMTP" must be allowed for it. Microsoft switches basic
// authentication off by default at the end of 2026: an administrator can keep it on, later other providers are the way.
// https://learn.microsoft.com/exchange/clients-and-mobile-in-exchange-online/authenticated-client-smtp-submission

import { secret, text } from "../kit/credentials.ts";
import type { SmtpSettings } from "../kit/io.ts";
import { parseMailbox } from "../kit/mail.ts";
import { defineProvider } from "../kit/provider.ts";
import { sendBySmtp, smtpOverrideNames } from "../kit/smtp-mail.ts";

function settings(from: string, password: string): SmtpSettings {
  return {
    host: "smtp.office365.com",
    port: 587,
    secure: false,
    requireTls: true,
    user: parseMailbox(from)?.address ?? from,
    password,
  };
}

export default defineProvider({
  id: "outlook365",
  channel: "email",
  name: "Outlook 365",
  docs: "https://learn.microsoft.com/exchange/clients-and-mobile-in-exchange-online/authenticated-client-smtp-submission",
  help: "Use the address and the password of a mailbox for which Authenticated SMTP is allowed (Microsoft 365 admin center, Mail apps).",
  credentials: { password: secret("Password"), from: text("From email address"), senderName: text("Sender name") },
  // 35 MB for the whole mail, after base64.
  limits: { recipients: 500, attachmentBytes: 25_000_000, perSecond: 0.5 },
  takes: ["inline"],
  overrideNames: smtpOverrideNames,
  // Who signs in is the integration's mailbox, even where a message names another sender it may send as.
  send: (message, { password, from = message.from }, io) => sendBySmtp(message, settings(from, password), io),
  check: async ({ password, from }, io) => {
    if (from) await io.smtp(settings(from, password)).verify();
    return { ok: true };
  },
});

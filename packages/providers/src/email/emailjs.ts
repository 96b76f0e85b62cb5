// EmailJS. Credentials: dashboard.emailjs.com; the service under Email Services, the template under Email Templates, the
// keys under Account, General. Calls from servers must be switched on under Account, Security. The template prints the
// message: its fields are {{to_email}}, {{cc_email}}, {{bcc_email}}, {{to_name}}, {{from_email}}, {{from_name}},
// {{reply_to}}, {{subject}}, {{text}} and {{{html}}}. Headers cannot be set.
// API: https://www.emailjs.com/docs/rest-api/send/. Documentation seen: the request; the texts of errors are not listed,
// so that errors are told apart by the words of its libraries.

import { secret, text } from "../credentials.ts";
import { toMail } from "../mail.ts";
import { byStatus, type ErrorClasses, rejected, SendFault } from "../outcome.ts";
import { defineProvider, type Mailbox } from "../provider.ts";
import { type HttpReply, post } from "../request.ts";

const classes: ErrorClasses = {
  key: "auth",
  settings: "config",
  recipient: "recipient",
  412: "config",
  426: "quota",
};

// Errors are plain sentences.
const codeOf = ({ status, text: said }: HttpReply): string | undefined => {
  if (status < 400 || status >= 429) return undefined;
  if (/(public|private) key|account not found/i.test(said)) return "key";
  if (/non-browser|service ID|template ID/i.test(said)) return "settings";
  return /recipients? address/i.test(said) ? "recipient" : String(status);
};

const listed = (mailboxes: Mailbox[]) => mailboxes.map(({ address }) => address).join(", ") || undefined;

export default defineProvider({
  id: "emailjs",
  channel: "email",
  name: "EmailJS",
  docs: "https://www.emailjs.com/docs/rest-api/send/",
  help: "Service and template are under Email Services and Email Templates, the keys under Account; allow calls from servers under Account, Security.",
  credentials: {
    instanceId: text("Service ID (service_id)"),
    messageProfileId: text("Template ID (template_id)"),
    user: text("Public key (user_id)"),
    accessKey: secret("Private key (accessToken)", { optional: true }),
    from: text("From email address (template parameter from_email)", { optional: true }),
    senderName: text("Sender name (template parameter from_name)", { optional: true }),
  },
  limits: { perSecond: 1 },
  request: (message, { instanceId, messageProfileId, user, accessKey }) => {
    if (message.attachments?.length) {
      throw new SendFault(rejected("config", "EmailJS takes attachments from its template only, not with a message"));
    }
    // Without a sender the address of the service counts; a stand-in lets the rest be checked.
    const mail = toMail({ ...message, from: message.from || "service@emailjs.com" });
    const json = {
      service_id: instanceId,
      template_id: messageProfileId,
      user_id: user,
      accessToken: accessKey,
      template_params: {
        to_email: listed(mail.to),
        to_name: mail.to[0]?.name || undefined,
        cc_email: listed(mail.cc),
        bcc_email: listed(mail.bcc),
        from_email: message.from ? mail.from.address : undefined,
        from_name: mail.from.name || undefined,
        reply_to: mail.replyTo?.address,
        subject: mail.subject,
        html: mail.html,
        text: mail.text,
      },
    };
    return post("https://api.emailjs.com/api/v1.0/email/send", { json });
  },
  read: (reply) => byStatus(reply, undefined, { code: codeOf(reply), classes }),
});

// Netcore Email API, formerly Pepipost. Credentials: email.netcorecloud.com, Settings, Integration, API; the sender's
// domain must be active under Sending Domains. API: https://emaildocs.netcorecloud.com/reference/send-email.
// Documentation seen: the published libraries for v5 and v5.1 and examples of events; names of events differ between
// them ("open" and "opened"), so both are read.

import { secret, text } from "../kit/credentials.ts";
import { nonEmpty, toPeople, toPerson } from "../kit/email.ts";
import { toMail } from "../kit/mail.ts";
import { defineProvider } from "../kit/provider.ts";
import { dateOf, type Receipt, type ReceiptStatus, receipt } from "../kit/receipts.ts";
import { byStatus, type ErrorClasses, eventsOf, textAt } from "../kit/reply.ts";
import { base64, post } from "../kit/request.ts";

const classes: ErrorClasses = { from: "config", personalizations: "recipient" };

// "sent" is Netcore's word for: the receiving server took it.
const statuses: Record<string, ReceiptStatus> = {
  sent: "delivered",
  send: "delivered",
  opened: "opened",
  open: "opened",
  clicked: "clicked",
  click: "clicked",
  bounced: "bounced",
  bounce: "bounced",
  invalid: "bounced",
  dropped: "dropped",
  drop: "dropped",
  spam: "spam",
  abuse: "spam",
  unsubscribed: "unsubscribed",
  unsub: "unsubscribed",
};

// Mostly an integer beyond what JSON numbers keep exactly, and a wrong id is worse than none: ours comes back as well.
function exactId(event: unknown): string | undefined {
  const { TRANSID } = Object(event) as { TRANSID?: unknown };
  return typeof TRANSID === "number" && !Number.isSafeInteger(TRANSID) ? undefined : textAt(event, "TRANSID");
}

export default defineProvider({
  id: "netcore",
  channel: "email",
  name: "Netcore",
  docs: "https://emaildocs.netcorecloud.com/reference/send-email",
  help: "The API key is under Settings, Integration, API; verify the sender's domain under Settings, Sending Domains.",
  credentials: { apiKey: secret("API Key"), from: text("From email address"), senderName: text("Sender name") },
  overrideNames: { members: ["template_id", "schedule", "tags", "personalizations.token_to"] },
  mergedLists: { personalizations: ["to"] },
  request: (message, { apiKey }) => {
    const mail = toMail(message);
    const json = {
      from: toPerson(mail.from),
      reply_to: mail.replyTo?.address,
      subject: mail.subject,
      content: [{ type: "html", value: mail.html }],
      personalizations: [
        {
          to: toPeople(mail.to),
          cc: toPeople(mail.cc),
          bcc: toPeople(mail.bcc),
          headers: nonEmpty(mail.headers),
          // Comes back with every event.
          token_to: message.id,
          attachments: message.attachments?.map(({ name, content }) => ({ name, content: base64(content) })),
        },
      ],
    };
    return post("https://emailapi.netcorecloud.net/v5.1/mail/send", { headers: { api_key: apiKey }, json });
  },
  read: (reply) => {
    // The field an error is about, as "personalizations[0].to[0].email".
    const field = /^\w+/.exec(textAt(reply.json, "error", 0, "field") ?? "")?.[0];
    return byStatus(reply, textAt(reply.json, "data", "message_id"), { code: field, classes });
  },
  receipts: {
    read: ({ body }) =>
      eventsOf(body).flatMap((event): Receipt[] => {
        const status = statuses[textAt(event, "EVENT") ?? ""];
        const [externalId, messageId] = [exactId(event), textAt(event, "X-APIHEADER") || undefined];
        if (!status || !(externalId || messageId)) return [];
        const response = textAt(event, "RESPONSE")?.trim() || textAt(event, "BOUNCE_REASON");
        const [recipient, date] = [textAt(event, "EMAIL"), dateOf(textAt(event, "TIMESTAMP"))];
        return [receipt(status, { externalId, messageId, recipient, date, response, row: event })];
      }),
  },
});

// A webhook of one's own that sends the mail. It gets one POST with JSON: {id, from: {email, name}, to, cc, bcc: [{email,
// name}], replyTo, subject, html, text, headers, attachments: [{name, mime, content in base64, contentId?, disposition?}],
// origin: {workflowId, transactionId, subscriberId}, customData}, signed with the secret as
// https://www.standardwebhooks.com prescribes; `webhook-id` is the id of the message, the same on a repeat. Any 2xx means
// that the mail was taken, and may name it: {id}. Receivers written for the peer API get its body, {id, from, senderName, to,
// cc, bcc: [address], replyTo, subject, html, text, headers, attachments: [{name, mime, file, cid?}], payload}. Reports come back as
// {messageId or externalId, status, date?, response?}.

import { destination, secret, text } from "../credentials.ts";
import { filled, people, person } from "../email.ts";
import { toMail } from "../mail.ts";
import type { EmailMessage, PeerDetails } from "../message.ts";
import { byStatus } from "../outcome.ts";
import { defineProvider, type Mailbox } from "../provider.ts";
import { genericReceipts } from "../receipts.ts";
import { base64, post, textAt } from "../request.ts";
import { signWebhook } from "../webhook.ts";

/** The body of the peer API: addresses are texts, and the content of a file is written as Node writes bytes in JSON. */
const peerBody = (message: EmailMessage & { from: string }, { payload }: PeerDetails) => {
  const mail = toMail(message);
  const addresses = (list: readonly Mailbox[]) => filled(list.map(({ address }) => address));
  return {
    id: message.id,
    from: mail.from.address,
    senderName: mail.from.name || undefined,
    to: mail.to.map(({ address }) => address),
    cc: addresses(mail.cc),
    bcc: addresses(mail.bcc),
    replyTo: mail.replyTo?.address,
    subject: mail.subject,
    html: mail.html,
    text: mail.text,
    headers: filled(mail.headers),
    attachments: message.attachments?.map(({ name, mime, content, contentId, disposition }) => ({
      name,
      mime,
      file: Buffer.from(content),
      cid: contentId,
      disposition,
    })),
    payload,
    payloadDetails: payload,
  };
};

export default defineProvider({
  id: "email-webhook",
  channel: "email",
  name: "Email webhook",
  docs: "https://www.standardwebhooks.com",
  help: "The address of your own endpoint, and a secret you share with it to check the signature.",
  credentials: {
    webhookUrl: destination(text("Webhook URL")),
    secretKey: secret("HMAC secret"),
    from: text("From email address"),
    senderName: text("Sender name"),
  },
  takes: ["inline", "customData"],
  request: (message, { webhookUrl }) => {
    const headers = { "webhook-id": message.id };
    if (message.peer) return post(webhookUrl, { headers, json: peerBody(message, message.peer) });
    const mail = toMail(message);
    const json = {
      id: message.id,
      from: person(mail.from),
      to: people(mail.to),
      cc: people(mail.cc),
      bcc: people(mail.bcc),
      replyTo: mail.replyTo && person(mail.replyTo),
      subject: mail.subject,
      html: mail.html,
      text: mail.text,
      headers: filled(mail.headers),
      attachments: message.attachments?.map((file) => ({ ...file, content: base64(file.content) })),
      origin: message.origin,
      customData: message.customData,
    };
    return post(webhookUrl, { headers, json });
  },
  sign: (request, { secretKey }, now) => signWebhook(request, secretKey, now),
  read: (reply) => byStatus(reply, textAt(reply.json, "id")),
  receipts: genericReceipts("email"),
});

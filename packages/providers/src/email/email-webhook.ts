// A custom webhook that sends the mail. It gets one POST with JSON:
// `{id, from: {email, name}, to, cc, bcc: [{email, name}], replyTo, subject, html, text, headers, attachments: [{name,
// mime, content in base64, contentId?, disposition?}], origin: {workflowId, transactionId, subscriberId}, customData}`
// It is signed with the secret as https://www.standardwebhooks.com prescribes; `webhook-id` is the message id, the same
// on a repeat. Any 2xx means that the mail was accepted, and the response may name it: {id}. Receivers written for Novu
// get Novu's body:
// `{id, from, senderName, to, cc, bcc: [address], replyTo, subject, html, text, headers, attachments: [{name, mime,
// file, cid?}], payload}`
// Reports come back as {messageId or externalId, status, date?, response?}.

import { destination, secret, text } from "../kit/credentials.ts";
import { nonEmpty, toPeople, toPerson } from "../kit/email.ts";
import { type Mailbox, toMail } from "../kit/mail.ts";
import type { EmailMessage, PeerDetails } from "../kit/message.ts";
import { defineProvider } from "../kit/provider.ts";
import { genericReceipts } from "../kit/receipts.ts";
import { byStatus, textAt } from "../kit/reply.ts";
import { base64, post } from "../kit/request.ts";
import { signWebhook } from "../kit/webhook.ts";

/** The body of Novu: addresses are texts, and the content of a file is written as Node writes bytes in JSON. */
function peerBody(message: EmailMessage & { from: string }, { payload }: PeerDetails) {
  const mail = toMail(message);
  const addresses = (list: readonly Mailbox[]) => nonEmpty(list.map(({ address }) => address));
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
    headers: nonEmpty(mail.headers),
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
}

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
      from: toPerson(mail.from),
      to: toPeople(mail.to),
      cc: toPeople(mail.cc),
      bcc: toPeople(mail.bcc),
      replyTo: mail.replyTo && toPerson(mail.replyTo),
      subject: mail.subject,
      html: mail.html,
      text: mail.text,
      headers: nonEmpty(mail.headers),
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

// Postmark. Credentials: the API token of a server (Servers, API Tokens); the sender needs a confirmed signature or
// domain. API: https://postmarkapp.com/developer/api/email-api; codes:
// https://postmarkapp.com/developer/api/overview#error-codes Events:
// https://postmarkapp.com/developer/webhooks/webhooks-overview; registering them, for the stream "outbound", through
// which everything goes that names no other: https://postmarkapp.com/developer/api/webhooks-api

import { secret, text } from "../kit/credentials.ts";
import { inlineContentId, metadataOf, nonEmpty, workflowTag } from "../kit/email.ts";
import { formatMailbox, type Mailbox, toMail } from "../kit/mail.ts";
import { defineProvider } from "../kit/provider.ts";
import { registeredUser, requireList, requireSuccess, requireText } from "../kit/registration.ts";
import { byStatus, checkByStatus, type ErrorClasses, textAt } from "../kit/reply.ts";
import { base64, get, post, put } from "../kit/request.ts";
import { postmarkReceipts } from "./postmark-receipts.ts";

const api = "https://api.postmarkapp.com";

const classes: ErrorClasses = {
  10: "auth",
  100: "retry",
  To: "recipient",
  Cc: "recipient",
  Bcc: "recipient",
  From: "config",
  400: "config",
  401: "config",
  405: "quota",
  406: "recipient",
  412: "config",
  413: "config",
  1235: "config",
};

const triggers = {
  Open: { Enabled: true, PostFirstOpenOnly: false },
  Click: { Enabled: true },
  Delivery: { Enabled: true },
  Bounce: { Enabled: true, IncludeContent: false },
  SpamComplaint: { Enabled: true, IncludeContent: false },
  SubscriptionChange: { Enabled: true },
};

const listed = (mailboxes: Mailbox[]) => mailboxes.map(formatMailbox).join(", ") || undefined;

export default defineProvider({
  id: "postmark",
  channel: "email",
  name: "Postmark",
  docs: "https://postmarkapp.com/developer/api/email-api",
  help: "The server API token is on the API Tokens tab of a server; confirm the sender under Sender Signatures.",
  credentials: { apiKey: secret("API Key"), from: text("From email address"), senderName: text("Sender name") },
  // 10 MB for the whole mail, after base64.
  limits: { recipients: 50, attachmentBytes: 7_500_000 },
  takes: ["inline", "customData"],
  overrideNames: { members: ["MessageStream", "Tag", "TrackOpens", "TrackLinks", "Metadata", "InlineCss"] },
  request: (message, { apiKey }) => {
    const mail = toMail(message);
    const json = {
      From: formatMailbox(mail.from),
      To: listed(mail.to),
      Cc: listed(mail.cc),
      Bcc: listed(mail.bcc),
      ReplyTo: mail.replyTo && formatMailbox(mail.replyTo),
      Subject: mail.subject,
      HtmlBody: mail.html || undefined,
      TextBody: mail.text || undefined,
      Headers: nonEmpty(Object.entries(mail.headers).map(([Name, Value]) => ({ Name, Value }))),
      Tag: workflowTag(message, 1000)?.[0],
      Metadata: metadataOf(message, 80),
      Attachments: message.attachments?.map((file) => ({
        Name: file.name,
        Content: base64(file.content),
        ContentType: file.mime,
        ContentID: inlineContentId(file) && `cid:${inlineContentId(file)}`,
      })),
    };
    return post(`${api}/email`, { headers: { "x-postmark-server-token": apiKey }, json });
  },
  read: (reply) => {
    const given = textAt(reply.json, "ErrorCode");
    // 300 is any invalid field; only the text says which.
    const field = /'(From|To|Cc|Bcc)'/.exec(textAt(reply.json, "Message") ?? "")?.[1];
    const code = given === "300" && field ? field : given;
    return byStatus(reply, textAt(reply.json, "MessageID"), { code, classes });
  },
  check: async ({ apiKey }, io) =>
    checkByStatus(await io.http(get(`${api}/server`, { headers: { "x-postmark-server-token": apiKey } }))),
  receipts: postmarkReceipts,
  registerReceipts: async ({ url, key }, { apiKey }, io) => {
    const [webhooks, headers] = [`${api}/webhooks`, { "x-postmark-server-token": apiKey }];
    const MessageStream = "outbound";
    const all = await requireSuccess(io.http(get(webhooks, { headers, query: { MessageStream } })));
    const existing = requireList(all, "Webhooks").find((webhook) => textAt(webhook, "Url") === url);
    const json = { Url: url, HttpAuth: { Username: registeredUser, Password: key }, Triggers: triggers };
    if (existing) {
      const id = encodeURIComponent(requireText(all, textAt(existing, "ID")));
      await requireSuccess(io.http(put(`${webhooks}/${id}`, { headers, json })));
    } else await requireSuccess(io.http(post(webhooks, { headers, json: { ...json, MessageStream } })));
    return key;
  },
});

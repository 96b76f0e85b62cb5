// MailerSend. Credentials: app.mailersend.com/api-tokens, a token with Email: full access; the sender's domain must be
// verified. The key of receipts is the signing secret of the webhook. Custom headers need a plan that has them;
// so does a link to unsubscribe, without which MailerSend adds its own to the mail. API:
// https://developers.mailersend.com/api/v1/email.html; events: https://developers.mailersend.com/api/v1/webhooks.html
// Headers: https://www.mailersend.com/help/custom-headers

import { secret, text } from "../kit/credentials.ts";
import { inlineContentId, nonEmpty, toJsonMail, workflowTag } from "../kit/email.ts";
import { type Mail, toMail } from "../kit/mail.ts";
import type { Outcome } from "../kit/outcome.ts";
import { withOverrides } from "../kit/overrides.ts";
import { defineProvider } from "../kit/provider.ts";
import {
  byStatus,
  checkByStatus,
  type ErrorClasses,
  failureByCode,
  type HttpReply,
  textAt,
  valueAt,
} from "../kit/reply.ts";
import { base64, get, post } from "../kit/request.ts";
import { mailersendReceipts } from "./mailersend-receipts.ts";

const api = "https://api.mailersend.com/v1";

const classes: ErrorClasses = {
  ALL_SUPPRESSED: "recipient",
  to: "recipient",
  cc: "recipient",
  bcc: "recipient",
  from: "config",
  headers: "config",
  list_unsubscribe: "config",
  quota: "quota",
};

// The first field an error is about, as "to.0.email".
function codeOf({ json }: HttpReply): string | undefined {
  if (/quota|limit of your plan/i.test(textAt(json, "message") ?? "")) return "quota";
  return Object.keys(valueAt(json, "errors") ?? {})[0]?.split(".")[0];
}

function read(reply: HttpReply): Outcome {
  const warning = textAt(reply.json, "warnings", 0, "type");
  if (reply.status === 202 && warning === "ALL_SUPPRESSED") return failureByCode(reply, warning, classes);
  return byStatus(reply, reply.headers["x-message-id"], { code: codeOf(reply), classes });
}

/** The link to unsubscribe has its own field, which accepts one address and becomes both headers. */
function headersOf({ headers }: Mail) {
  const isOwn = (name: string) => /^list-unsubscribe(-post)?$/i.test(name);
  const [, link] = Object.entries(headers).find(([name]) => name.toLowerCase() === "list-unsubscribe") ?? [];
  const others = Object.entries(headers).flatMap(([name, value]) => (isOwn(name) ? [] : [{ name, value }]));
  const [address] = [/<(https?:[^>]+)>/i, /<(mailto:[^>]+)>/i].flatMap((form) => form.exec(link ?? "")?.[1] ?? []);
  return { headers: nonEmpty(others), list_unsubscribe: address };
}

// biome-ignore format: a list of names reads better in lines than in a column
const overrideNames = {
  members: [
    "template_id", "send_at", "in_reply_to", "references", "precedence_bulk", "personalization", "tags",
    "settings.track_clicks", "settings.track_opens", "settings.track_content",
  ],
};

export default defineProvider({
  id: "mailersend",
  channel: "email",
  name: "MailerSend",
  docs: "https://developers.mailersend.com/api/v1/email.html",
  help: "Create a token under Integrations, API tokens, and verify the sender's domain under Domains.",
  credentials: { apiKey: secret("API Key"), from: text("From email address"), senderName: text("Sender name") },
  // 50 recipients, 10 in cc, 10 in bcc.
  limits: { recipients: 70, attachmentBytes: 25_000_000 },
  takes: ["inline"],
  overrideNames,
  send: async (message, { apiKey }, io) => {
    const mail = toMail(message);
    const { list_unsubscribe, headers } = headersOf(mail);
    const json = {
      ...toJsonMail(mail),
      headers,
      tags: workflowTag(message, 100),
      attachments: message.attachments?.map((file) => ({
        content: base64(file.content),
        filename: file.name,
        disposition: inlineContentId(file) ? "inline" : "attachment",
        id: inlineContentId(file),
      })),
    };
    const call = (body: object) =>
      io.http(withOverrides(post(`${api}/email`, { bearer: apiKey, json: body }), message));
    const reply = await call({ ...json, list_unsubscribe });
    // Better MailerSend's own link, which is reported to us, than no mail.
    const isLinkRefused = list_unsubscribe && reply.status === 422 && codeOf(reply) === "list_unsubscribe";
    return read(isLinkRefused ? await call(json) : reply);
  },
  check: async ({ apiKey }, io) => {
    const reply = await io.http(get(`${api}/api-quota`, { bearer: apiKey }));
    // A token that may only send gets 403 here; an invalid token gets 401.
    return reply.status === 403 ? { ok: true } : checkByStatus(reply);
  },
  receipts: mailersendReceipts,
});

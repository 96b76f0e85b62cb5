// Sinch. Credentials: dashboard.sinch.com, SMS, APIs: service plan id and API token of the region of the plan. Reports
// are sent for messages that ask for them, by override: delivery_report: "per_recipient", and callback_url unless the
// plan has one. API: https://developers.sinch.com/docs/sms/api-reference/sms/batches, statuses:
// https://developers.sinch.com/docs/sms/api-reference/status-codes/

import { choice, destination, secret, text } from "../kit/credentials.ts";
import { defineProvider } from "../kit/provider.ts";
import { dateOf, type ReceiptStatus, receipt } from "../kit/receipts.ts";
import { byStatus, checkByStatus, type ErrorClasses, textAt } from "../kit/reply.ts";
import { get, post } from "../kit/request.ts";

const batches = (region: string, plan: string): string =>
  `https://${region}.sms.api.sinch.com/xms/v1/${encodeURIComponent(plan)}/batches`;

const classes: ErrorClasses = {
  missing_callback_url: "config",
  to: "recipient",
  from: "config",
};

const statuses: Record<string, ReceiptStatus> = {
  Queued: "queued",
  Dispatched: "sent",
  Delivered: "delivered",
  Failed: "undelivered",
  Expired: "undelivered",
  Deleted: "undelivered",
  Rejected: "rejected",
  Aborted: "failed",
  Cancelled: "failed",
};

export default defineProvider({
  id: "sinch",
  channel: "sms",
  name: "Sinch",
  docs: "https://developers.sinch.com/docs/sms/api-reference/sms/batches",
  help: "Service plan ID and API token are in the Sinch dashboard, under SMS, APIs; the region is that of the plan.",
  credentials: {
    servicePlanId: text("Service Plan ID"),
    apiToken: secret("API Token"),
    region: destination(choice("Region", ["eu", "us", "au", "br", "ca"], { default: "eu" })),
    from: text("From"),
  },
  limits: { text: 2000 },
  request: (message, { servicePlanId, apiToken, region }) =>
    post(batches(region, servicePlanId), {
      bearer: apiToken,
      json: { from: message.from, to: [message.to], body: message.text, client_reference: message.id },
    }),
  overrideNames: {
    // biome-ignore format: the names are grouped
    members: [
      "type", "parameters", "delivery_report", "send_at", "expire_at", "callback_url", "client_reference",
      "feedback_enabled", "flash_message", "truncate_concat", "max_number_of_message_parts", "from_ton", "from_npi",
      "udh",
    ],
  },
  read: (reply) => {
    // A parameter in the wrong form is named in the text: [to] or 'to'.
    const parameter = /["'[](to|from)\b/.exec(textAt(reply.json, "text") ?? "")?.[1];
    const said = textAt(reply.json, "code");
    const code = said?.startsWith("syntax_") ? parameter : said && Object.hasOwn(classes, said) ? said : undefined;
    return byStatus(reply, textAt(reply.json, "id"), { code, classes });
  },
  check: async ({ servicePlanId, apiToken, region }, io) =>
    checkByStatus(await io.http(get(batches(region, servicePlanId), { bearer: apiToken, query: { page_size: 1 } }))),
  receipts: {
    // One recipient, so that the summary of a batch says as much as the report of a recipient.
    read: ({ body }) => {
      const externalId = textAt(body, "batch_id");
      const status = statuses[textAt(body, "status") ?? textAt(body, "statuses", 0, "status") ?? ""];
      if (!externalId || !status) return [];
      const code = textAt(body, "code") ?? textAt(body, "statuses", 0, "code");
      const known = { messageId: textAt(body, "client_reference"), date: dateOf(textAt(body, "at")), row: body };
      return [receipt(status, { externalId, response: code && code !== "0" ? `Code ${code}` : undefined, ...known })];
    },
  },
});

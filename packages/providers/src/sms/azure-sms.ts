// Azure Communication Services. Credentials: portal.azure.com, the resource, Settings, Keys: a whole connection string.
// Requests are signed (https://learn.microsoft.com/azure/communication-services/tutorials/hmac-header-tutorial).
// Reports come through Event Grid: an event subscription to SMSDeliveryReportReceived whose delivery properties set the
// header Authorization, and whose validation link was opened by hand. API:
// https://learn.microsoft.com/rest/api/communication/sms/send

import { createHash, createHmac } from "node:crypto";
import { secret, text } from "../kit/credentials.ts";
import { accepted, type Outcome, rejected, SendError } from "../kit/outcome.ts";
import { withOverrides } from "../kit/overrides.ts";
import { defineProvider } from "../kit/provider.ts";
import { dateOf, type Receipt, type ReceiptStatus, receipt } from "../kit/receipts.ts";
import {
  byStatus,
  checkByStatus,
  type ErrorClasses,
  eventsOf,
  failureByCode,
  type HttpReply,
  textAt,
  unreadable,
  valueAt,
} from "../kit/reply.ts";
import { baseUrl, get, type HttpRequest, post } from "../kit/request.ts";

function part(connection: string, name: string): string {
  const value = new RegExp(`(?:^|;)\\s*${name}=([^;]+)`, "i").exec(connection)?.[1]?.trim();
  if (value) return value;
  throw new SendError(rejected("config", "accessKey must be a connection string: endpoint=https://…;accesskey=…"));
}

const endpoint = (connection: string): string => baseUrl(part(connection, "endpoint"));

function signed(request: HttpRequest, connection: string, now: Date): HttpRequest {
  const { host, pathname, search } = new URL(request.url);
  const date = now.toUTCString();
  const hash = createHash("sha256")
    .update(request.body ?? "")
    .digest("base64");
  const signature = createHmac("sha256", Buffer.from(part(connection, "accesskey"), "base64"))
    .update(`${request.method}\n${pathname}${search}\n${date};${host};${hash}`)
    .digest("base64");
  const authorization = `HMAC-SHA256 SignedHeaders=x-ms-date;host;x-ms-content-sha256&Signature=${signature}`;
  return { ...request, headers: { ...request.headers, "x-ms-date": date, "x-ms-content-sha256": hash, authorization } };
}

const classes: ErrorClasses = { from: "config", to: "recipient" };
// Errors have no codes, but say whose number is wrong.
const codeIn = (said = ""): string | undefined =>
  /\bFrom\b|sender/.test(said) ? "from" : /\bTo\b|recipient|opted/.test(said) ? "to" : undefined;

function read(reply: HttpReply): Outcome {
  const said = textAt(reply.json, "error", "message");
  if (reply.status >= 300) return byStatus(reply, undefined, { code: codeIn(said), classes });
  // The one recipient has its own status.
  const status = Number(textAt(reply.json, "value", 0, "httpStatusCode"));
  if (!status) return unreadable(reply);
  if (status < 300) return accepted(textAt(reply.json, "value", 0, "messageId"));
  return failureByCode({ ...reply, status }, codeIn(textAt(reply.json, "value", 0, "errorMessage")), classes);
}

const repeatableMs = 4 * 60_000;

/**
 * Keeps a repeat from being sent. Azure remembers a request for five minutes and refuses one that says it is older, so
 * that later repeats come without; the time is that of our id, a UUIDv7.
 * https://learn.microsoft.com/rest/api/communication/repeatable-requests
 */
function repeatable(id: string, now: Date) {
  const first = Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);
  const age = now.getTime() - first;
  if (!(age >= 0 && age < repeatableMs)) return {};
  return { repeatabilityRequestId: id, repeatabilityFirstSent: new Date(first).toUTCString() };
}

const statuses: Record<string, ReceiptStatus> = { Delivered: "delivered", Failed: "undelivered" };

export default defineProvider({
  id: "azure-sms",
  channel: "sms",
  name: "Azure SMS",
  docs: "https://learn.microsoft.com/rest/api/communication/sms/send",
  help: "Copy a connection string under Settings, Keys, of the Communication Services resource.",
  credentials: { accessKey: secret("Connection string"), from: text("From") },
  limits: { text: 2048 },
  // The SDK accepts a message's options as flat members.
  overrideNames: {
    members: [
      "smsSendOptions.enableDeliveryReport",
      "smsSendOptions.tag",
      "smsSendOptions.deliveryReportTimeoutInSeconds",
    ],
    moved: {
      enableDeliveryReport: (enableDeliveryReport) => ({ smsSendOptions: { enableDeliveryReport } }),
      tag: (tag) => ({ smsSendOptions: { tag } }),
      deliveryReportTimeoutInSeconds: (seconds) => ({ smsSendOptions: { deliveryReportTimeoutInSeconds: seconds } }),
    },
  },
  send: async (message, { accessKey }, io) => {
    const now = io.now();
    const request = post(`${endpoint(accessKey)}/sms`, {
      query: { "api-version": "2021-03-07" },
      json: {
        from: message.from,
        smsRecipients: [{ to: message.to, ...repeatable(message.id, now) }],
        message: message.text,
        smsSendOptions: { enableDeliveryReport: true, tag: message.id },
      },
    });
    return read(await io.http(signed(withOverrides(request, message), accessKey, now)));
  },
  check: async ({ accessKey }, io) => {
    const request = get(`${endpoint(accessKey)}/phoneNumbers`, { query: { "api-version": "2022-12-01", top: 1 } });
    return checkByStatus(await io.http(signed(request, accessKey, io.now())));
  },
  receipts: {
    read: ({ body }) =>
      eventsOf(body).flatMap((event): Receipt[] => {
        const data = valueAt(event, "data");
        const status = statuses[textAt(data, "deliveryStatus") ?? ""];
        const externalId = textAt(data, "messageId");
        if (!status || !externalId) return [];
        const known = { messageId: textAt(data, "tag"), date: dateOf(textAt(data, "receivedTimestamp")), row: event };
        return [receipt(status, { externalId, response: textAt(data, "deliveryStatusDetails"), ...known })];
      }),
  },
});

// Twilio Programmable Messaging. Credentials: console.twilio.com, Account Info. `from` is a number, a sender name or
// the SID of a messaging service (MG…).
// API: https://www.twilio.com/docs/messaging/api/message-resource; codes: https://www.twilio.com/docs/api/errors

import { secret, text } from "../kit/credentials.ts";
import { defineProvider } from "../kit/provider.ts";
import { type ReceiptStatus, receipt } from "../kit/receipts.ts";
import { byStatus, checkByStatus, type ErrorClasses, textAt } from "../kit/reply.ts";
import { get, post } from "../kit/request.ts";

const account = (sid: string): string => `https://api.twilio.com/2010-04-01/Accounts/${encodeURIComponent(sid)}`;

const classes: ErrorClasses = {
  20003: "auth",
  20429: "retry",
  21211: "recipient",
  21212: "config",
  21214: "recipient",
  21408: "config",
  21606: "config",
  21608: "config",
  21610: "recipient",
  21612: "recipient",
  21614: "recipient",
  21617: "content",
  21659: "config",
  21660: "config",
  21701: "config",
  30001: "retry",
  30002: "config",
  63038: "quota",
};

const statuses: Record<string, ReceiptStatus> = {
  accepted: "accepted",
  scheduled: "queued",
  queued: "queued",
  sending: "sending",
  sent: "sent",
  delivered: "delivered",
  read: "delivered",
  undelivered: "undelivered",
  failed: "failed",
  canceled: "failed",
};

export default defineProvider({
  id: "twilio",
  channel: "sms",
  name: "Twilio",
  docs: "https://www.twilio.com/docs/messaging/api/message-resource",
  help: "Account SID and Auth Token are on the first page of the Twilio console, under Account Info.",
  credentials: { accountSid: text("Account SID"), token: secret("Auth token"), from: text("From") },
  limits: { text: 1600 },
  request: (message, { accountSid, token }) => {
    const sender = /^MG[0-9a-f]{32}$/i.test(message.from)
      ? { MessagingServiceSid: message.from }
      : { From: message.from };
    const form = { To: message.to, ...sender, Body: message.text };
    return post(`${account(accountSid)}/Messages.json`, { basic: [accountSid, token], form });
  },
  overrideNames: {
    // biome-ignore format: the names are grouped
    members: [
      "MessagingServiceSid", "MediaUrl", "StatusCallback", "ApplicationSid", "MaxPrice", "ProvideFeedback",
      "Attempt", "ValidityPeriod", "ForceDelivery", "ContentRetention", "AddressRetention", "SmartEncoded",
      "PersistentAction", "TrafficType", "ShortenUrls", "ScheduleType", "SendAt", "SendAsMms", "ContentSid",
      "ContentVariables", "RiskCheck", "From", "Body",
    ],
  },
  read: (reply) => byStatus(reply, textAt(reply.json, "sid"), { code: textAt(reply.json, "code"), classes }),
  check: async ({ accountSid, token }, io) =>
    checkByStatus(await io.http(get(`${account(accountSid)}.json`, { basic: [accountSid, token] }))),
  receipts: {
    read: ({ body }) => {
      const externalId = textAt(body, "MessageSid") ?? textAt(body, "SmsSid");
      const status = statuses[textAt(body, "MessageStatus") ?? textAt(body, "SmsStatus") ?? ""];
      if (!externalId || !status) return [];
      const code = textAt(body, "ErrorCode");
      return [receipt(status, { externalId, response: code && `Error ${code}`, row: body })];
    },
  },
});

// Bandwidth. Credentials: dashboard.bandwidth.com, Account: an API user (basic authentication) and the number of the
// account. Each message has to name the messaging application its sender belongs to. An account with one such
// application needs no setting, it is looked up; with several, an override names it: applicationId.
// API: https://dev.bandwidth.com/docs/messaging/createMessage, errors: https://dev.bandwidth.com/docs/messaging/errors,
// reports: https://dev.bandwidth.com/docs/messaging/webhooks

import { secret, text } from "../kit/credentials.ts";
import type { Cached, Io } from "../kit/io.ts";
import { rejected, SendError } from "../kit/outcome.ts";
import { withOverrides } from "../kit/overrides.ts";
import { defineProvider } from "../kit/provider.ts";
import { dateOf, type Receipt, type ReceiptStatus, receipt } from "../kit/receipts.ts";
import { byStatus, checkByStatus, type ErrorClasses, eventsOf, failureByCode, textAt } from "../kit/reply.ts";
import { get, type HttpRequest, post } from "../kit/request.ts";
import { cacheKey, retryUnknown } from "../kit/token.ts";

type Login = {
  readonly user: string;
  readonly password: string;
  readonly accountSid: string;
};

const listApplications = ({ user, password, accountSid }: Login): HttpRequest =>
  get(`https://dashboard.bandwidth.com/api/accounts/${encodeURIComponent(accountSid)}/applications`, {
    basic: [user, password],
    headers: { accept: "application/xml" },
  });

async function findApplication(login: Login, io: Io): Promise<Cached<string>> {
  const reply = await retryUnknown(io.http(listApplications(login)));
  if (reply.status >= 300) throw new SendError(failureByCode(reply, String(reply.status), { 400: "config" }));
  const found = [...reply.text.matchAll(/<Application>(.*?)<\/Application>/gs)].flatMap(([, block = ""]) => {
    const id = /<ApplicationId>([^<]+)</.exec(block)?.[1];
    return id && block.includes("<ServiceType>Messaging-V2<") ? [id] : [];
  });
  const [value] = found;
  if (value === undefined || found.length > 1) {
    const reason = `The account has ${found.length} messaging applications: name one as the override applicationId`;
    throw new SendError(rejected("config", reason));
  }
  return { value, expiresAt: new Date(io.now().getTime() + 3_600_000) };
}

const classes: ErrorClasses = { to: "recipient", from: "config", applicationId: "config" };

const statuses: Record<string, ReceiptStatus> = {
  "message-sending": "sending",
  "message-delivered": "delivered",
  "message-failed": "undelivered",
};

export default defineProvider({
  id: "bandwidth",
  channel: "sms",
  name: "Bandwidth",
  docs: "https://dev.bandwidth.com/docs/messaging/createMessage",
  help: "User name and password of an API user of the account; the account ID is shown in the Bandwidth dashboard.",
  credentials: {
    user: text("Username"),
    password: secret("Password"),
    accountSid: text("Account ID"),
    from: text("From"),
  },
  limits: { text: 2048 },
  send: async (message, credentials, io) => {
    const { user, password, accountSid } = credentials;
    const named = textAt(message.extra, "applicationId") ?? textAt(message.passthrough?.body, "applicationId");
    const key = cacheKey("bandwidth", user, password, accountSid);
    const applicationId = named ?? (await io.cached(key, () => findApplication(credentials, io)));
    const request = post(`https://messaging.bandwidth.com/api/v2/users/${encodeURIComponent(accountSid)}/messages`, {
      basic: [user, password],
      json: { to: [message.to], from: message.from, text: message.text, applicationId, tag: message.id },
    });
    const reply = await io.http(withOverrides(request, message));
    // "to" or "to[0]".
    const code = textAt(reply.json, "fieldErrors", 0, "fieldName")?.split(/\W/)[0];
    // An application that is gone is looked up anew for the next message.
    if (code === "applicationId") io.forget(key);
    return byStatus(reply, textAt(reply.json, "id"), { code, classes });
  },
  check: async (credentials, io) => checkByStatus(await io.http(listApplications(credentials))),
  receipts: {
    read: ({ body }) =>
      eventsOf(body).flatMap((event): Receipt[] => {
        const status = statuses[textAt(event, "type") ?? ""];
        const externalId = textAt(event, "message", "id");
        if (!status || !externalId) return [];
        const known = { messageId: textAt(event, "message", "tag"), date: dateOf(textAt(event, "time")), row: event };
        return [receipt(status, { externalId, response: textAt(event, "description"), ...known })];
      }),
  },
});

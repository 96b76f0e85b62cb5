// App IO, the app through which Italian public services write to citizens. The device token is the citizen's fiscal
// code. Credentials: the base URL with its version, https://api.io.pagopa.it/api/v1, and the key of the sending
// service, which the back office of IO shows; a message may bring the key of another service of the sender as `apiKey`
// in its overrides. API: https://docs.pagopa.it/io-guida-tecnica (API Messaggi)

import { destination, secret, text } from "../kit/credentials.ts";
import { type Outcome, rejected } from "../kit/outcome.ts";
import { withOverrides } from "../kit/overrides.ts";
import { defineProvider } from "../kit/provider.ts";
import { byStatus, type HttpReply, textAt } from "../kit/reply.ts";
import { baseUrl, post } from "../kit/request.ts";
import { retryUnknown } from "../kit/token.ts";

const read = (reply: HttpReply): Outcome =>
  byStatus(reply, textAt(reply.json, "id"), { code: String(reply.status), classes: { 404: "recipient" } });

function isLong(text: string, least: number, most: number): boolean {
  const { length } = [...text];
  return length >= least && length <= most;
}

const mayReceive = (reply: HttpReply): boolean =>
  (reply.json as { sender_allowed?: unknown } | null | undefined)?.sender_allowed !== false;

export default defineProvider({
  id: "appio",
  channel: "push",
  name: "App IO",
  docs: "https://docs.pagopa.it/io-guida-tecnica/api-e-specifiche/api-messaggi",
  help: "Publish a service in the back office of IO; it shows the key of the service (Ocp-Apim-Subscription-Key).",
  credentials: { AppIOBaseUrl: destination(text("Base URL")), apiKey: secret("Service key", { optional: true }) },
  limits: { text: 10_000 },
  send: async (message, { AppIOBaseUrl, apiKey }, io) => {
    const { apiKey: brought, ...extra } = message.extra ?? {};
    const key = typeof brought === "string" ? brought : apiKey;
    if (!key) return rejected("config", "The credential apiKey of App IO is not set, and the message brings none");
    if (!isLong(message.title, 10, 120) || !isLong(message.body, 80, 10_000)) {
      return rejected("content", "App IO takes titles of 10 to 120 characters and texts of 80 to 10000");
    }
    const api = baseUrl(AppIOBaseUrl);
    const headers = { "ocp-apim-subscription-key": key };
    const fiscal_code = message.token.trim().toUpperCase();
    // The sender must look first whether the citizen uses the app and has not switched the service off.
    const profile = await retryUnknown(io.http(post(`${api}/profiles`, { headers, json: { fiscal_code } })));
    if (profile.status >= 300) return read(profile);
    if (!mayReceive(profile)) return rejected("recipient", "The citizen does not take messages of this service");
    const content = { subject: message.title, markdown: message.body };
    const request = post(`${api}/messages`, { headers, json: { fiscal_code, content } });
    return read(await io.http(withOverrides(request, { ...message, extra })));
  },
});

// Any HTTP gateway, without code: each message is POSTed to the base URL as JSON {id, to, content, sender}, with the
// key (and a second one) in headers of your choice. With "Authenticate by token" the auth URL is POSTed first with the
// same headers; the token is read from `data.<token key>` of its response and sent in the header called <token key>,
// alongside the keys. `idPath` says where the response holds the id of the message; `datePath` is taken and not read,
// because the time of sending is ours. Reports are those of every generic webhook provider: see receipts.ts.

import { destination, flag, secret, text } from "../kit/credentials.ts";
import { rejected, SendError } from "../kit/outcome.ts";
import { withOverrides } from "../kit/overrides.ts";
import { defineProvider } from "../kit/provider.ts";
import { genericReceipts } from "../kit/receipts.ts";
import { byStatus, type HttpReply, textAt } from "../kit/reply.ts";
import { post } from "../kit/request.ts";
import { cacheKey, fetchToken, withToken } from "../kit/token.ts";

const wrong = (field: string, wanted: string): SendError =>
  new SendError(rejected("config", `${field} must be ${wanted}`));

function address(field: string, given = ""): string {
  const url = URL.parse(given.trim());
  if (!url || !/^https?:$/.test(url.protocol)) throw wrong(field, "an address that begins with https:// or http://");
  return url.href;
}

function header(field: string, name = "", value = ""): Record<string, string> {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) throw wrong(field, "the name of a header");
  return { [name]: value };
}

export default defineProvider({
  id: "generic-sms",
  channel: "sms",
  name: "SMS webhook (generic HTTP)",
  help: "The address of your gateway, the names of the headers that carry your keys, and where its response holds the id.",
  credentials: {
    baseUrl: destination(text("Base URL")),
    apiKeyRequestHeader: text("API Key Request Header"),
    apiKey: secret("API Key"),
    secretKeyRequestHeader: text("Secret Key Request Header", { optional: true }),
    secretKey: secret("Secret Key", { optional: true }),
    idPath: text("Id Path", { default: "data.id" }),
    datePath: text("Date Path", { optional: true, default: "data.date" }),
    authenticateByToken: flag("Authenticate by token"),
    domain: destination(text("Auth URL", { optional: true })),
    authenticationTokenKey: text("Authentication Token Key", { optional: true }),
    from: text("From"),
  },
  send: async (message, credentials, io) => {
    const { apiKeyRequestHeader, apiKey, secretKeyRequestHeader, secretKey, domain, authenticationTokenKey } =
      credentials;
    const url = address("baseUrl", credentials.baseUrl);
    const keys = {
      ...header("apiKeyRequestHeader", apiKeyRequestHeader, apiKey),
      ...(secretKeyRequestHeader && secretKey
        ? header("secretKeyRequestHeader", secretKeyRequestHeader, secretKey)
        : {}),
    };
    const json = { id: message.id, to: message.to, content: message.text, sender: message.from };
    const call = (headers: Record<string, string>): Promise<HttpReply> =>
      io.http(withOverrides(post(url, { headers: { ...keys, ...headers }, json }), message));

    const withKey = (token: string) => call(header("authenticationTokenKey", authenticationTokenKey, token));
    const buy = () => {
      const request = post(address("domain", domain), { headers: keys });
      const names = Object.keys(header("authenticationTokenKey", authenticationTokenKey));
      return fetchToken(io, request, { at: ["data", ...names], expiresAt: ["data", "expires_in"] });
    };
    const key = cacheKey("generic-sms", domain, authenticationTokenKey, apiKey, secretKey);
    const reply = credentials.authenticateByToken ? await withToken(io, key, buy, withKey) : await call({});
    return byStatus(reply, textAt(reply.json, ...credentials.idPath.split(".")));
  },
  receipts: genericReceipts("sms"),
});

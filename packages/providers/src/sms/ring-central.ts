// RingCentral. Credentials: developers.ringcentral.com, an app with JWT authentication and the scope SMS, and a JWT
// created under Credentials. `secure` selects the sandbox. The sender is a number of the extension the JWT belongs to.
// Its webhooks want their challenge echoed in a header, so that delivery reports cannot be taken. API:
// https://developers.ringcentral.com/guide/messaging/sms/sending-sms, token:
// https://developers.ringcentral.com/guide/authentication/jwt-flow, codes: https://developers.ringcentral.com/guide/basics/errors

import { destination, flag, secret, text } from "../kit/credentials.ts";
import type { Io } from "../kit/io.ts";
import { withOverrides } from "../kit/overrides.ts";
import { defineProvider } from "../kit/provider.ts";
import { byStatus, checkByStatus, type ErrorClasses, type HttpReply, textAt } from "../kit/reply.ts";
import { get, type HttpRequest, post } from "../kit/request.ts";
import { cacheKey, fetchToken, withToken } from "../kit/token.ts";

type App = {
  readonly clientId: string;
  readonly secretKey: string;
  readonly token: string;
  readonly secure?: boolean;
};

const server = ({ secure }: App): string => `https://platform.${secure ? "devtest." : ""}ringcentral.com/restapi`;

const extension = (app: App): string => `${server(app)}/v1.0/account/~/extension/~`;

function call(app: App, io: Io, request: (token: string) => HttpRequest): Promise<HttpReply> {
  const { clientId, secretKey, token: assertion, secure } = app;
  const form = { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion };
  const buy = () => fetchToken(io, post(`${server(app)}/oauth/token`, { basic: [clientId, secretKey], form }));
  const key = cacheKey("ring-central", clientId, secretKey, assertion, String(secure));
  return withToken(io, key, buy, (token) => io.http(request(token)));
}

const classes: ErrorClasses = {
  "CMN-109": "config",
  "CMN-401": "config",
  "CMN-408": "config",
  "MSG-240": "recipient",
  "MSG-242": "config",
  "MSG-304": "config",
  from: "config",
  to: "recipient",
};

export default defineProvider({
  id: "ring-central",
  channel: "sms",
  name: "RingCentral",
  docs: "https://developers.ringcentral.com/guide/messaging",
  help: "Client ID and secret are those of your app in the RingCentral developer console; create the JWT under Credentials.",
  credentials: {
    clientId: text("Client ID"),
    secretKey: secret("Client secret"),
    secure: destination(flag("Is sandbox")),
    token: secret("JWT token"),
    from: text("From"),
  },
  limits: { text: 1000 },
  send: async (message, app, io) => {
    const json = { from: { phoneNumber: message.from }, to: [{ phoneNumber: message.to }], text: message.text };
    const reply = await call(app, io, (bearer) =>
      withOverrides(post(`${extension(app)}/sms`, { bearer, json }), message),
    );
    // An invalid parameter says more by its name: to.phoneNumber.
    const parameter = textAt(reply.json, "errors", 0, "parameterName")?.split(/[.[]/)[0] ?? "";
    const code = Object.hasOwn(classes, parameter) ? parameter : textAt(reply.json, "errors", 0, "errorCode");
    return byStatus(reply, textAt(reply.json, "id"), { code, classes });
  },
  check: async (app, io) => checkByStatus(await call(app, io, (bearer) => get(extension(app), { bearer }))),
});

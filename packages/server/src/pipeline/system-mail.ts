// The mail server that the operator named in the settings. It depends on no integration.
import { type Message, type Outcome, send } from "@tidings/providers";
import type { Config } from "../config.ts";
import type { NetworkCtx } from "../context.ts";

type Mailer = NonNullable<Config["mailer"]>;

export function sendSystemMail(ctx: NetworkCtx, { server, from }: Mailer, message: Message): Promise<Outcome> {
  const { host, user, password, secure, requireTls } = server;
  const login = { ...(user && { user }), ...(password && { password }) };
  const credentials = {
    ...{ host, port: String(server.port), secure, requireTls, ...login },
    ...{ from: from.address, senderName: from.name },
  };
  return send("nodemailer", message, credentials, ctx.io);
}

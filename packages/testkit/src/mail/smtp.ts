// A local mail server that requires a user name and a password.
import PostalMime, { type Email } from "postal-mime";
import { atEnd } from "../at-end.ts";
import { findPort } from "../programs/ports.ts";
import { type AbsentMail, createAbsentMail } from "./absent.ts";
import { accepting, openMailServer } from "./server.ts";

export type MailServer = {
  port: number;
  user: string;
  password: string;
  received: Email[];
  /** The same mails, byte by byte. */
  raw: string[];
  /** The passwords that clients sent, right or wrong. */
  logins: string[];
  stop(): Promise<void>;
};

/** Stopped when the file ends. Start it before the service: what is started first ends first. */
export async function startMailServer(): Promise<MailServer> {
  const login = { user: "mailer", password: "correct horse battery" };
  const received: Email[] = [];
  const raw: string[] = [];
  const logins: string[] = [];
  const { port, close: stop } = await openMailServer({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) => {
      logins.push(password ?? "");
      const isRight = username === login.user && password === login.password;
      done(isRight ? null : Object.assign(new Error("Invalid login"), { responseCode: 535 }), { user: username });
    },
    onData: accepting(async (bytes) => {
      raw.push(bytes.toString("latin1"));
      received.push(await PostalMime.parse(bytes));
    }),
  });
  atEnd(stop);
  return { port, ...login, received, raw, logins, stop };
}

/** A port without a listener, which no other test file takes. */
export const closedPort = findPort;

/** A mail server that is away until it is started. Stopped when the file ends. */
export function absentMailServer(port: number): AbsentMail {
  const mail = createAbsentMail(port);
  atEnd(mail.stop);
  return mail;
}

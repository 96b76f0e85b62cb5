// A local mail server that requires a user name and a password.
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer } from "smtp-server";
import { atEnd } from "../at-end.ts";

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
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    logger: false,
    closeTimeout: 20,
    onAuth: ({ username, password }, _session, done) => {
      logins.push(password ?? "");
      const isRight = username === login.user && password === login.password;
      done(isRight ? null : Object.assign(new Error("Invalid login"), { responseCode: 535 }), { user: username });
    },
    onData: (stream, _session, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", async () => {
        const bytes = Buffer.concat(chunks);
        raw.push(bytes.toString("latin1"));
        received.push(await PostalMime.parse(bytes));
        done();
      });
    },
  });
  server.on("error", () => {});
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const { port } = server.server.address() as AddressInfo;
  const stop = () => new Promise<void>((resolve) => server.close(() => resolve()));
  atEnd(stop);
  return { port, ...login, received, raw, logins, stop };
}

/** A port without a listener, below those that systems give to servers on port 0: another test file may start one. */
export async function closedPort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}

/** A mail server that is away until it is started. It takes every mail, and counts them by recipient. */
export function absentMailServer(port: number) {
  const received = new Map<string, number>();
  let firstAt = 0;
  let server: SMTPServer | undefined;
  const stop = () => new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
  atEnd(stop);
  return {
    port,
    received,
    firstAt: () => firstAt,
    stop,
    async start() {
      firstAt = 0;
      server = new SMTPServer({
        authOptional: true,
        disabledCommands: ["STARTTLS", "AUTH"],
        logger: false,
        closeTimeout: 20,
        onData: (stream, { envelope }, done) => {
          stream.resume();
          stream.on("end", () => {
            firstAt ||= performance.now();
            for (const { address } of envelope.rcptTo) received.set(address, 1 + (received.get(address) ?? 0));
            done();
          });
        },
      });
      server.on("error", () => {});
      server.listen(port, "127.0.0.1");
      await once(server.server, "listening");
    },
  };
}

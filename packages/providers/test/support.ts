// Servers and values the tests share. Everything listens on 127.0.0.1; nothing here reaches the network.

import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import {
  createServer as createHttp2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from "node:http2";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import type { TestContext } from "node:test";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from "smtp-server";
import { createIo, type EmailMessage, type Io, type IoOptions, type Message } from "../src/index.ts";

/** Every name is this machine; names under .invalid do not exist, names under .private are refused. */
export const resolveHere: IoOptions["resolveHost"] = async (host) => {
  if (host.endsWith(".invalid")) {
    throw Object.assign(new Error(`The host ${host} cannot be resolved`), { code: "HOST_UNRESOLVED" });
  }
  if (host.endsWith(".private")) {
    throw Object.assign(new Error(`Connections to ${host} are refused`), { code: "ADDRESS_REFUSED" });
  }
  return { address: "127.0.0.1", family: 4 };
};

export function openIo(
  t: { after(close: () => Promise<void>): void },
  options: Partial<IoOptions> = {},
): Io & { captured: Message[] } {
  const captured: Message[] = [];
  const io = createIo({
    resolveHost: resolveHere,
    capture: async (message) => void captured.push(message),
    timeoutMs: 5000,
    ...options,
  });
  t.after(() => io.close());
  return { ...io, captured };
}

export function email(changes: Partial<EmailMessage> = {}): EmailMessage {
  return {
    id: "0199a1b2-0000-7000-8000-000000000001",
    channel: "email",
    to: ["ada@example.com"],
    subject: "Hello",
    html: "<p>Hello Ada</p>",
    text: "Hello Ada",
    ...changes,
  };
}

/**
 * What the mail below contains, for assertions: every possible byte, including NUL and those that are not ASCII, an
 * image that the HTML shows, and a header that has to be folded.
 */
export const rich = (() => {
  const pdf = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const png = Buffer.from("89504e470d0a1a0a00ff80c3280d0a2e0d0a", "hex");
  return {
    ...{ pdf, png, pdfBase64: Buffer.from(pdf).toString("base64"), pngBase64: png.toString("base64") },
    html: '<p>Hello Ada <img src="cid:logo@example.com"></p>',
    headers: { "X-Campaign": "spring", "X-Trace": "0123456789abcdef ".repeat(55).trim() },
    origin: { workflowId: "order-shipped", transactionId: "txn_1", subscriberId: "ada@example.com" },
    /** Its metadata, for providers that support it, in addition to the message id. */
    metadata: {
      tidingsWorkflowId: "order-shipped",
      tidingsTransactionId: "txn_1",
      tidingsSubscriberId: "ada@example.com",
    },
  };
})();

/** A mail with everything a mail can have, the harder the better. */
export function richEmail(changes: Partial<EmailMessage> = {}): EmailMessage {
  return email({
    to: ["Ada Lovelace <ada@example.com>", "Zoë Ñandú <b@example.com>"],
    // Addresses that are already recipients, in another case.
    cc: ["c@example.com", "ADA@Example.com"],
    bcc: ["Carl <C@example.com>", "d@example.com", "B@EXAMPLE.COM"],
    from: "team@example.com",
    senderName: "Team, North",
    replyTo: "Help <help@example.com>",
    subject: "Grüße 🎉",
    html: rich.html,
    headers: rich.headers,
    attachments: [
      { name: "Überblick.pdf", mime: "application/pdf", content: rich.pdf },
      { name: "logo.png", mime: "image/png", content: rich.png, contentId: "logo@example.com" },
    ],
    origin: rich.origin,
    ...changes,
  });
}

export type Received = {
  mail: Email;
  raw: string;
  recipients: string[];
  sender: string;
};

export async function startSmtp(t: TestContext, options: SMTPServerOptions = {}) {
  const received: Received[] = [];
  const sessions = new Set<string>();
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    logger: false,
    closeTimeout: 20,
    onConnect: (session, done) => {
      sessions.add(session.id);
      done();
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", async () => {
        const raw = Buffer.concat(chunks);
        received.push({
          mail: await PostalMime.parse(raw),
          raw: raw.toString("utf8"),
          recipients: session.envelope.rcptTo.map(({ address }) => address),
          sender: senderOf(session),
        });
        done();
      });
    },
    ...options,
  });
  server.on("error", () => {});
  const sockets = new Set<Socket>();
  server.server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  /** As a server does with idle connections. Resolves when the other side has noticed it. */
  const endConnections = async () => {
    await Promise.all([...sockets].map((socket) => Promise.all([once(socket, "close"), socket.end()])));
  };
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  t.after(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.server.address() as AddressInfo;
  return { port, received, sessions, endConnections };
}

const senderOf = ({ envelope }: SMTPServerSession): string => (envelope.mailFrom ? envelope.mailFrom.address : "");

/** An SMTP error as the server package takes it. */
export function smtpError(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

async function listen(t: TestContext, server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

export async function startHttp(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  t.after(() => server.closeAllConnections());
  return `http://api.test:${await listen(t, server)}`;
}

type Http2Listener = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

export async function startHttp2(t: TestContext, listener: Http2Listener) {
  const sessions: ServerHttp2Session[] = [];
  const server = createHttp2Server(listener);
  server.on("session", (session) => {
    sessions.push(session);
    session.on("error", () => {});
  });
  server.on("sessionError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  return { url: `http://push.test:${(server.address() as AddressInfo).port}`, sessions };
}

export async function startTcp(t: TestContext, onConnection: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    onConnection(socket);
  });
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  return listen(t, server);
}

/** A port without a listener. */
export async function closedPort(): Promise<number> {
  const server = createTcpServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

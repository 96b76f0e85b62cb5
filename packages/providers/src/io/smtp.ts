// Pooled SMTP. One pool per set of connection settings, the 50 most recently used kept open.
//
// Two things are ours rather than nodemailer's. Connections are opened here, to the address the guard has checked,
// so that nodemailer never resolves a name. And each delivery keeps hold of the stream its body is read from: the
// end of that stream is the moment after which a lost connection no longer proves that nothing was delivered.

import { createHash } from "node:crypto";
import { connect, type Socket } from "node:net";
import { Readable } from "node:stream";
import { createTransport, type SendMailOptions, type SMTPPoolOptions } from "nodemailer";
import { SendFault } from "../outcome.ts";
import type { Mail, SmtpLine, SmtpSettings } from "../provider.ts";
import type { Resolve } from "./http.ts";
import { composeShort } from "./smtp-compose.ts";
import { classify, deadlineError } from "./smtp-faults.ts";

const maxPools = 50;
const connectMs = 10_000;
const socketMs = 30_000;

// The only TLS settings a tenant may choose. Others, such as host, path or socket, would redirect the connection.
// biome-ignore format: a list of names reads better in lines than in a column
const tlsMembers = [
  "rejectUnauthorized", "servername", "ca", "cert", "key", "pfx", "passphrase", "ciphers", "ecdhCurve", "sigalgs",
  "minVersion", "maxVersion", "dhparam",
];

interface Pool extends SmtpLine {
  close(): void;
}

export const createSmtp = (resolve: Resolve, timeoutMs: number) => {
  // A Map keeps the order of insertion, so the first key is the one used longest ago.
  const pools = new Map<string, Pool>();

  const line = (settings: SmtpSettings): SmtpLine => {
    const key = createHash("sha256").update(JSON.stringify(settings)).digest("base64");
    const pool = pools.get(key) ?? openPool(settings, resolve, timeoutMs);
    pools.delete(key);
    pools.set(key, pool);
    const [oldest] = pools.keys();
    if (pools.size > maxPools && oldest !== undefined) {
      pools.get(oldest)?.close();
      pools.delete(oldest);
    }
    return pool;
  };

  const close = (): void => {
    for (const pool of pools.values()) pool.close();
    pools.clear();
  };

  return { line, close };
};

interface Flight {
  body?: Readable;
  cancelled: boolean;
}

interface TrackedMail extends SendMailOptions {
  flight: Flight;
}

const openPool = (settings: SmtpSettings, resolve: Resolve, timeoutMs: number): Pool => {
  const transport = createTransport({ ...poolOptions(settings), pool: true, getSocket: openSocket(settings, resolve) });

  transport.use("stream", (mail, done) => {
    const { flight } = mail.data as TrackedMail;
    const open = mail.message.createReadStream.bind(mail.message);
    // A signature is made by nodemailer, on the stream it makes.
    const bytes = settings.dkim ? undefined : composeShort(mail.message);
    mail.message.createReadStream = (options) => {
      const body = bytes ? streamOf(bytes) : open(options);
      flight.body = body;
      // The caller has given up and will repeat: this copy must not go out as well.
      if (flight.cancelled) body.destroy(deadlineError(timeoutMs));
      return body;
    };
    done();
  });

  const send = async (mail: Mail): Promise<void> => {
    const flight: Flight = { cancelled: false };
    const tracked: TrackedMail = { ...toNodemailer(mail), flight };
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const error = deadlineError(timeoutMs);
        reject(error);
        flight.cancelled = true;
        // Without its end the server cannot accept the message, so the outcome is certain again.
        if (!flight.body?.readableEnded) flight.body?.destroy(error);
      }, timeoutMs);
    });
    try {
      await Promise.race([transport.sendMail(tracked), limit]);
    } catch (error) {
      throw asFault(error, flight.body?.readableEnded === true);
    } finally {
      clearTimeout(timer);
    }
  };

  const verify = async (): Promise<void> => {
    try {
      await transport.verify();
    } catch (error) {
      throw asFault(error, false);
    }
  };

  return { send, verify, close: () => transport.close() };
};

const streamOf = (bytes: Buffer): Readable =>
  new Readable({
    read() {
      this.push(bytes);
      this.push(null);
    },
  });

const asFault = (error: unknown, bodyWritten: boolean): SendFault =>
  error instanceof SendFault ? error : new SendFault(classify(error, bodyWritten));

const poolOptions = (settings: SmtpSettings): SMTPPoolOptions => {
  const { user, password, dkim, tlsOptions = {} } = settings;
  return {
    host: settings.host,
    port: settings.port,
    secure: settings.secure ?? settings.port === 465,
    requireTLS: settings.requireTls === true,
    ignoreTLS: settings.ignoreTls === true,
    tls: Object.fromEntries(Object.entries(tlsOptions).filter(([name]) => tlsMembers.includes(name))),
    ...(user ? { auth: { user, pass: password ?? "" } } : {}),
    ...(dkim ? { dkim: dkimOptions(dkim) } : {}),
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: socketMs,
    maxConnections: 10,
    // A server may close a pooled connection between two messages; nodemailer then moves the message to another
    // connection, and only while not a byte of it was sent.
    maxRequeues: 2,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
};

/** What is signed when it is there. RFC 8058 asks for both unsubscribe headers; nodemailer's own list has only the first. */
// biome-ignore format: a list of names reads better in lines than in a column
const signedHeaders = [
  "From", "Sender", "Reply-To", "Subject", "Date", "Message-ID", "To", "Cc", "MIME-Version", "Content-Type",
  "Content-Transfer-Encoding", "In-Reply-To", "References", "List-Id", "List-Help", "List-Unsubscribe",
  "List-Unsubscribe-Post", "List-Subscribe", "List-Post", "List-Owner", "List-Archive",
];

const dkimOptions = ({ domain, selector, privateKey }: NonNullable<SmtpSettings["dkim"]>) => ({
  domainName: domain,
  keySelector: selector,
  privateKey,
  headerFieldNames: signedHeaders.join(":"),
});

const openSocket =
  ({ host, port }: SmtpSettings, resolve: Resolve): NonNullable<SMTPPoolOptions["getSocket"]> =>
  (_options, callback) => {
    resolve(host)
      .then(({ address }) => connected(connect({ host: address, port })))
      .then(
        (connection) => callback(null, { connection }),
        (error: Error) => callback(error),
      );
  };

const connected = (socket: Socket): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(new Error("The server could not be reached in time")), connectMs);
    const fail = (error: Error): void => {
      clearTimeout(timer);
      reject(error);
    };
    socket.once("error", fail);
    socket.once("connect", () => {
      clearTimeout(timer);
      socket.removeListener("error", fail);
      resolve(socket);
    });
  });

const toNodemailer = (mail: Mail): SendMailOptions => ({
  messageId: mail.messageId,
  from: mail.from,
  to: mail.to,
  cc: mail.cc,
  bcc: mail.bcc,
  ...(mail.replyTo ? { replyTo: mail.replyTo } : {}),
  subject: mail.subject,
  html: mail.html,
  text: mail.text,
  headers: mail.headers,
  attachments: mail.attachments.map(({ name, mime, content }) => ({
    filename: name,
    contentType: mime,
    content: Buffer.from(content),
  })),
});

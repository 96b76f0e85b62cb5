// Pooled SMTP. One pool per set of connection settings; the 50 most recently used are kept open, and those in use.
//
// Four things are done here and not by nodemailer. Connections are opened to the address that the guard has checked, so
// nodemailer never resolves a name. A mail waits for a free slot first, so its timeout begins when a connection takes
// it. The stream of the body is observed: once it has ended, a lost connection is an unknown outcome and no longer a
// retry. And a mail whose own recipient is refused is not sent at all.

import { createHash } from "node:crypto";
import { connect, type Socket } from "node:net";
import { Readable } from "node:stream";
import type { SendMailOptions, SMTPPoolOptions } from "nodemailer";
import type MimeNode from "nodemailer/lib/mime-node";
import { inlineContentId } from "../kit/email.ts";
import type { SmtpPool, SmtpSettings } from "../kit/io.ts";
import { loadNodemailer } from "../kit/libraries.ts";
import type { Mail } from "../kit/mail.ts";
import type { Attachment } from "../kit/message.ts";
import { decidedLocally, retry, SendError } from "../kit/outcome.ts";
import type { Resolve } from "./exchange.ts";
import { createSlots } from "./slots.ts";
import { composeShort } from "./smtp-compose.ts";
import { classify, deadlineError, isOutOfStep } from "./smtp-faults.ts";
import { connectMs, maxConnections, poolOptions } from "./smtp-settings.ts";

const maxPools = 50;

type Pool = {
  send(mail: Mail, isUrgent: boolean): Promise<string[]>;
  verify(): Promise<void>;
  isIdle(): boolean;
  close(): void;
};

export function createSmtp(resolve: Resolve, timeoutMs: number) {
  // A Map keeps the order of insertion, so the first key is the one used longest ago.
  const pools = new Map<string, Pool>();

  const poolOf = (settings: SmtpSettings, isUrgent = false): SmtpPool => {
    const key = createHash("sha256").update(JSON.stringify(settings)).digest("base64");
    const pool = pools.get(key) ?? openPool(settings, resolve, timeoutMs);
    pools.delete(key);
    pools.set(key, pool);
    if (pools.size > maxPools) closeIdle(pool);
    return { send: (mail) => pool.send(mail, isUrgent), verify: pool.verify };
  };

  /** Closing a pool fails the mails waiting in it, so a pool in use is kept, even beyond the limit. */
  const closeIdle = (wanted: Pool): void => {
    for (const [key, pool] of pools) {
      if (pool === wanted || !pool.isIdle()) continue;
      pool.close();
      pools.delete(key);
      if (pools.size <= maxPools) return;
    }
  };

  const close = (): void => {
    for (const pool of pools.values()) pool.close();
    pools.clear();
  };

  return { poolOf, close };
}

type Transfer = {
  body?: Readable;
  cancelled: boolean;
};

type TrackedMail = SendMailOptions & {
  transfer: Transfer;
};

type Envelope = {
  to: string[];
  rejectedErrors?: (Error & { recipient?: string })[];
};

function openTransport(settings: SmtpSettings, resolve: Resolve, timeoutMs: number) {
  const transport = loadNodemailer().createTransport({
    ...poolOptions(settings),
    pool: true,
    getSocket: openSocket(settings, resolve),
  });
  transport.use("stream", (mail, done) => {
    const { transfer } = mail.data as TrackedMail;
    const { message } = mail;
    const open = message.createReadStream.bind(message);
    // nodemailer signs, on the stream it creates.
    const bytes = settings.dkim ? undefined : composeShort(message);
    message.createReadStream = (options) => {
      const body = bytes ? streamOf(bytes) : open(options);
      transfer.body = body;
      // The caller has given up and will repeat: this copy must not be sent as well.
      if (transfer.cancelled) body.destroy(deadlineError(timeoutMs));
      else if (mail.data.envelope) stopIfRefused(body, message);
      return body;
    };
    done();
  });
  return transport;
}

function openPool(settings: SmtpSettings, resolve: Resolve, timeoutMs: number): Pool {
  let transport = openTransport(settings, resolve, timeoutMs);
  const slots = createSlots(maxConnections, timeoutMs, () => timeoutFault(settings.host, timeoutMs));

  /** nodemailer would use the connection again, and does not say which one it was. */
  const renewTransport = (used: typeof transport) => {
    if (used !== transport) return;
    transport = openTransport(settings, resolve, timeoutMs);
    used.close();
  };

  const send = async (mail: Mail, isUrgent: boolean): Promise<string[]> => {
    const tracked: TrackedMail = { ...toNodemailer(mail), transfer: { cancelled: false } };
    const slot = slots.acquire(isUrgent);
    if (slot) await slot;
    return handOver(tracked);
  };

  const handOver = (mail: TrackedMail): Promise<string[]> =>
    new Promise((resolve, reject) => {
      const { transfer } = mail;
      const isWritten = (): boolean => transfer.body?.readableEnded === true;
      const timer = setTimeout(() => {
        const error = deadlineError(timeoutMs);
        reject(asFault(error, isWritten()));
        transfer.cancelled = true;
        // Without its end the server cannot accept the message, so the outcome is certain again.
        if (!isWritten()) transfer.body?.destroy(error);
      }, timeoutMs);
      const used = transport;
      used.sendMail(mail, (error, info) => {
        clearTimeout(timer);
        if (error && isOutOfStep(error)) renewTransport(used);
        // Now and no earlier: the connection of a mail that was given up is busy until nodemailer has closed it.
        slots.release();
        if (error) reject(asFault(error, isWritten()));
        else resolve((info.rejectedErrors ?? []).map(({ recipient, response }) => `${recipient}: ${response}`));
      });
    });

  const verify = async (): Promise<void> => {
    try {
      await transport.verify();
    } catch (error) {
      throw asFault(error, false);
    }
  };

  return { send, verify, isIdle: slots.isIdle, close: () => transport.close() };
}

const timeoutFault = (host: string, waitMs: number): SendError =>
  new SendError(
    decidedLocally(retry(`No connection to ${host} was free for the message within ${waitMs / 1000} seconds`)),
  );

/**
 * nodemailer sends a mail as soon as the server accepts any of its recipients. If the main recipient, the first, is
 * refused, the mail is stopped before its first byte: if its copies were sent, a repeat would send them a second time.
 * The server's response for each recipient is on the envelope by the time the body is requested.
 */
function stopIfRefused(body: Readable, message: MimeNode): void {
  const pipe = body.pipe.bind(body);
  body.pipe = (target, options) => {
    const { to, rejectedErrors } = message.getEnvelope() as Envelope;
    const refusal = rejectedErrors?.find(({ recipient }) => recipient === to[0]);
    if (!refusal) return pipe(target, options);
    body.destroy(asFault(refusal, false));
    return target;
  };
}

function streamOf(bytes: Buffer): Readable {
  return new Readable({
    read() {
      this.push(bytes);
      this.push(null);
    },
  });
}

const asFault = (error: unknown, bodyWritten: boolean): SendError =>
  error instanceof SendError ? error : new SendError(classify(error, bodyWritten));

function openSocket({ host, port }: SmtpSettings, resolve: Resolve): NonNullable<SMTPPoolOptions["getSocket"]> {
  return (_options, callback) => {
    resolve(host)
      .then(({ address }) => connected(connect({ host: address, port })))
      .then(
        (connection) => callback(null, { connection }),
        (error: Error) => callback(error),
      );
  };
}

function connected(socket: Socket): Promise<Socket> {
  return new Promise((resolve, reject) => {
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
}

function toNodemailer(mail: Mail): SendMailOptions {
  return {
    ...(mail.to.length + mail.cc.length + mail.bcc.length > 1 ? { envelope: envelopeOf(mail) } : {}),
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
    attachments: mail.attachments.map((file) => ({
      filename: file.name,
      contentType: file.mime,
      content: Buffer.from(file.content),
      ...(file.disposition ? { contentDisposition: file.disposition } : {}),
      ...cidOf(file),
    })),
  };
}

/** With an id, nodemailer puts the image next to the HTML that shows it (multipart/related). */
function cidOf(file: Attachment) {
  const cid = inlineContentId(file);
  return cid === undefined ? {} : { cid, contentDisposition: "inline" as const };
}

/** Given rather than read from the headers, so that what is said about its recipients can be found on it. */
const envelopeOf = ({ from, to, cc, bcc }: Mail) => ({ from, to: [...to, ...cc, ...bcc] });

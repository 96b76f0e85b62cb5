// What all fake mail servers have in common: SMTP on this machine, without encryption.
import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";
import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { SMTPServer, type SMTPServerDataStream, type SMTPServerOptions, type SMTPServerSession } from "smtp-server";

export type OpenMailServer = { port: number; server: Server; close(): Promise<void> };

/** `port`: any free one by default. */
export async function openMailServer(options: SMTPServerOptions, port = 0): Promise<OpenMailServer> {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 20,
    ...options,
  });
  server.on("error", () => {});
  server.listen(port, "127.0.0.1");
  await once(server.server, "listening");
  return {
    port: (server.server.address() as AddressInfo).port,
    server: server.server,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** The whole mail; null if the connection broke first. */
export const readMail = (stream: SMTPServerDataStream): Promise<Buffer | null> =>
  buffer(stream as Readable).catch(() => null);

/** Accepts every mail, after `take` has been done with it. */
export const accepting =
  (take: (mail: Buffer, recipients: string[]) => unknown): SMTPServerOptions["onData"] =>
  async (stream, session, done) => {
    const mail = await readMail(stream);
    if (!mail) return;
    await take(mail, recipientsOf(session));
    done();
  };

const recipientsOf = ({ envelope }: SMTPServerSession): string[] => envelope.rcptTo.map(({ address }) => address);

export const subjectOf = (mail: string): string => /^subject: (.*)$/im.exec(mail)?.[1]?.trim() ?? "";

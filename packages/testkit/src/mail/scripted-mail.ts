// A mail server scripted by a test: for each recipient it accepts the mail, refuses it with a code, or delays the
// response.
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import PostalMime, { type Email } from "postal-mime";
import { atEnd } from "../at-end.ts";
import { accepting, openMailServer } from "./server.ts";

/** An SMTP code to refuse with, or null to accept. `times` counts how often this recipient was named before. */
export type Script = (address: string, times: number) => number | null | Promise<number | null>;

export type ScriptedMail = {
  port: number;
  /** How often each recipient was named. */
  asked: Map<string, number>;
  /** The mails taken for a recipient. */
  mailsTo(address: string): Email[];
};

/** Runs when a mail has been read in full, before the server accepts it. */
export type AtTheEnd = (address: string) => Promise<void>;

/** Stopped when the file ends. Start it before the service: what is started first ends first. */
export async function startScriptedMail(script: Script, atTheEnd?: AtTheEnd): Promise<ScriptedMail> {
  const asked = new Map<string, number>();
  const received: { to: string; mail: Email }[] = [];
  const { port, close } = await openMailServer({
    allowInsecureAuth: true,
    onAuth: (_auth, _session, done) => done(Object.assign(new Error("Invalid login"), { responseCode: 535 })),
    onRcptTo: async ({ address }, _session, done) => {
      const times = asked.get(address) ?? 0;
      asked.set(address, times + 1);
      const code = await script(address, times);
      done(code === null ? null : Object.assign(new Error(`scripted ${code}`), { responseCode: code }));
    },
    onData: accepting(async (bytes, recipients) => {
      const mail = await PostalMime.parse(bytes);
      for (const to of recipients) received.push({ to, mail });
      for (const address of recipients) await atTheEnd?.(address);
    }),
  });
  atEnd(close);
  const mailsTo = (address: string) => received.flatMap((entry) => (entry.to === address ? [entry.mail] : []));
  return { port, asked, mailsTo };
}

/** A promise that the test resolves. */
export function gate(): { opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

/** Accepts every mail and closes the connection without a response, so that the outcome is unknown to the sender. */
export async function startLossyMail(): Promise<{ port: number; taken(): number }> {
  let taken = 0;
  const server = createServer((socket) => {
    let isBody = false;
    let text = "";
    socket.on("error", () => {});
    socket.write("220 ready\r\n");
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      if (isBody && text.endsWith("\r\n.\r\n")) {
        taken++;
        socket.destroy();
      } else if (!isBody && text.endsWith("\r\n")) {
        isBody = /^DATA\r\n/im.test(text);
        socket.write(isBody ? "354 go on\r\n" : "250 fine\r\n");
        text = "";
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  atEnd(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { port: (server.address() as AddressInfo).port, taken: () => taken };
}

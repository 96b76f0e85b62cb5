// The fake mail server: SMTP, one delivery for each message that was received completely.
import type { Socket } from "node:net";
import { openMailServer, readMail, subjectOf } from "@tidings/testkit/mail/server";
import type { SMTPServerSession } from "smtp-server";
import type { Delivery } from "../../auditor/evidence.ts";
import type { EvidenceWriter } from "../parts.ts";
import { createMoods, type Moods } from "./moods.ts";
import type { FakeProvider } from "./sms-gateway.ts";

type Evidence = Pick<EvidenceWriter, "delivery">;

export async function startMailServer(evidence: Evidence, seed: number): Promise<FakeProvider> {
  const moods = createMoods(seed, "smtp");
  /** By the port of the client, by which a session finds its connection to break it off. */
  const connections = new Map<number, Connection>();
  const { port, server, close } = await openMailServer({
    disabledCommands: ["AUTH", "STARTTLS"],
    async onData(stream, session, callback) {
      const mail = await readMail(stream);
      const connection = connections.get(session.remotePort);
      if (mail && connection) await answerMail({ text: String(mail), session, moods, evidence, connection, callback });
    },
  });
  server.on("connection", (socket: Socket) => {
    const port = socket.remotePort;
    if (port === undefined) return;
    const hasGone = new Promise<void>((resolve) => socket.once("close", resolve));
    const connection = { socket, hasGone, isOutOfStep: false };
    connections.set(port, connection);
    void hasGone.then(() => connections.get(port) === connection && connections.delete(port));
  });
  return {
    port,
    moods,
    async close() {
      moods.close();
      for (const { socket } of connections.values()) socket.destroy();
      await close();
    },
  };
}

/** `isOutOfStep`: it had a reply too many, so the client takes each reply for that to its next command. */
type Connection = { socket: Socket; hasGone: Promise<void>; isOutOfStep: boolean };

type Exchange = {
  text: string;
  session: SMTPServerSession;
  moods: Moods;
  evidence: Evidence;
  connection: Connection;
  callback(error?: Error | null): void;
};

async function answerMail({ text, session, moods, evidence, connection, callback }: Exchange): Promise<void> {
  const { socket, hasGone } = connection;
  const at = Date.now();
  const messageId = /^message-id:\s*<([^@>]*)/im.exec(text)?.[1] ?? "";
  const subject = subjectOf(text);
  const to = session.envelope.rcptTo.map(({ address }) => address).join(" ");
  const record = (answer: Delivery["answer"]) =>
    evidence.delivery({ provider: "smtp", at, answeredAt: Date.now(), messageId, to, text: subject, answer });
  const { answer, lateMs } = moods.decide(messageId);
  if (answer === "hung") {
    await Promise.race([moods.wait(), hasGone]);
    record("hung");
    return void socket.destroy();
  }
  if (answer === "late") await Promise.race([new Promise((resolve) => setTimeout(resolve, lateMs)), hasGone]);
  if (answer === "lost" || socket.destroyed) {
    record("lost");
    return void socket.destroy();
  }
  // Its client does not read the response to this message, but the one before it.
  record(connection.isOutOfStep && answer !== "refused" ? "lost" : answer);
  if (answer === "refused") return callback(Object.assign(new Error("busy, try again"), { responseCode: 451 }));
  callback();
  if (answer !== "twice") return;
  connection.isOutOfStep = true;
  socket.write("250 OK: message queued\r\n");
}

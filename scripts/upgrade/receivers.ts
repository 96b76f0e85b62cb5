// What the service sends to, outside of it: a mail server and an SMS gateway, which count what they get, and inboxes
// that are connected over the stream and reconnect as a browser does.
import { json } from "node:stream/consumers";
import { accepting, openMailServer, subjectOf } from "@tidings/testkit/mail/server";
import { openHttpServer } from "@tidings/testkit/servers/http";
import { openStream } from "../../packages/server/test/live/clients.ts";

/** How often each text came. */
export type Receiver = { port: number; counts: Map<string, number>; close(): Promise<void> };

const counter = () => {
  const counts = new Map<string, number>();
  const count = (text: string) => void counts.set(text, (counts.get(text) ?? 0) + 1);
  return { counts, count };
};

/** Counts mails by their subject. */
export async function startMailServer(): Promise<Receiver> {
  const { counts, count } = counter();
  const { port, close } = await openMailServer({
    disabledCommands: ["AUTH", "STARTTLS"],
    onData: accepting((mail) => count(subjectOf(String(mail)))),
  });
  return { port, counts, close };
}

/** Counts messages by their text. `isRefusedFirst`: gets a 503 at the first attempt, and is accepted at the second. */
export async function startSmsGateway(isRefusedFirst: (text: string) => boolean = () => false): Promise<Receiver> {
  const { counts, count } = counter();
  const refused = new Set<string>();
  const { port, close } = await openHttpServer(async (request, response) => {
    const { id, content } = (await json(request)) as { id: string; content: string };
    response.setHeader("content-type", "application/json");
    if (isRefusedFirst(content) && !refused.has(content)) {
      refused.add(content);
      return void response.writeHead(503).end("{}");
    }
    count(content);
    response.end(JSON.stringify({ id }));
  });
  return { port, counts, close };
}

export type LiveInbox = {
  subscriberId: string;
  /** How often each message came, by its id. */
  received: Map<string, number>;
  isOpen(): boolean;
  reconnections(): number;
  close(): void;
};

const retryMs = 2_000;

export function openInbox(url: string, subscriberId: string, token: string): LiveInbox {
  const received = new Map<string, number>();
  let reconnections = 0;
  let lastId: string | undefined;
  const open = () =>
    openStream(url, token, {
      lastId,
      onEvent: ({ name, id, data }) => {
        lastId = id ?? lastId;
        if (name === "notification") received.set(data.id, (received.get(data.id) ?? 0) + 1);
      },
    });
  let stream = open();
  // Longer than a connection takes.
  const timer = setInterval(() => {
    if (stream.isOpen()) return;
    stream.close();
    stream = open();
    reconnections++;
  }, retryMs);
  return {
    subscriberId,
    received,
    isOpen: () => stream.isOpen() && stream.named("counts").length > 0,
    reconnections: () => reconnections,
    close() {
      clearInterval(timer);
      stream.close();
    },
  };
}

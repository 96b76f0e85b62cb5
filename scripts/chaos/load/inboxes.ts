// Live inboxes over the event stream, which reconnect as a browser does: with the id of the last event, after a pause
// that grows, at the next process.
import { type ClientRequest, get, type IncomingMessage } from "node:http";
import type { StreamEvent } from "../../auditor/evidence.ts";
import type { EvidenceWriter } from "../parts.ts";
import { type LoadEnvironment, openSession } from "./world.ts";

export type Inboxes = {
  figures(): { open: number; reconnections: number };
  /** Whether every inbox is connected and has its counts. */
  areReady(): boolean;
  close(): void;
};

const firstPauseMs = 500;
const longestPauseMs = 5_000;
/** The service sends something every 25 s. */
const silentMs = 60_000;
const connectMs = 15_000;

export async function openInboxes(
  urls: string[],
  environments: LoadEnvironment[],
  evidence: EvidenceWriter,
): Promise<Inboxes> {
  const inboxes: ReturnType<typeof openInbox>[] = [];
  for (const environment of environments) {
    for (const subscriberId of environment.live) {
      const token = await openSession(environment, subscriberId);
      const record = (event: Pick<StreamEvent, "connection" | "name"> & Partial<StreamEvent>) =>
        evidence.stream({ environment: environment.name, subscriberId, at: Date.now(), ...event });
      inboxes.push(openInbox({ urls, first: inboxes.length, token, record }));
    }
  }
  return {
    figures: () => ({
      open: inboxes.filter((inbox) => inbox.isOpen()).length,
      reconnections: inboxes.reduce((sum, inbox) => sum + inbox.connections() - 1, 0),
    }),
    areReady: () => inboxes.every((inbox) => inbox.isReady()),
    close() {
      for (const inbox of inboxes) inbox.close();
    },
  };
}

type Entry = Pick<StreamEvent, "connection" | "name"> & Partial<StreamEvent>;
type Opened = { urls: string[]; first: number; token: string; record(event: Entry): void };

function openInbox({ urls, first, token, record }: Opened) {
  let [connection, isOpen, isReady, isClosed, pauseMs] = [0, false, false, false, firstPauseMs];
  let lastId: string | undefined;
  let request: ClientRequest | undefined;
  let timer: NodeJS.Timeout | undefined;

  const read = (response: IncomingMessage, number: number) => {
    readBlocks(response, (block) => {
      const event = parseEvent(block);
      if (!event) return;
      lastId = event.id ?? lastId;
      for (const entry of describeEvent(event)) record({ connection: number, id: event.id, ...entry });
      if (event.name === "counts") [isReady, pauseMs] = [true, firstPauseMs];
    });
  };
  const connect = () => {
    const number = ++connection;
    const headers = { authorization: `Bearer ${token}`, ...(lastId && { "last-event-id": lastId }) };
    const url = urls[(first + number - 1) % urls.length]!;
    let hasEnded = false;
    const end = (reason: string) => {
      if (hasEnded) return;
      hasEnded = true;
      clearTimeout(connecting);
      call.destroy();
      if (isOpen) record({ connection: number, name: "close", text: reason });
      [isOpen, isReady] = [false, false];
      if (isClosed) return;
      timer = setTimeout(connect, pauseMs);
      pauseMs = Math.min(longestPauseMs, pauseMs * 2);
    };
    const call = get(`${url}/v1/inbox/stream`, { headers, agent: false }, (response) => {
      clearTimeout(connecting);
      if (response.statusCode !== 200) {
        response.resume();
        return end(`status ${response.statusCode}`);
      }
      isOpen = true;
      record({ connection: number, name: "open", text: url });
      read(response, number);
      response.on("error", () => {});
      response.on("close", () => end("ended"));
    });
    const connecting = setTimeout(() => end("no answer"), connectMs);
    call.setTimeout(silentMs, () => end("silent"));
    call.on("error", (error: NodeJS.ErrnoException) => end(error.code ?? error.name));
    request = call;
  };
  connect();
  return {
    isOpen: () => isOpen,
    isReady: () => isReady,
    connections: () => connection,
    close() {
      isClosed = true;
      clearTimeout(timer);
      request?.destroy();
    },
  };
}

function readBlocks(response: IncomingMessage, onBlock: (block: string) => void): void {
  let text = "";
  response.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    const blocks = text.split("\n\n");
    text = blocks.pop()!;
    for (const block of blocks) onBlock(block);
  });
}

// biome-ignore lint/suspicious/noExplicitAny: the data of any event
type Received = { name: string; id?: string; data: any };

/** Null for a comment. */
function parseEvent(block: string): Received | null {
  const fields = new Map(block.split("\n").map((line) => [line.split(":")[0]!, line.slice(line.indexOf(":") + 2)]));
  const [name, data] = [fields.get("event"), fields.get("data")];
  return name && data ? { name, id: fields.get("id"), data: JSON.parse(data) } : null;
}

type Described = Pick<StreamEvent, "name"> & Partial<StreamEvent>;

function describeEvent({ name, data }: Received): Described[] {
  if (name === "notification") return [{ name, messageId: data.id, text: data.body }];
  if (name === "counts") return [{ name, counts: { unread: data.unread.total, unseen: data.unseen } }];
  if (name === "removed") return data.ids.map((id: string) => ({ name: "other", messageId: id, text: name }));
  if (name !== "changed") return [{ name: "other", text: name }];
  // Null: so much has changed that the list has to be read again.
  return [{ name: "update", messageId: data.notification?.id, text: data.notification?.body }];
}

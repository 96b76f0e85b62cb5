// What live inboxes received: by inbox, which messages came on which connection.
import type { StreamEvent } from "./evidence.ts";
import { keyOf } from "./ledger.ts";

type Received = {
  text: string;
  firstAt: number;
  /** Its place among all messages of this inbox, in the order in which they first came. */
  order: number;
  /** The connections on which it came, in order; a connection twice if it came twice there. */
  connections: number[];
};

export type LiveInbox = {
  environment: string;
  person: string;
  /** By message id. */
  messages: Map<string, Received>;
  /** The first connection was opened: what came before it is not in the stream. */
  openedAt: number;
  connections: number;
  /** The last connection was opened, and closed, or is open. */
  lastOpenedAt: number;
  lastClosedAt: number | null;
  /** Ids of stream events that go back in time on their connection. */
  backwards: { connection: number; at: number; before: string; id: string }[];
  /** When the stream said that the list has to be read again, because so much had changed. */
  manyAt: number[];
  lastCounts: { at: number; unread?: number; unseen?: number; total?: number } | null;
};

export type Streams = { inboxes: Map<string, LiveInbox> /** Of all inboxes. */; lastAt: number };

export type StreamsReader = { add(event: StreamEvent): void; end(): Streams };

const maxBackwards = 20;

/** The time in the id of a stream event, in ms. The rest of the id names messages. */
const timeOfStreamId = (id: string): number => Number.parseInt(id.split(".")[0]!, 36);

export function readStreams(): StreamsReader {
  const inboxes = new Map<string, LiveInbox>();
  const lastIds = new Map<LiveInbox, { connection: number; id: string }>();
  let lastAt = 0;

  const noteId = (inbox: LiveInbox, { connection, at, id }: StreamEvent) => {
    if (id === undefined) return;
    const last = lastIds.get(inbox);
    if (last?.connection === connection && timeOfStreamId(id) < timeOfStreamId(last.id)) {
      if (inbox.backwards.length < maxBackwards) inbox.backwards.push({ connection, at, before: last.id, id });
    }
    lastIds.set(inbox, { connection, id });
  };
  return {
    add(event) {
      const { environment, subscriberId, connection, at, name, messageId, text = "", counts } = event;
      lastAt = Math.max(lastAt, at);
      const key = keyOf(environment, subscriberId);
      const inbox = inboxes.get(key) ?? openInbox(environment, subscriberId, at);
      inboxes.set(key, inbox);
      inbox.connections = Math.max(inbox.connections, connection);
      noteId(inbox, event);
      if (name === "open") {
        inbox.openedAt = Math.min(inbox.openedAt, at);
        [inbox.lastOpenedAt, inbox.lastClosedAt] = [at, null];
      }
      if (name === "close") inbox.lastClosedAt = at;
      if (name === "counts" && counts) inbox.lastCounts = { at, ...counts };
      if (name === "update" && messageId === undefined) inbox.manyAt.push(at);
      if (name !== "notification" || messageId === undefined) return;
      const known = inbox.messages.get(messageId);
      if (known) known.connections.push(connection);
      else inbox.messages.set(messageId, { text, firstAt: at, order: inbox.messages.size, connections: [connection] });
    },
    end: () => ({ inboxes, lastAt }),
  };
}

const openInbox = (environment: string, person: string, at: number): LiveInbox => ({
  ...{ environment, person, messages: new Map(), openedAt: at, connections: 0 },
  ...{ manyAt: [], lastOpenedAt: at, lastClosedAt: null, backwards: [], lastCounts: null },
});

/** Inboxes are closed together at the end of a run; one that closed earlier was not connected then. */
const closingMs = 10_000;

export const wasConnectedAtEnd = ({ lastClosedAt }: LiveInbox, lastAt: number): boolean =>
  lastClosedAt === null || lastClosedAt >= lastAt - closingMs;

// The live connections of this process, by inbox.
import { hintKey } from "../../lib/inbox-hints.ts";
import type { InboxSession } from "../../lib/tokens/inbox-token.ts";
import type { LiveEvent } from "./events.ts";
import type { Connection, Inbox } from "./reader.ts";

/** Why the server closes a connection. */
export type CloseReason = "restart" | "expired" | "revoked" | "deleted" | "slow" | "silent";

/** One way to reach a client. */
export type Port = {
  door: "sse" | "websocket" | "socket.io";
  send(event: LiveEvent): void;
  /** Output that the client has not read yet. */
  bufferedBytes(): number;
  /** Sends a heartbeat; false when the client has not responded to the one before. */
  beat(): boolean;
  close(reason: CloseReason): void;
};

/** `isBehind`: it had too much unread output a second ago. */
export type LiveConnection = Connection & {
  session: InboxSession;
  port: Port;
  inbox: Inbox;
  beatAt: number;
  isBehind: boolean;
  releasePlace(): void;
};

export type Connections = ReturnType<typeof createConnections>;

export function createConnections() {
  /** By subscriber: one inbox for all messages, and one for each set of contexts with a session. */
  const inboxes = new Map<string, Inbox[]>();
  const all = new Set<LiveConnection>();
  const inboxesOf = (key: string): Inbox[] => inboxes.get(key) ?? [];
  return {
    all: all as ReadonlySet<LiveConnection>,
    /** The inboxes of a subscriber, by the key that hints have. */
    inboxesOf,
    allInboxes: (): Inbox[] => [...inboxes.values()].flat(),
    /** The inbox of a session. It is a new one until it has a connection. */
    inboxFor: ({ environmentId, subscriberId, contextKeys }: InboxSession): Inbox =>
      inboxesOf(hintKey(subscriberId)).find((inbox) => inbox.contextKeys?.join() === contextKeys?.join()) ?? {
        environmentId,
        subscriberId,
        contextKeys: contextKeys ?? null,
        connections: new Set(),
        told: null,
        readAtMs: performance.now(),
      },
    add(connection: LiveConnection): void {
      const { inbox } = connection;
      const key = hintKey(inbox.subscriberId);
      all.add(connection);
      if (inbox.connections.size === 0) inboxes.set(key, [...inboxesOf(key), inbox]);
      inbox.connections.add(connection);
    },
    remove(connection: LiveConnection): void {
      const { inbox } = connection;
      all.delete(connection);
      inbox.connections.delete(connection);
      if (inbox.connections.size > 0) return;
      const key = hintKey(inbox.subscriberId);
      const others = inboxesOf(key).filter((other) => other !== inbox);
      if (others.length > 0) inboxes.set(key, others);
      else inboxes.delete(key);
    },
  };
}

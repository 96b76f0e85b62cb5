// The hub of live inboxes: opens and closes connections (connections.ts) within their limits (limits.ts), and decides
// when an inbox is read (reader.ts). The table of messages is the truth. A hint of another process (lib/inbox-hints.ts)
// only names the inboxes to read now; every inbox that was not read for a while is read anyway, so a lost hint delays
// events and loses none.
import type { NetworkCtx } from "../../context.ts";
import { everyInbox } from "../../lib/inbox-hints.ts";
import type { InboxSession } from "../../lib/tokens/inbox-token.ts";
import {
  type CloseReason,
  type Connections,
  createConnections,
  type LiveConnection,
  type Port,
} from "./connections.ts";
import { createConnectionLimits, createTurns, type LiveSession, tooBusy } from "./limits.ts";
import { createReader, type Reader } from "./reader.ts";
import { readResumeToken } from "./resume-token.ts";
import { checkConnection, createAnnouncer, createTicker, firstBeatAt, isOverBuffered } from "./upkeep.ts";

export type OpenConnection = {
  /** From now on the client gets events: the counts first, and before them what it lacks according to its token. */
  start(token?: string): void;
  /** The client has gone. */
  end(): void;
};

export type Hub = {
  /** Waits for a turn. */
  admit(): Promise<void>;
  /** Fails when there are too many connections. */
  open(session: LiveSession, port: Port): OpenConnection;
  /** Hints of a process; without a text, hints may have been lost. */
  hint(text?: string): void;
  /** Closes the connections whose session has ended, and gives the others the end that theirs has. */
  recheck(findEnd: (session: InboxSession) => Promise<Date | null>): Promise<void>;
  /** Closes all connections, not all at once, and accepts no new ones. */
  drain(): Promise<void>;
};

/** Closing at a shutdown is spread over a millisecond for each connection, up to this. */
const maxDrainMs = 3_000;

export function createHub(ctx: NetworkCtx, announce: () => Promise<void>): Hub {
  const { sweepMs, beatMs } = ctx.config.live;
  const limits = createConnectionLimits(ctx.config.live);
  const connections = createConnections();
  const { announceNow, announceIfDue } = createAnnouncer(announce);
  let isDraining = false;

  const reader = createReader(ctx, (inbox) => {
    for (const connection of inbox.connections) close(connection as LiveConnection, "deleted");
  });
  const readAll = () => {
    for (const inbox of connections.allInboxes()) reader.request(inbox);
  };
  // Other processes may commit changes before they learn that hints are wanted, so all inboxes are read after the first
  // second.
  const ticker = createTicker(tick, readAll);
  const { close, remove } = createClosers(ctx, connections, ticker.stop);

  function tick() {
    const now = performance.now();
    announceIfDue(now);
    const at = { now, time: ctx.now(), beatMs };
    for (const connection of connections.all) {
      const reason = checkConnection(connection, at);
      if (reason) close(connection, reason);
    }
    for (const inbox of connections.allInboxes()) if (now - inbox.readAtMs >= sweepMs) reader.request(inbox);
  }
  return {
    admit: createTurns(),
    open(session, port) {
      if (isDraining) throw tooBusy("The service is stopping");
      const releasePlace = limits.take(session);
      const inbox = connections.inboxFor(session);
      const connection: LiveConnection = {
        session,
        port,
        inbox,
        releasePlace,
        state: "opened",
        resume: null,
        isBehind: false,
        beatAt: firstBeatAt(beatMs),
        deliver: (events) => deliver(connection, events, close),
      };
      if (connections.all.size === 0) {
        ticker.start();
        announceNow();
      }
      connections.add(connection);
      ctx.metrics.liveConnections.inc({ door: port.door });
      return { start: (token) => startConnection(ctx, reader, connection, token), end: () => remove(connection) };
    },
    hint(text) {
      if (text === undefined || text === everyInbox) return readAll();
      for (const inbox of text.split(",").flatMap(connections.inboxesOf)) reader.request(inbox);
    },
    async recheck(findEnd) {
      for (const connection of [...connections.all]) {
        const expiresAt = await findEnd(connection.session);
        if (expiresAt) connection.session = { ...connection.session, expiresAt };
        else close(connection, "revoked");
      }
    },
    async drain() {
      isDraining = true;
      await reader.close();
      await closeSpread([...connections.all], (connection) => close(connection, "restart"));
      ticker.stop();
    },
  };
}

type Close = (connection: LiveConnection, reason: CloseReason) => void;

/** `onLast` is called when the last connection has gone. */
function createClosers(ctx: NetworkCtx, connections: Connections, onLast: () => void) {
  const remove = (connection: LiveConnection) => {
    if (connection.state === "closed") return;
    connection.state = "closed";
    connections.remove(connection);
    connection.releasePlace();
    ctx.metrics.liveConnections.dec({ door: connection.port.door });
    if (connections.all.size === 0) onLast();
  };
  const close: Close = (connection, reason) => {
    if (connection.state === "closed") return;
    ctx.metrics.liveClosed.inc({ reason });
    remove(connection);
    connection.port.close(reason);
  };
  return { close, remove };
}

function startConnection(ctx: NetworkCtx, reader: Reader, connection: LiveConnection, token?: string): void {
  if (connection.state !== "opened") return;
  connection.resume = token ? (readResumeToken(token, ctx.now()) ?? "lost") : null;
  connection.state = "starting";
  reader.request(connection.inbox);
}

function deliver(connection: LiveConnection, events: Parameters<LiveConnection["deliver"]>[0], close: Close): void {
  if (connection.state !== "live") return;
  // What is left from before counts. The events of one reading may be more than that, for a client that reads as well.
  if (isOverBuffered(connection.port)) close(connection, "slow");
  else for (const event of events) connection.port.send(event);
}

async function closeSpread(connections: LiveConnection[], close: (connection: LiveConnection) => void): Promise<void> {
  const spreadMs = Math.min(maxDrainMs, connections.length);
  await Promise.all(
    connections.map(async (connection) => {
      if (spreadMs > 100) await new Promise((resolve) => setTimeout(resolve, Math.random() * spreadMs));
      close(connection);
    }),
  );
}

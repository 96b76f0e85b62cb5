// The live connections of this process, by subscriber: heartbeats, and when an inbox is read; limits.ts has their limits. The table of messages is
// the truth. A hint of another process (lib/inbox-hints.ts) only says which inboxes to read now; every inbox that was not
// read for a while is read anyway, so a lost hint delays events and loses none.
import type { NetworkCtx } from "../../context.ts";
import { announceMs, everyInbox, hintKey } from "../../lib/inbox-hints.ts";
import type { InboxSession } from "../../lib/tokens/inbox-token.ts";
import type { LiveEvent } from "./events.ts";
import { createConnectionLimits, createTurns, type LiveSession, tooBusy } from "./limits.ts";
import { type Connection, createReader, type Inbox } from "./reader.ts";
import { readResumeToken } from "./resume-token.ts";

/** Why the server closes a connection. */
export type CloseReason = "restart" | "expired" | "revoked" | "deleted" | "slow" | "silent";

/** One way to reach a client. */
export type Port = {
  door: "sse" | "websocket" | "socket.io";
  send(event: LiveEvent): void;
  /** Output that the client has not taken yet. */
  bufferedBytes(): number;
  /** Sends a heartbeat; false when the client has not answered the one before. */
  beat(): boolean;
  close(reason: CloseReason): void;
};

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
  /** Closes the connections whose session is not valid any more. */
  recheck(isValid: (session: InboxSession) => Promise<boolean>): Promise<void>;
  /** Closes all connections, not all at once, and takes no new ones. */
  drain(): Promise<void>;
};

/** Beyond this, a client that does not read is disconnected. It gets what it lacks when it connects again. */
const maxBufferedBytes = 1_000_000;
const tickMs = 1_000;
/** Closing at a shutdown is spread over a millisecond for each connection, up to this. */
const longestDrainMs = 3_000;

/** `isBehind`: it had too much unread output a second ago. */
type Member = Connection & {
  session: InboxSession;
  port: Port;
  inbox: Inbox;
  beatAt: number;
  isBehind: boolean;
  giveBackPlace(): void;
};

export function createHub(ctx: NetworkCtx, announce: () => Promise<void>): Hub {
  const { sweepMs, beatMs } = ctx.config.live;
  const limits = createConnectionLimits(ctx.config.live);
  /** By subscriber: one inbox for all messages, and one for each set of contexts with a session. */
  const inboxes = new Map<string, Inbox[]>();
  const members = new Set<Member>();
  let ticking: NodeJS.Timeout | null = null;
  let announcedAt = -Infinity;
  let isDraining = false;

  const close = (member: Member, reason: CloseReason) => {
    if (member.state === "closed") return;
    ctx.metrics.liveClosed.inc({ reason });
    remove(member);
    member.port.close(reason);
  };
  const remove = (member: Member) => {
    if (member.state === "closed") return;
    member.state = "closed";
    members.delete(member);
    member.giveBackPlace();
    ctx.metrics.liveConnections.dec({ door: member.port.door });
    const { inbox } = member;
    inbox.connections.delete(member);
    if (inbox.connections.size === 0) forget(inbox);
    if (members.size > 0 || !ticking) return;
    clearInterval(ticking);
    ticking = null;
  };
  const forget = (inbox: Inbox) => {
    const key = hintKey(inbox.subscriberId);
    const others = inboxesOf(key).filter((other) => other !== inbox);
    if (others.length > 0) inboxes.set(key, others);
    else inboxes.delete(key);
  };
  const inboxesOf = (key: string): Inbox[] => inboxes.get(key) ?? [];
  const reader = createReader(ctx, (inbox) => {
    for (const member of inbox.connections) close(member as Member, "deleted");
  });
  const readAll = () => {
    for (const list of inboxes.values()) for (const inbox of list) reader.request(inbox);
  };
  const announceConnections = () => {
    announcedAt = performance.now();
    void announce().catch(() => {
      // The connection to the database is being restored; the next tick tries again.
      announcedAt = -Infinity;
    });
  };
  const tick = () => {
    const now = performance.now();
    const time = ctx.now();
    if (now - announcedAt >= announceMs) announceConnections();
    for (const member of members) {
      const wasBehind = member.isBehind;
      member.isBehind = member.port.bufferedBytes() > maxBufferedBytes;
      if (member.session.expiresAt <= time) close(member, "expired");
      else if (member.isBehind && wasBehind) close(member, "slow");
      else if (member.beatAt <= now) {
        member.beatAt = now + beatMs;
        if (!member.port.beat()) close(member, "silent");
      }
    }
    for (const list of inboxes.values())
      for (const inbox of list) if (now - inbox.readAtMs >= sweepMs) reader.request(inbox);
  };
  /** The first connection of this process. Other processes may commit changes before they learn that hints are wanted. */
  const begin = () => {
    ticking = setInterval(tick, tickMs).unref();
    announceConnections();
    setTimeout(readAll, tickMs).unref();
  };
  const inboxOf = ({ environmentId, subscriberId, contextKeys }: InboxSession): Inbox =>
    inboxesOf(hintKey(subscriberId)).find((inbox) => inbox.contextKeys?.join() === contextKeys?.join()) ?? {
      environmentId,
      subscriberId,
      contextKeys: contextKeys ?? null,
      connections: new Set(),
      told: null,
      readAtMs: performance.now(),
    };

  return {
    admit: createTurns(),
    open(session, port) {
      if (isDraining) throw tooBusy("The service is stopping");
      const giveBackPlace = limits.take(session);
      const key = hintKey(session.subscriberId);
      const inbox = inboxOf(session);
      const member: Member = {
        state: "opened",
        resume: null,
        session,
        port,
        inbox,
        isBehind: false,
        giveBackPlace,
        // Spread, so that the heartbeats of clients that connected at once are not sent at once.
        beatAt: performance.now() + beatMs * (0.5 + Math.random() / 2),
        deliver(events) {
          if (member.state !== "live") return;
          // What is left from before counts. The events of one reading may be more than that, for a client that reads as well.
          if (port.bufferedBytes() > maxBufferedBytes) return close(member, "slow");
          for (const event of events) port.send(event);
        },
      };
      if (members.size === 0) begin();
      members.add(member);
      if (inbox.connections.size === 0) inboxes.set(key, [...inboxesOf(key), inbox]);
      inbox.connections.add(member);
      ctx.metrics.liveConnections.inc({ door: port.door });
      return {
        start(token) {
          if (member.state !== "opened") return;
          member.resume = token ? (readResumeToken(token, ctx.now()) ?? "lost") : null;
          member.state = "starting";
          reader.request(inbox);
        },
        end: () => remove(member),
      };
    },
    hint(text) {
      if (text === undefined || text === everyInbox) return readAll();
      for (const key of text.split(",")) {
        for (const inbox of inboxesOf(key)) reader.request(inbox);
      }
    },
    async recheck(isValid) {
      for (const member of [...members]) if (!(await isValid(member.session))) close(member, "revoked");
    },
    async drain() {
      isDraining = true;
      await reader.close();
      const spreadMs = Math.min(longestDrainMs, members.size);
      await Promise.all(
        [...members].map(async (member) => {
          if (spreadMs > 100) await new Promise((resolve) => setTimeout(resolve, Math.random() * spreadMs));
          close(member, "restart");
        }),
      );
      if (ticking) clearInterval(ticking);
    },
  };
}

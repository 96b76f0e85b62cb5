// What a process does every second while it has live connections: it sends heartbeats, closes connections that have
// expired or are too slow, and announces itself, so that other processes send hints.
import { announceMs } from "../../lib/inbox-hints.ts";
import type { CloseReason, LiveConnection, Port } from "./connections.ts";

/** Beyond this, a client that does not read is disconnected. It gets what it lacks when it connects again. */
const maxBufferedBytes = 1_000_000;

export const isOverBuffered = (port: Port): boolean => port.bufferedBytes() > maxBufferedBytes;

/**
 * When the first heartbeat is due. Spread, so that the heartbeats of clients that connected at once are not sent at
 * once.
 */
export const firstBeatAt = (beatMs: number): number => performance.now() + beatMs * (0.5 + Math.random() / 2);

/** Sends the heartbeat if it is due. Returns why the connection has to be closed, or null. */
export function checkConnection(
  connection: LiveConnection,
  { now, time, beatMs }: { now: number; time: Date; beatMs: number },
): CloseReason | null {
  const wasBehind = connection.isBehind;
  connection.isBehind = isOverBuffered(connection.port);
  if (connection.session.expiresAt <= time) return "expired";
  if (connection.isBehind && wasBehind) return "slow";
  if (connection.beatAt > now) return null;
  connection.beatAt = now + beatMs;
  return connection.port.beat() ? null : "silent";
}

/** Announces that this process has live connections. */
export function createAnnouncer(announce: () => Promise<void>) {
  let announcedAt = -Infinity;
  const announceNow = () => {
    announcedAt = performance.now();
    void announce().catch(() => {
      // The connection to the database is being restored; the next tick tries again.
      announcedAt = -Infinity;
    });
  };
  return {
    announceNow,
    announceIfDue(now: number) {
      if (now - announcedAt >= announceMs) announceNow();
    },
  };
}

const tickMs = 1_000;

/** Runs `tick` every second, and `afterFirst` a second after each start. */
export function createTicker(tick: () => void, afterFirst: () => void) {
  let timer: NodeJS.Timeout | null = null;
  return {
    start() {
      timer = setInterval(tick, tickMs).unref();
      setTimeout(afterFirst, tickMs).unref();
    },
    stop() {
      if (timer) clearInterval(timer);
      timer = null;
    },
  };
}

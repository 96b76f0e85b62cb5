// One stream for all tabs of a browser: HTTP/1.1 allows six connections to a host, so the seventh tab would hang. The
// tab that holds a Web Lock keeps the stream and passes its events on over a BroadcastChannel; when it closes, the
// browser gives the lock to the next tab. Where one of the two is missing (plain HTTP has no Web Locks), every tab has
// its own stream.
import type { InboxStatus, LiveEvent } from "./types.ts";

export type TabMessage =
  | { kind: "event"; event: LiveEvent; id: string | undefined }
  | { kind: "status"; status: InboxStatus }
  /** The tab with the stream has a new connection. */
  | { kind: "connected" }
  /** A new tab asks the one with the stream for its status. */
  | { kind: "hello" };

export type Tabs = {
  post: (message: TabMessage) => void;
  /** Whether this tab has the stream. */
  isLeader: () => boolean;
};

type TabOptions = {
  /** The same for tabs with the same inbox; null: the connection is not shared. */
  name: string | null;
  /** Keeps the stream until its promise ends. */
  run: () => Promise<void>;
  onMessage: (message: TabMessage) => void;
  signal: AbortSignal;
};

export function joinTabs({ name, run, onMessage, signal }: TabOptions): Tabs {
  const locks = globalThis.navigator?.locks as LockManager | undefined;
  if (name === null || !locks || typeof BroadcastChannel === "undefined") {
    void run();
    return { post: () => {}, isLeader: () => true };
  }
  let isLeader = false;
  const channel = new BroadcastChannel(name);
  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => onMessage(data);
  const lead = async () => {
    isLeader = true;
    await run();
    isLeader = false;
  };
  locks.request(name, { signal }, lead).catch(() => {
    // Closed before this tab had its turn.
  });
  const post = (message: TabMessage) => {
    if (!signal.aborted) channel.postMessage(message);
  };
  signal.addEventListener("abort", () => channel.close());
  post({ kind: "hello" });
  return { post, isLeader: () => isLeader };
}

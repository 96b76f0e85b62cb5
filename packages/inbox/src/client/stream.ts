// Keeps the stream of the inbox open: reconnects with a growing, random pause, resumes with Last-Event-ID, and polls
// where no stream comes through. `fetch` and not EventSource, which cannot send the token in a header.
import { type Api, isRefusal } from "./api.ts";
import { createEventParser, toLiveEvent } from "./parse-events.ts";
import type { InboxError, LiveEvent } from "./types.ts";

/** The server sends a line every 25 s: after two missing ones, the connection is considered dead. */
const silenceMs = 60_000;
/** A stream that is open without its first event is kept back by a proxy. */
const firstEventMs = 10_000;
const minPauseMs = 500;
const maxPauseMs = 30_000;
const pollMs = 30_000;
/** Failures with the service reachable, after which the client polls. */
const failuresBeforePolling = 3;
/** Rounds of polling, after which a stream is tried again. */
const roundsOfPolling = 10;

export type StreamOptions = {
  api: Api;
  lastId: () => string | undefined;
  onEvent: (event: LiveEvent, id: string | undefined) => void;
  /** The connection is open, or it was lost and the next attempt failed too. */
  onStatus: (status: "live" | "offline") => void;
  /** Marks set while there was no stream are not repeated: lists have to be read again. */
  onConnected: () => void;
  onPoll: () => void;
  onRefused: (error: InboxError) => void;
  signal: AbortSignal;
};

/** Ends when the signal says so, or when the service refuses the session. */
export async function runStream(options: StreamOptions): Promise<void> {
  const { signal, onStatus, onPoll, onRefused } = options;
  let failures = 0;
  let baseMs = 2_000;
  while (!signal.aborted) {
    const { isLive, error } = await readStream(options, (ms) => {
      baseMs = ms;
    });
    if (signal.aborted) return;
    if (isRefusal(error)) return onRefused(error);
    failures = isLive ? 0 : failures + 1;
    const isReachable = error === undefined || (error as InboxError).code !== "UNREACHABLE";
    if (!isLive && !isReachable) onStatus("offline");
    if (isReachable && failures >= failuresBeforePolling) {
      for (let round = 0; round < roundsOfPolling && !signal.aborted; round++) {
        onPoll();
        await pause(pollMs * (0.8 + 0.4 * Math.random()), signal);
      }
      continue;
    }
    const longest = Math.min(maxPauseMs, Math.max(minPauseMs, baseMs) * 2 ** failures);
    await pause(longest * (0.5 + 0.5 * Math.random()), signal);
  }
}

/** One connection, to its end. `isLive`: it had its first event. */
async function readStream(options: StreamOptions, onRetry: (ms: number) => void) {
  const { api, lastId, onEvent, onStatus, onConnected, signal } = options;
  const abort = new AbortController();
  const stop = () => abort.abort();
  const goOffline = () => {
    onStatus("offline");
    stop();
  };
  signal.addEventListener("abort", stop);
  globalThis.addEventListener?.("offline", goOffline);
  let watch = setTimeout(stop, firstEventMs);
  const expectWithin = (ms: number) => {
    clearTimeout(watch);
    watch = setTimeout(stop, ms);
  };
  let isLive = false;
  try {
    const id = lastId();
    const answer = await api.open("/stream", {
      signal: abort.signal,
      headers: { accept: "text/event-stream", ...(id && { "last-event-id": id }) },
    });
    if (!answer.body || !answer.headers.get("content-type")?.startsWith("text/event-stream")) return { isLive };
    const parse = createEventParser({
      event: (raw) => {
        const event = toLiveEvent(raw);
        const isFirst = !isLive;
        isLive = true;
        if (event) onEvent(event, raw.id);
        if (!isFirst) return;
        onStatus("live");
        onConnected();
      },
      retry: onRetry,
    });
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { isLive };
      if (isLive) expectWithin(silenceMs);
      parse(value);
      if (isLive) expectWithin(silenceMs);
    }
  } catch (error) {
    return { isLive, error };
  } finally {
    clearTimeout(watch);
    stop();
    signal.removeEventListener("abort", stop);
    globalThis.removeEventListener?.("offline", goOffline);
  }
}

/** Ends early when the browser is online again. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      globalThis.removeEventListener?.("online", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
    globalThis.addEventListener?.("online", end);
  });
}

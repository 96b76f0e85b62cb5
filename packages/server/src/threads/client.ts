// A worker thread as the main thread sees it: starts it, sends it requests, and notices when it ends.
import { Worker } from "node:worker_threads";
import type { Logger } from "pino";
import type { MetricObject } from "prom-client";
import type { Config } from "../config.ts";
import { failure } from "../failure.ts";
import type { PostedBatch, WorkerThread } from "../http/triggers/worker-handover.ts";
import { createBusyReader } from "../lib/load/thread-load.ts";
import { logLine } from "../log.ts";

/** What a worker thread is started with. */
export type WorkerData = { config: Config; databaseUrl: string };

type WorkerRequest = { kind: "start" } | { kind: "batch"; batch: PostedBatch } | { kind: "metrics" } | { kind: "stop" };
export type RequestMessage = { id: number; request: WorkerRequest };
/** The response to a request, a failure instead of one, or a line of the thread's log. */
export type WorkerMessage = { id: number; value: unknown } | { id: number; hasFailed: true } | { line: string };

/** How long a response may take. A transaction and the tasks of a thread that stops take less. */
const limitsMs = { start: 30_000, batch: 120_000, metrics: 5_000, stop: 40_000 };

export type StartedThread = WorkerThread & {
  /** The part of the time since the last call in which it was busy. */
  readBusy(): number;
  readMetrics(): Promise<MetricObject[]>;
  /** Finishes its batches and tasks, and ends. Returns its last counters. */
  stop(): Promise<MetricObject[]>;
};

type Watch = {
  log: Logger;
  /** The thread has ended: it was stopped, or (with the error) it has failed. */
  onEnd(thread: StartedThread, error: Error | null): void;
};

/** Resolves when the thread is ready. */
export async function startWorkerThread(workerData: WorkerData, { log, onEnd }: Watch): Promise<StartedThread> {
  // In the bundle it is start.js, as the first file of every thread (scripts/build-server.mjs).
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { workerData, name: "engine" });
  const { send, settle, close } = createRequests((message) => worker.postMessage(message));
  let isStopping = false;
  const thread: StartedThread = {
    runBatch: (batch) => send({ kind: "batch", batch }),
    readBusy: createBusyReader(() => worker.performance.eventLoopUtilization()),
    readMetrics: () => send({ kind: "metrics" }),
    stop() {
      isStopping = true;
      return send<MetricObject[]>({ kind: "stop" }).finally(() => worker.terminate());
    },
  };
  let uncaught: Error | null = null;
  worker.on("message", (message: WorkerMessage) => ("line" in message ? logLine(log, message.line) : settle(message)));
  worker.on("error", (error) => {
    uncaught = error as Error;
  });
  worker.on("exit", (code) => {
    close();
    onEnd(thread, uncaught ?? (isStopping ? null : new Error(`The thread exited with code ${code}`)));
  });
  try {
    await send({ kind: "start" });
  } catch (error) {
    isStopping = true;
    await worker.terminate();
    throw error;
  }
  return thread;
}

/** Requests to a thread that wait for their responses. */
function createRequests(post: (message: RequestMessage) => void) {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let count = 0;
  let isClosed = false;
  const send = <T>(request: WorkerRequest): Promise<T> => {
    const id = ++count;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    if (isClosed) return Promise.reject(lost());
    const timer = setTimeout(() => reject(lost()), limitsMs[request.kind]);
    waiting.set(id, { resolve, reject });
    try {
      post({ id, request });
    } catch (error) {
      reject(error as Error);
    }
    return promise.finally(() => {
      clearTimeout(timer);
      waiting.delete(id);
    }) as Promise<T>;
  };
  return {
    send,
    settle(message: Exclude<WorkerMessage, { line: string }>) {
      const request = waiting.get(message.id);
      if ("value" in message) request?.resolve(message.value);
      else request?.reject(lost());
    },
    close() {
      isClosed = true;
      for (const { reject } of waiting.values()) reject(lost());
    },
  };
}

/** The outcome is unknown, as when a process dies: clients retry with the same idempotency key. */
const lost = () => failure("UNAVAILABLE", {}, { headers: { "retry-after": "2" } });

// Another thread of the process, as the first one sees it: starts it, asks it, and hears of its end.
import { Worker } from "node:worker_threads";
import type { Logger } from "pino";
import type { MetricObject } from "prom-client";
import type { Config } from "./config.ts";
import { failure } from "./failure.ts";
import type { HandedRequests, Thread } from "./http/handed-requests.ts";
import { createBusyReader } from "./lib/load/thread-load.ts";
import { logLine } from "./log.ts";

/** What a thread is started with. */
export type ThreadData = { config: Config; databaseUrl: string };

type Ask = { kind: "start" } | { kind: "answers"; handed: HandedRequests } | { kind: "metrics" } | { kind: "stop" };
export type Question = { id: number; ask: Ask };
/** What a thread says: the reply to a question, that it has none, or a line of its log. */
export type Said = { id: number; value: unknown } | { id: number; hasFailed: true } | { line: string };

/** How long the reply to a question may take. A transaction and the tasks of a thread that stops take less. */
const limitsMs = { start: 30_000, answers: 120_000, metrics: 5_000, stop: 40_000 };

export type OtherThread = Thread & {
  /** The part of the time since the last call in which it was busy. */
  readBusy(): number;
  readMetrics(): Promise<MetricObject[]>;
  /** Finishes its requests and tasks, and ends. Answers its last counters. */
  stop(): Promise<MetricObject[]>;
};

type Watch = {
  log: Logger;
  /** The thread has ended, by its stop or (with the error) by itself. */
  onEnd(thread: OtherThread, error: Error | null): void;
};

/** Resolves when the thread is ready. */
export async function startThread(workerData: ThreadData, { log, onEnd }: Watch): Promise<OtherThread> {
  // In the bundle it is start.js, as the first file of every thread (scripts/build-server.mjs).
  const worker = new Worker(new URL("./thread.ts", import.meta.url), { workerData, name: "engine" });
  const { ask, settle, close } = createQuestions((question) => worker.postMessage(question));
  let isStopping = false;
  const thread: OtherThread = {
    answer: (handed) => ask({ kind: "answers", handed }),
    readBusy: createBusyReader(() => worker.performance.eventLoopUtilization()),
    readMetrics: () => ask({ kind: "metrics" }),
    stop() {
      isStopping = true;
      return ask<MetricObject[]>({ kind: "stop" }).finally(() => worker.terminate());
    },
  };
  let fault: Error | null = null;
  worker.on("message", (said: Said) => ("line" in said ? logLine(log, said.line) : settle(said)));
  worker.on("error", (error) => {
    fault = error as Error;
  });
  worker.on("exit", (code) => {
    close();
    onEnd(thread, fault ?? (isStopping ? null : new Error(`The thread exited with code ${code}`)));
  });
  try {
    await ask({ kind: "start" });
  } catch (error) {
    isStopping = true;
    await worker.terminate();
    throw error;
  }
  return thread;
}

/** Questions to a thread that wait for their replies. */
function createQuestions(post: (question: Question) => void) {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let count = 0;
  let isClosed = false;
  const ask = <T>(ask: Ask): Promise<T> => {
    const id = ++count;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    if (isClosed) return Promise.reject(lost());
    const timer = setTimeout(() => reject(lost()), limitsMs[ask.kind]);
    waiting.set(id, { resolve, reject });
    try {
      post({ id, ask });
    } catch (error) {
      reject(error as Error);
    }
    return promise.finally(() => {
      clearTimeout(timer);
      waiting.delete(id);
    }) as Promise<T>;
  };
  return {
    ask,
    settle(said: Exclude<Said, { line: string }>) {
      const question = waiting.get(said.id);
      if ("value" in said) question?.resolve(said.value);
      else question?.reject(lost());
    },
    close() {
      isClosed = true;
      for (const { reject } of waiting.values()) reject(lost());
    },
  };
}

/** Whether the work was done is not known, as when a process ends: the client asks again, under its key. */
const lost = () => failure("UNAVAILABLE", {}, { headers: { "retry-after": "2" } });

// A worker thread (pool.ts). It has its own engine, takes tasks from the queue as a process with the role `worker`
// does, and runs batches that the main thread posts.
import { parentPort, workerData } from "node:worker_threads";
import { openEngine, openPools, type Start } from "../engine.ts";
import { createBatchReceiver } from "../http/triggers/worker-handover.ts";
import { createSecrets } from "../lib/secrets.ts";
import { createRemoteLogger } from "../log.ts";
import { startWorkers } from "../pipeline/dispatch.ts";
import type { RequestMessage, WorkerData, WorkerMessage } from "./client.ts";

const { config, databaseUrl } = workerData as WorkerData;
const port = parentPort!;

const post = (message: WorkerMessage) => port.postMessage(message);
const log = createRemoteLogger(config, (line) => post({ line }));
const starting: Start = { log, closers: [], state: { isDraining: false } };
const pools = openPools(config, databaseUrl, starting);
const secrets = createSecrets(config.encryptionKeys);
const { ctx } = await openEngine({ config, secrets, url: databaseUrl, isWorkerThread: true }, pools, starting);
if (config.roles.has("worker")) {
  await startWorkers(ctx, { isFirst: false, countThreads: () => config.threads.max });
}
const runPosted = createBatchReceiver(ctx);

/** Batches in progress. */
const running = new Set<Promise<unknown>>();

function track<T>(work: Promise<T>): Promise<T> {
  running.add(work);
  return work.finally(() => running.delete(work));
}

async function respond({ request }: RequestMessage): Promise<unknown> {
  switch (request.kind) {
    case "start":
      return null;
    case "batch":
      return track(runPosted(request.batch));
    case "metrics":
      return ctx.metrics.registry.getMetricsAsJSON();
    case "stop":
      await Promise.allSettled(running);
      await closeAll();
      return ctx.metrics.registry.getMetricsAsJSON();
  }
}

async function closeAll(): Promise<void> {
  starting.state.isDraining = true;
  for (const close of starting.closers.reverse()) {
    await close().catch((error: unknown) => log.error({ err: error }, "closing failed"));
  }
}

// Requests that were posted before this line have waited for it. An error of one does not end the thread, which works
// for others too.
port.on("message", async (message: RequestMessage) => {
  try {
    post({ id: message.id, value: await respond(message) });
  } catch (error) {
    log.error({ err: error, request: message.request.kind }, "a worker thread could not respond");
    post({ id: message.id, hasFailed: true });
  }
});

// A further thread of the process (threads.ts). It has an engine of its own, takes tasks from the queue as a process with the role `worker`
// does, and answers requests that the first thread hands over.
import { parentPort, workerData } from "node:worker_threads";
import { openEngine, openPools, type Start } from "./engine.ts";
import { createHandedAnswer } from "./http/handed-requests.ts";
import { createSecrets } from "./lib/secrets.ts";
import { createRemoteLogger } from "./log.ts";
import { startWorkers } from "./pipeline/dispatch.ts";
import type { Question, Said, ThreadData } from "./thread-client.ts";

const { config, databaseUrl } = workerData as ThreadData;
const port = parentPort!;

const say = (said: Said) => port.postMessage(said);
const log = createRemoteLogger(config, (line) => say({ line }));
const starting: Start = { log, closers: [], state: { isDraining: false } };
const pools = openPools(config, databaseUrl, starting);
const secrets = createSecrets(config.encryptionKeys);
const { ctx } = await openEngine({ config, secrets, url: databaseUrl, isFurther: true }, pools, starting);
if (config.roles.has("worker")) {
  await startWorkers(ctx, { isFirst: false, countThreads: () => config.threads.most });
}
const answer = createHandedAnswer(ctx);

/** Answers under way. */
const answering = new Set<Promise<unknown>>();

function track<T>(work: Promise<T>): Promise<T> {
  answering.add(work);
  return work.finally(() => answering.delete(work));
}

async function reply({ ask }: Question): Promise<unknown> {
  switch (ask.kind) {
    case "start":
      return null;
    case "answers":
      return track(answer(ask.handed));
    case "metrics":
      return ctx.metrics.registry.getMetricsAsJSON();
    case "stop":
      await Promise.allSettled(answering);
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

// Questions that came before this line have waited for it. An error of one is not the end of the thread, which works for others too.
port.on("message", async (question: Question) => {
  try {
    say({ id: question.id, value: await reply(question) });
  } catch (error) {
    log.error({ err: error, question: question.ask.kind }, "a thread could not reply");
    say({ id: question.id, hasFailed: true });
  }
});

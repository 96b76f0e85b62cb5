// The network between each process of the service and each PostgreSQL server: TCP proxies in a separate thread, so
// that the load and the proxies do not wait for each other.
import { Worker } from "node:worker_threads";
import { atExit } from "@tidings/testkit/programs/at-exit";
import { within } from "@tidings/testkit/programs/limits";
import { findPort } from "@tidings/testkit/programs/ports";
import type { LinkState } from "@tidings/testkit/proxies/link";

export type LinkRequest = { id: number } & (
  | { open: { port: number; targetPort: number } }
  | { set: { ports: number[]; state: LinkState } }
);
export type LinkAnswer = { id: number; error?: string };

const answerMs = 20_000;

export type Links = {
  /** Returns the port of a new proxy on this machine. */
  open(targetPort: number): Promise<number>;
  set(ports: number[], state: LinkState): Promise<void>;
  close(): Promise<void>;
};

export function startLinks(): Links {
  const worker = new Worker(new URL("./link-worker.ts", import.meta.url));
  const waiting = new Map<number, (answer: LinkAnswer) => void>();
  let count = 0;
  let failure: Error | null = null;
  worker.on("message", (answer: LinkAnswer) => waiting.get(answer.id)?.(answer));
  worker.on("error", (error) => {
    failure = error as Error;
    for (const [id, settle] of waiting) settle({ id, error: failure.message });
  });
  const send = async (request: Omit<LinkRequest, "id">) => {
    if (failure) throw failure;
    const id = count++;
    const answered = new Promise<LinkAnswer>((resolve) => waiting.set(id, resolve));
    worker.postMessage({ id, ...request });
    const { error } = await within(answerMs, "a change of a proxy", answered).finally(() => waiting.delete(id));
    if (error) throw new Error(error);
  };
  const end = atExit(() => void worker.terminate());
  return {
    async open(targetPort) {
      const port = await findPort();
      await send({ open: { port, targetPort } } as LinkRequest);
      return port;
    },
    set: (ports, state) => send({ set: { ports, state } } as LinkRequest),
    async close() {
      end();
    },
  };
}

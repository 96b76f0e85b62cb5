// A simulated process of the service: a context on the simulated database, clock and network, and the real workers.
import type { Io } from "@tidings/providers";
import { LRUCache } from "lru-cache";
import { type Config, readConfig } from "../../../src/config.ts";
import type { NetworkCtx } from "../../../src/context.ts";
import type { Secrets } from "../../../src/lib/secrets.ts";
import { startWorkers } from "../../../src/pipeline/dispatch.ts";
import { createQueue } from "./queue.ts";
import { type Process, running } from "./schedule.ts";
import { openSession } from "./session.ts";
import { world } from "./world.ts";

const config: Config = readConfig({});

const mark = "sealed:";

/** Encryption costs time and finds nothing here. */
const secrets: Secrets = {
  encrypt: (clear) => mark + String(clear),
  decrypt: (stored) => stored.slice(mark.length),
  decryptBytes: (stored) => Buffer.from(stored.slice(mark.length)),
  sign: (_purpose, text) => text,
  readSigned: (_purpose, signed) => signed,
  hashes: () => [],
};

/** Takes every call, and has every member. */
const ignored: unknown = new Proxy(() => ignored, { get: () => ignored, apply: () => undefined });

let ids = 0;

/** UUIDs that sort by time, and are the same for the same seed. */
export function createIds(): () => string {
  ids = 0;
  return () => {
    const time = Math.floor(world().schedule.now()).toString(16).padStart(12, "0");
    const count = (++ids).toString(16).padStart(8, "0");
    // The last digits have room for the ids of jobs (lib/ids.ts).
    return `${time.slice(0, 8)}-${time.slice(8)}-7${count.slice(0, 3)}-8${count.slice(3, 6)}-${count.slice(6)}0000000000`;
  };
}

export function createContext(process: Process, io: Io, newId: () => string): NetworkCtx {
  const { schedule, note } = world();
  const log = new Proxy(
    {},
    {
      get: (_target, level) =>
        level === "isLevelEnabled"
          ? () => false
          : (facts: { err?: Error }, text: string) =>
              note(`${process.name} logs ${String(level)}: ${text}${facts.err ? ` (${facts.err.message})` : ""}`),
    },
  );
  const ctx = {
    config,
    db: openSession({ process, tx: null }),
    queue: createQueue(process, (error) => note(`${process.name}: ${String(error)}`)),
    log,
    metrics: ignored,
    tracing: null,
    faults: { note: () => null, noteInBackground: () => {}, current: () => [] },
    secrets,
    now: () => new Date(schedule.now()),
    newId,
    versions: new LRUCache({ max: 100 }),
    variables: new LRUCache({ max: 100 }),
    hints: { add: () => {} },
    webhookTargets: { changedAt: 0, byEnvironment: new LRUCache({ max: 100 }) },
    io,
    webhookHttp: io.http,
    requestHttp: io.http,
  };
  return ctx as unknown as NetworkCtx;
}

export const startProcess = (ctx: NetworkCtx, process: Process): Promise<void> =>
  running.run(process, () => startWorkers(ctx, { isFirst: true, countThreads: () => 1 }));

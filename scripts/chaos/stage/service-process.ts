// One process of the service at an address that stays the same, and its supervisor, which starts it again when it ends.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, createWriteStream } from "node:fs";
import { join } from "node:path";
import { atExit } from "@tidings/testkit/programs/at-exit";
import { becomes, sleep } from "@tidings/testkit/programs/limits";
import { isReady } from "@tidings/testkit/programs/program";
import { type Settings, spawnService } from "@tidings/testkit/programs/service";
import { forgetClockOf } from "./clock.ts";

const stopMs = 90_000;
const askMs = 5_000;
/** Before a process that ended unexpectedly is started again. */
const restartMs = 1_000;
const logTail = 2_000;

export type Crash = { process: string; at: number; code: number | null; signal: string | null; log: string };

export type ServiceProcess = {
  name: string;
  url: string;
  pid(): number | null;
  isReady(): Promise<boolean>;
  /** SIGKILL. It stays dead until `resume`. */
  kill(): void;
  resume(): void;
  signal(name: "SIGSTOP" | "SIGCONT"): void;
  /** Stops it with SIGTERM, and starts the program of another checkout, or of this one. */
  replaceBy(root: string | undefined, more: Settings): Promise<void>;
  stop(): Promise<void>;
};

type Options = {
  name: string;
  port: number;
  settings: Settings;
  /** For its log, `<name>.log`. */
  folder: string;
  onCrash(crash: Crash): void;
};

export function superviseProcess({ name, port, settings, folder, onCrash }: Options): ServiceProcess {
  const url = `http://127.0.0.1:${port}`;
  const log = createWriteStream(join(folder, `${name}.log`), { flags: "a" });
  let child: ChildProcess | null = null;
  let [root, more]: [string | undefined, Settings] = [undefined, {}];
  let tail = "";
  /** `held`: it was ended on purpose, and is not started again yet. */
  let state: "running" | "held" | "closed" = "running";
  const note = (text: string) => appendFileSync(join(folder, `${name}.log`), `${new Date().toISOString()} ${text}\n`);

  function start(): void {
    state = "running";
    note("starting");
    tail = "";
    const started = spawnService({ ...settings, ...more, TIDINGS_PORT: String(port) }, root);
    child = started;
    for (const output of [started.stdout, started.stderr])
      output.on("data", (chunk: Buffer) => {
        log.write(chunk);
        tail = (tail + chunk).slice(-logTail);
      });
    started.once("exit", (code, signal) => {
      note(`ended with ${signal ?? `code ${code}`}`);
      if (started.pid) forgetClockOf(started.pid);
      child = null;
      if (state !== "running") return;
      onCrash({ process: name, at: Date.now(), code, signal, log: tail });
      setTimeout(() => state === "running" && !child && start(), restartMs);
    });
  }
  /** A stopped process would not notice other signals. */
  const killNow = () => child?.kill("SIGKILL");
  const forget = atExit(killNow);
  const terminate = async () => {
    const ending = child;
    if (!ending) return;
    const ended = once(ending, "exit");
    ending.kill("SIGCONT");
    ending.kill("SIGTERM");
    const isLate = await Promise.race([ended.then(() => false), sleep(stopMs).then(() => true)]);
    if (!isLate) return;
    note(`did not end within ${stopMs / 1_000} s of SIGTERM`);
    ending.kill("SIGKILL");
    await ended;
    return new Error(`${name} did not end within ${stopMs / 1_000} s of SIGTERM`);
  };
  start();
  return {
    ...{ name, url },
    pid: () => child?.pid ?? null,
    isReady: () => isReady(url, askMs),
    kill() {
      state = "held";
      killNow();
    },
    resume() {
      if (state !== "held") return;
      if (child) {
        // The kill has not had its effect yet.
        child.once("exit", start);
        return;
      }
      start();
    },
    signal(which) {
      if (!child) throw new Error(`${name} does not run`);
      child.kill(which);
    },
    async replaceBy(nextRoot, nextMore) {
      state = "held";
      const late = await terminate();
      [root, more] = [nextRoot, nextMore];
      start();
      if (late) throw late;
    },
    async stop() {
      state = "closed";
      await terminate();
      forget();
      log.end();
    },
  };
}

export const areReady = (processes: ServiceProcess[], limitMs: number): Promise<boolean> =>
  becomes(async () => (await Promise.all(processes.map((one) => one.isReady()))).every(Boolean), limitMs);

// A program in its own process: what it writes, and how it ends.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

export type Program = {
  pid: number;
  /** What it wrote so far, both streams. */
  output(): string;
  /** Waits until what it wrote to stdout matches. Fails if it ends before. */
  wrote(pattern: RegExp): Promise<RegExpExecArray>;
  /** Sends a signal and waits for the end: the exit code, or null when the signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>;
  /** Waits for it to end automatically. */
  ended(): Promise<number | null>;
  /** Does not wait for its output, which processes that it started may keep open. */
  kill(): Promise<void>;
};

/** Whether it can still get signals. */
export const isRunning = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null;

export function followProgram(child: ChildProcess): Program {
  let [text, written] = ["", ""];
  const looking = new Set<() => void>();
  const look = () => {
    for (const one of looking) one();
  };
  child.stdout?.on("data", (chunk: Buffer) => {
    text += chunk;
    written += chunk;
    look();
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    text += chunk;
  });
  // After the streams have ended, so that nothing it wrote is missing.
  const closed = new Promise<number | null>((resolve) => {
    child.once("close", (code) => {
      resolve(code);
      look();
    });
  });
  return {
    pid: child.pid!,
    output: () => text,
    ended: () => closed,
    wrote: (pattern) =>
      new Promise((resolve, reject) => {
        const find = () => {
          const match = pattern.exec(written);
          if (match) resolve(match);
          else if (!isRunning(child)) reject(new Error(`the program ended instead of starting:\n${text}`));
          else return;
          looking.delete(find);
        };
        looking.add(find);
        find();
      }),
    end(signal) {
      child.kill(signal);
      return closed;
    },
    async kill() {
      if (!isRunning(child)) return;
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** The variables of this process that a program needs to run, so that no setting of the machine affects it. */
export function bareEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE } = process.env;
  return { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE };
}

/** The address in the banner of a service. */
export const bannerAddress = /(?:API|Worker)\s+(http\S+)/;

export async function isReady(url: string, limitMs: number): Promise<boolean> {
  const response = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(limitMs) });
  await response.arrayBuffer();
  return response.status === 200;
}

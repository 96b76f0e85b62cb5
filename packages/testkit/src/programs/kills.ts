// Supervisors of tests that kill processes of the service with SIGKILL, at moments that a seed decides, while a load
// runs. The test compares at its end.
import assert from "node:assert/strict";
import type { Client } from "../client.ts";
import type { Folder } from "../process.ts";
import { sleep } from "./limits.ts";

type Service = ReturnType<Folder["run"]>;
type Started = { program: Service; client: Client };

export type Supervisor = {
  /** One more process, which starts meanwhile. */
  add(): void;
  /** A client of the process that has run longest. */
  client(): Promise<Client>;
  /** Kills the process that has run longest `afterMs` from now, and starts another one, without waiting for it. */
  kill(afterMs?: number): Promise<void>;
  /** How many were killed. */
  kills(): number;
  /** Waits until all have started. */
  settle(): Promise<void>;
  /** Stops all with SIGTERM, and expects exit code 0. */
  stop(): Promise<void>;
};

/** What a process needs may be killed while it starts. */
const maxStarts = 20;

/** Supervises `count` processes with these settings, which have started. */
export async function superviseServices(
  folder: Folder,
  settings: Record<string, string>,
  count: number,
): Promise<Supervisor> {
  let killed = 0;
  const start = async (): Promise<Started> => {
    for (let starts = 1; ; starts++) {
      const program = folder.run(settings);
      try {
        return { program, client: (await program.started()).client };
      } catch (error) {
        await program.end("SIGKILL");
        if (starts === maxStarts) throw error;
      }
    }
  };
  const running: Promise<Started>[] = [];
  const settle = async () => void (await Promise.all(running));
  const add = () => {
    const starting = start();
    // Whoever waits for it gets the error.
    starting.catch(() => {});
    running.push(starting);
  };
  while (running.length < count) add();
  await settle();
  return {
    add,
    settle,
    kills: () => killed,
    client: async () => (await running[0]!).client,
    async kill(afterMs = 0) {
      const { program } = await running.shift()!;
      await sleep(afterMs);
      assert.equal(await program.end("SIGKILL"), null, `it had ended before:\n${program.output()}`);
      killed++;
      add();
    },
    async stop() {
      for (const { program } of await Promise.all(running)) assert.equal(await program.end("SIGTERM"), 0);
    },
  };
}

/** Two processes that work on the tasks of a service that only takes requests. */
export const superviseWorkers = (
  folder: Folder,
  settings: Record<string, string>,
  { database }: { database: { url: string } },
): Promise<Supervisor> =>
  superviseServices(folder, { ...settings, TIDINGS_ROLE: "worker", DATABASE_URL: database.url }, 2);

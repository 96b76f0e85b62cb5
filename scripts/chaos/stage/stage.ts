// Where a run takes place: PostgreSQL, two processes of the service as `npm start` runs them, and the network between
// them, which faults can break.
import { randomBytes } from "node:crypto";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atExit } from "@tidings/testkit/programs/at-exit";
import { becomes } from "@tidings/testkit/programs/limits";
import { findPort } from "@tidings/testkit/programs/ports";
import type { LinkState } from "@tidings/testkit/proxies/link";
import type { Build } from "../../upgrade/builds.ts";
import { runSettings } from "../load/integrations.ts";
import type { Stage } from "../parts.ts";
import { processNames } from "../plan.ts";
import { type Clock, createClock } from "./clock.ts";
import { type Database, openDatabase } from "./database.ts";
import { openEmbedded } from "./embedded.ts";
import { startLinks } from "./links.ts";
import { areReady, type Crash, type ServiceProcess, superviseProcess } from "./service-process.ts";

const startMs = 180_000;

/** A process with what is around it. */
export type Member = { process: ServiceProcess; clock: Clock; setNetwork(state: LinkState): Promise<void> };

export type ChaosStage = Stage & {
  database: Database;
  members: Member[];
  crashes: Crash[];
  /** The version before; null if there is none. */
  earlier: Build | null;
  /** Returns what is missing after the limit; null: the stage is as at the beginning. */
  waitUntilWhole(limitMs: number): Promise<string | null>;
  close(): Promise<void>;
};

type StageOptions = {
  /** Where logs and crashes are written. */
  folder: string;
  earlier: Build | null;
  /** One PostgreSQL as `npm start` has it, instead of two servers of Debian's. */
  isEmbedded: boolean;
  /** The faults in effect, for the list of crashes. */
  inEffect(): string[];
};

export async function openStage({ folder, earlier, isEmbedded, inEffect }: StageOptions): Promise<ChaosStage> {
  mkdirSync(folder, { recursive: true });
  const workFolder = mkdtempSync(join(tmpdir(), "tidings-chaos-"));
  const removeFolder = atExit(() => rmSync(workFolder, { recursive: true, force: true }));
  const database = await (isEmbedded ? openEmbedded(join(workFolder, "postgres")) : openDatabase());
  const links = startLinks();
  const keys = {
    TIDINGS_API_KEY: randomBytes(24).toString("hex"),
    TIDINGS_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
  };
  const crashes: Crash[] = [];
  const onCrash = (crash: Crash) => {
    crashes.push(crash);
    const line = { ...crash, faults: inEffect() };
    appendFileSync(join(folder, "crashes.jsonl"), `${JSON.stringify(line)}\n`);
    console.error(`  ${crash.process} ENDED UNEXPECTEDLY with ${crash.signal ?? `code ${crash.code}`}: ${crash.log}`);
  };

  async function addMember(name: string, threads: number): Promise<Member> {
    const ports = await Promise.all(database.servers.map(({ port }) => links.open(port)));
    const clock = createClock(workFolder, name);
    const hosts = ports.map((port) => `127.0.0.1:${port}`).join(",");
    const { username, password, pathname } = new URL(database.primary().url);
    const login = password ? `${username}:${password}` : username;
    const settings = {
      ...keys,
      ...runSettings,
      ...clock.settings,
      DATABASE_URL: `postgres://${login}@${hosts}${pathname}?target_session_attrs=read-write`,
      TIDINGS_DATA_DIR: join(workFolder, name),
      TIDINGS_THREADS: String(threads),
    };
    const process = superviseProcess({ name, port: await findPort(), settings, folder, onCrash });
    return { process, clock, setNetwork: (state) => links.set(ports, state) };
  }

  // One after the other: the first one migrates the database.
  const members: Member[] = [];
  for (const [at, name] of processNames.entries()) {
    const member = await addMember(name, at + 1);
    members.push(member);
    if (!(await areReady([member.process], startMs)))
      throw new Error(`${name} was not ready: see ${folder}/${name}.log`);
  }
  const processes = members.map((member) => member.process);
  return {
    urls: processes.map(({ url }) => url),
    apiKey: keys.TIDINGS_API_KEY,
    encryptionKey: keys.TIDINGS_ENCRYPTION_KEY,
    databaseUrl: () => database.primary().url,
    ...{ database, members, crashes, earlier },
    async waitUntilWhole(limitMs) {
      const deadline = performance.now() + limitMs;
      if (!(await becomes(database.isWhole, limitMs)))
        return "PostgreSQL does not accept writes, or has no standby that follows it";
      const restMs = Math.max(0, deadline - performance.now());
      return (await areReady(processes, restMs)) ? null : "a process of the service is not ready";
    },
    async close() {
      await Promise.all(processes.map((one) => one.stop()));
      await links.close();
      await database.close();
      removeFolder();
    },
  };
}

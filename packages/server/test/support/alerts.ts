// A service whose alert rules are evaluated when the test says so, at the time that it says.
import { randomBytes } from "node:crypto";
import type { Alert } from "@tidings/contract";
import { atEnd } from "@tidings/testkit/at-end";
import { startTestService, type TestService, type TestSettings } from "@tidings/testkit/service";
import { sql } from "kysely";
import { pino } from "pino";
import { readConfig } from "../../src/config.ts";
import type { Ctx } from "../../src/context.ts";
import { newId } from "../../src/lib/ids.ts";
import { createSecrets } from "../../src/lib/secrets.ts";
import { runPass } from "../../src/pipeline/alerts/pass.ts";
import type { DatabaseFault } from "../../src/store/faults.ts";
import { openQueue, type Queue } from "../../src/store/queue/queue.ts";

export const minutes = (count: number): number => count * 60_000;

/**
 * `pass`: one pass over the rules, at this moment, in a process with these database errors and, if it is an
 * embedded one, this data folder. The service sends the messages that it writes.
 */
export async function startAlertService(settings: TestSettings = {}) {
  const key = randomBytes(32).toString("base64");
  let queue: Queue | undefined;
  // What is registered first ends first, and the queue has to close before its database is dropped.
  atEnd(async () => queue?.stop());
  const service = await startTestService({ ...settings, TIDINGS_ENCRYPTION_KEY: key });
  const { db, database } = service;
  const faults: Error[] = [];
  queue = await openQueue({ url: database.url, onError: (error) => faults.push(error) });
  // The pass of the service itself would evaluate the rules at another time.
  await sql`delete from queue.job_common where name = 'alert'`.execute(db);
  const config = readConfig({ DATABASE_URL: database.url, TIDINGS_ENCRYPTION_KEY: key });
  const secrets = createSecrets(config.encryptionKeys);
  const log = pino({ level: "error" }, { write: (line: string) => void faults.push(new Error(line)) });
  const ctx = { db, queue, log, secrets, hints: { add: () => {} }, newId };
  const pass = async (now: Date, process: { faults?: DatabaseFault[]; dataDir?: string } = {}): Promise<void> => {
    const place = process.dataDir ? { ...config, databaseUrl: "", dataDir: process.dataDir } : config;
    const current = { config: place, faults: { current: () => process.faults ?? [] }, now: () => now };
    await runPass({ ...ctx, ...current } as unknown as Ctx, now, async () => {});
    if (faults[0]) throw faults[0];
  };
  return { service, pass };
}

export async function alertsOf(client: TestService["client"], query = {}): Promise<Alert[]> {
  return (await client("alerts.list", { query })).body.data;
}

/** Removes the rules of a new environment, which would find the same as those of the test. */
export async function removeRules(client: TestService["client"]): Promise<void> {
  for (const { _id: ruleId } of (await client("alertRules.list")).body) {
    await client("alertRules.delete", { params: { ruleId } });
  }
}

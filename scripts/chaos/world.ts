// A scenario's surroundings: processes of the service as `npm start` runs them, workflows of all kinds, subscribers,
// receivers, and live inboxes.
import { randomBytes } from "node:crypto";
import { existsSync, globSync } from "node:fs";
import type { StepIn } from "@tidings/contract";
import { sql } from "kysely";
import { launchService, progress, type Running } from "../../bench/support.ts";
import { createSecrets, parseEncryptionKeys } from "../../packages/server/src/lib/secrets.ts";
import { signInboxToken } from "../../packages/server/src/lib/tokens/inbox-token.ts";
import { type Db, openDb } from "../../packages/server/src/store/db.ts";
import { type Client, createClient } from "../../packages/server/test/support/client.ts";
import { createWorkflow, inApp } from "../../packages/server/test/support/verbs.ts";
import { mailServerCredentials, texter } from "./integrations.ts";
import { type LiveInbox, openInbox, type Receiver, startMailServer, startSmsGateway } from "./receivers.ts";

const liveInboxes = 30;
const digestSubscribers = 10;
/** Longer than a machine under load needs. */
const openMs = 120_000;

export type World = {
  urls: string[];
  apiKey: string;
  client: Client;
  subscribers: string[];
  digestSubscribers: string[];
  mail: Receiver;
  sms: Receiver;
  inboxes: LiveInbox[];
  close(): Promise<void>;
};

export type WorldOptions = {
  /** Settings of all processes, among them the address of the database. */
  settings: Record<string, string>;
  /** The address past everything that a scenario breaks, for the preparation. */
  databaseUrl: string;
  /** How far the clock of each process is off. */
  clocks: string[];
};

type Keys = ReturnType<typeof makeKeys>;

export const makeKeys = () => ({
  TIDINGS_API_KEY: randomBytes(24).toString("hex"),
  TIDINGS_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
});

export async function openWorld({ settings, databaseUrl, clocks }: WorldOptions): Promise<World> {
  const keys = makeKeys();
  const common = { ...keys, TIDINGS_THREADS: "1", ...settings };
  const processes: Running[] = [];
  for (const clock of clocks) {
    progress(`starting a process of the service${clock && `, its clock ${clock}`} …`);
    processes.push(await launchService({ ...common, ...withClock(clock) }));
  }
  const urls = processes.map(({ url }) => url);
  const world = await furnishWorld({ urls, keys, databaseUrl });
  return {
    ...world,
    async close() {
      for (const inbox of world.inboxes) inbox.close();
      for (const process of processes) await process.end("SIGTERM");
      await world.close();
    },
  };
}

type Surroundings = {
  /** The addresses of the processes, or of what is in front of them. */
  urls: string[];
  keys: Keys;
  databaseUrl: string;
  /** How long runs wait. */
  seconds?: { delay: number; digest: number };
  isTextRefusedFirst?: (text: string) => boolean;
};

/** Workflows, subscribers, receivers and live inboxes for processes that run. */
export async function furnishWorld(options: Surroundings): Promise<World> {
  const { urls, keys, databaseUrl, seconds = { delay: 2, digest: 3 }, isTextRefusedFirst } = options;
  const client = createClient({ baseUrl: urls[0]!, apiKey: keys.TIDINGS_API_KEY });
  const [mail, sms] = [await startMailServer(), await startSmsGateway(isTextRefusedFirst)];
  await client("integrations.create", { body: mailServerCredentials(mail.port) });
  await client("integrations.create", { body: texter(sms.port) });
  await createWorkflows(client, seconds);
  const subscribers = await createSubscribers(client, "live", liveInboxes);
  const collecting = await createSubscribers(client, "digest", digestSubscribers);
  const tokens = await signTokens(databaseUrl, keys.TIDINGS_ENCRYPTION_KEY);
  const inboxes = [...subscribers, ...collecting].map((subscriberId, n) =>
    openInbox(urls[n % urls.length]!, subscriberId, tokens.get(subscriberId)!),
  );
  await waitForStreams(inboxes);
  const apiKey = keys.TIDINGS_API_KEY;
  return {
    ...{ urls, apiKey, client, subscribers, digestSubscribers: collecting, mail, sms, inboxes },
    async close() {
      for (const inbox of inboxes) inbox.close();
      mail.close();
      sms.close();
    },
  };
}

/** libfaketime moves the wall clock of one process; timers, which count from the start, run as always. */
function withClock(offset: string): Record<string, string> {
  if (offset === "") return {};
  const [library] = globSync("/usr/lib/*/faketime/libfaketime.so.1").filter((path) => existsSync(path));
  if (!library) throw new Error("needs libfaketime: apt-get install faketime");
  return { LD_PRELOAD: library, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: "1" };
}

async function createWorkflows(client: Client, seconds: { delay: number; digest: number }): Promise<void> {
  const text = "{{ payload.text }}";
  const wait: StepIn = { name: "Wait", type: "delay", controlValues: { amount: seconds.delay, unit: "seconds" } };
  const digest: StepIn = {
    name: "Collect",
    stepId: "collect",
    type: "digest",
    controlValues: { amount: seconds.digest, unit: "seconds" },
  };
  await createWorkflow(client, "now", [inApp({ body: text })]);
  await createWorkflow(client, "later", [wait, inApp({ body: text })]);
  await createWorkflow(client, "collected", [digest, inApp({ body: "{{ steps.collect.eventCount }}" })]);
  await createWorkflow(client, "mailed", [
    { name: "Mail", type: "email", controlValues: { subject: text, body: "Hello" } },
  ]);
  await createWorkflow(client, "texted", [{ name: "Text", type: "sms", controlValues: { body: text } }]);
}

async function createSubscribers(client: Client, prefix: string, count: number): Promise<string[]> {
  const subscribers = Array.from({ length: count }, (_, n) => ({
    subscriberId: `${prefix}-${n}`,
    email: `${prefix}-${n}@example.com`,
    phone: `+49151${String(10_000_000 + n)}`,
  }));
  await client("subscribers.createBulk", { body: { subscribers } });
  return subscribers.map(({ subscriberId }) => subscriberId);
}

async function signTokens(databaseUrl: string, encryptionKey: string): Promise<Map<string, string>> {
  const secrets = createSecrets(parseEncryptionKeys(encryptionKey));
  const expiresAt = new Date(Date.now() + 3_600_000);
  const rows = await withDb(databaseUrl, async (db) => {
    const found = await sql<{ id: string; name: string; environmentId: string; keyId: string }>`
      select s.id, s.subscriber_id as name, s.environment_id as "environmentId", k.id as "keyId"
      from subscribers s join api_keys k on k.environment_id = s.environment_id`.execute(db);
    return found.rows;
  });
  return new Map(
    rows.map(({ id, name, environmentId, keyId }) => [
      name,
      signInboxToken(secrets, { environmentId, subscriberId: id, keyId, expiresAt }),
    ]),
  );
}

export async function withDb<T>(url: string, work: (db: Db) => Promise<T>): Promise<T> {
  const db = openDb({ url, poolSize: 1, onError: () => {} });
  return work(db).finally(() => db.destroy());
}

async function waitForStreams(inboxes: LiveInbox[]): Promise<void> {
  const deadline = performance.now() + openMs;
  while (!inboxes.every((inbox) => inbox.isOpen())) {
    if (performance.now() > deadline) throw new Error("not all live inboxes were opened");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

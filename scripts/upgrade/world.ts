// The surroundings of an upgrade under load: workflows of all kinds, subscribers, receivers, and live inboxes.
import { randomBytes } from "node:crypto";
import type { StepIn } from "@tidings/contract";
import { createSecrets, parseEncryptionKeys } from "@tidings/server/source/lib/secrets";
import { signInboxToken } from "@tidings/server/source/lib/tokens/inbox-token";
import { type Db, openDb } from "@tidings/server/source/store/db";
import { type Client, createClient } from "@tidings/testkit/client";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { sql } from "kysely";
import { mailServerCredentials, texter } from "../chaos/integrations.ts";
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

type Keys = ReturnType<typeof makeKeys>;

export const makeKeys = () => ({
  TIDINGS_API_KEY: randomBytes(24).toString("hex"),
  TIDINGS_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
});

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

// Live inboxes: memory of a connection, and the time from a message's creation to the client, with thousands of plain
// WebSockets open. For comparison, a server with nothing but `ws` (live-plain.ts) and the same clients. A message's id
// holds the time of its creation inside its transaction, a little before the commit, so the times are upper bounds.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { timeOfId } from "@tidings/server/source/lib/ids";
import { createSecrets, parseEncryptionKeys } from "@tidings/server/source/lib/secrets";
import { signInboxToken } from "@tidings/server/source/lib/tokens/inbox-token";
import { openDb } from "@tidings/server/source/store/db";
import { createClient } from "@tidings/testkit/client";
import { percentile } from "@tidings/testkit/load/figures";
import { progress } from "@tidings/testkit/load/progress";
import { sleep } from "@tidings/testkit/programs/limits";
import { sql } from "kysely";
import { WebSocket } from "ws";
import { type BenchService, startBenchService } from "./support.ts";
import { formatNumber, type Row, ratioAtMost, valueAtMost } from "./table.ts";
import { readPssMb } from "./usage.ts";

/** Services with this key accept the inbox tokens that a benchmark signs. */
export const encryptionKey = Buffer.alloc(32, 7).toString("base64");
const rates = [100, 1_000];
/** Messages are triggered and sent in this many portions a second. */
const portions = 10;
const openedAtOnce = 100;

type Side = { kbPerConnection: number; times: Map<number, number[]> };

export async function benchLive(connections: number, seconds: number): Promise<Row[]> {
  const plain = await measurePlain(connections, seconds);
  const service = await startBenchService({ TIDINGS_ENCRYPTION_KEY: encryptionKey });
  try {
    return toRows(connections, await measureService(service, connections, seconds), plain);
  } finally {
    await service.stop();
  }
}

/** Opens a WebSocket for each address; `onText` gets what arrives, and the index of the address. */
export async function openAll(urls: string[], onText: (text: string, index: number) => void): Promise<WebSocket[]> {
  const sockets: WebSocket[] = [];
  for (let from = 0; from < urls.length; from += openedAtOnce) {
    const some = urls.slice(from, from + openedAtOnce).map((url) => new WebSocket(url, { perMessageDeflate: false }));
    for (const [n, socket] of some.entries()) socket.on("message", (data) => onText(String(data), from + n));
    await Promise.all(some.map((socket) => once(socket, "open")));
    sockets.push(...some);
  }
  return sockets;
}

async function measurePlain(connections: number, seconds: number): Promise<Side> {
  progress(`${formatNumber(connections)} connections to a server with ws only …`);
  const child = spawn(process.execPath, [fileURLToPath(new URL("live-plain.ts", import.meta.url))], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  try {
    const [port] = (await once(child, "message")) as [number];
    const before = readPssMb(child.pid!);
    let arrived: number[] = [];
    const sockets = await openAll(Array(connections).fill(`ws://127.0.0.1:${port}`), (text) =>
      arrived.push(Date.now() - JSON.parse(text).at),
    );
    await sleep(3_000);
    const kbPerConnection = ((readPssMb(child.pid!) - before) * 1024) / connections;
    const times = new Map<number, number[]>();
    for (const rate of rates) {
      arrived = [];
      child.send({ rate: rate / portions, portions: seconds * portions });
      await waitUntil(() => arrived.length >= rate * seconds);
      times.set(rate, arrived);
    }
    for (const socket of sockets) socket.terminate();
    return { kbPerConnection, times };
  } finally {
    child.kill();
  }
}

async function measureService(service: BenchService, connections: number, seconds: number): Promise<Side> {
  const tokens = await prepare(service, connections);
  const { pid, databasePid } = service;
  const before = readPssMb(pid, databasePid);
  progress(`${formatNumber(connections)} connections to the service …`);
  let arrived: number[] = [];
  const address = service.url.replace("http", "ws");
  const sockets = await openAll(
    tokens.map((token) => `${address}/ws?token=${token}`),
    (text) => {
      const { event, data } = JSON.parse(text);
      if (event === "notification_received") arrived.push(Date.now() - timeOfId(data.message._id));
    },
  );
  await sleep(3_000);
  const kbPerConnection = ((readPssMb(pid, databasePid) - before) * 1024) / connections;
  const client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
  const times = new Map<number, number[]>();
  let next = 0;
  for (const rate of rates) {
    progress(`${formatNumber(rate)} messages a second for ${seconds} s …`);
    arrived = [];
    const begun = performance.now();
    const calls: Promise<unknown>[] = [];
    for (let portion = 0; portion < seconds * portions; portion++) {
      const events = Array.from({ length: rate / portions }, () => ({
        name: "live",
        to: `live-${next++ % connections}`,
      }));
      calls.push(client("events.triggerBulk", { body: { events } }));
      await sleep(begun + ((portion + 1) * 1_000) / portions - performance.now());
    }
    await Promise.all(calls);
    await waitUntil(() => arrived.length >= rate * seconds);
    times.set(rate, arrived);
  }
  for (const socket of sockets) socket.terminate();
  return { kbPerConnection, times };
}

/** A workflow, the subscribers, and a token for each. */
async function prepare(service: BenchService, connections: number): Promise<string[]> {
  const client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
  const steps = [{ name: "In-app", type: "in_app" as const, controlValues: { body: "Hello" } }];
  await client("workflows.create", { body: { name: "live", workflowId: "live", active: true, steps } });
  for (let from = 0; from < connections; from += 500) {
    const size = Math.min(500, connections - from);
    const subscribers = Array.from({ length: size }, (_, n) => ({ subscriberId: `live-${from + n}` }));
    await client("subscribers.createBulk", { body: { subscribers } });
  }
  return (await signTokens(service, "live-%", 3_600_000)).map(({ token }) => token);
}

/** A token for each subscriber whose id is like the pattern, in the order of their creation. */
export async function signTokens({ databaseUrl }: BenchService, pattern: string, validMs: number) {
  const db = openDb({ url: databaseUrl, poolSize: 1, onError: () => {} });
  try {
    const { rows } = await sql<{ id: string; subscriber_id: string; environment_id: string; key_id: string }>`
      select s.id, s.subscriber_id, s.environment_id, k.id as key_id from subscribers s
      join api_keys k on k.environment_id = s.environment_id
      where s.subscriber_id like ${pattern} order by s.id`.execute(db);
    const secrets = createSecrets(parseEncryptionKeys(encryptionKey));
    const expiresAt = new Date(Date.now() + validMs);
    return rows.map((row) => ({
      subscriberId: row.subscriber_id,
      token: signInboxToken(secrets, {
        environmentId: row.environment_id,
        subscriberId: row.id,
        keyId: row.key_id,
        expiresAt,
      }),
    }));
  } finally {
    await db.destroy();
  }
}

async function waitUntil(isDone: () => boolean): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!isDone()) {
    if (performance.now() > deadline) throw new Error("not all messages arrived within 60 s");
    await sleep(20);
  }
}

function toRows(connections: number, service: Side, plain: Side): Row[] {
  const timeRows = rates.flatMap((rate) =>
    ([0.5, 0.99] as const).map((part) => ({
      what: `live, message → client, ${formatNumber(rate)}/s, p${part * 100}`,
      value: percentile(service.times.get(rate)!, part),
      unit: "ms",
      beside: { what: "ws without a database", value: percentile(plain.times.get(rate)!, part) },
      aim: valueAtMost(part === 0.5 ? 100 : 500),
    })),
  );
  return [
    {
      what: `live, memory of a connection, ${formatNumber(connections)} open`,
      value: service.kbPerConnection,
      unit: "kB",
      beside: { what: "ws alone", value: plain.kbPerConnection },
      ratio: service.kbPerConnection / plain.kbPerConnection,
      aim: ratioAtMost(2),
    },
    ...timeRows,
  ];
}

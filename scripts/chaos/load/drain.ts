// Waits until nothing is in progress: what the API calls waiting, and what only the tables show, such as runs that wait
// for a delay.
import pg from "pg";
import type { Stage } from "../parts.ts";
import { pause } from "./caller.ts";
import { parseJson, sendRequest } from "./http.ts";
import type { LoadEnvironment } from "./world.ts";

/** What is left, by its name; null if it could not be read. */
type Left = Record<string, number> | null;

const statements: Record<string, string> = {
  runs: "select count(*) from jobs where status in ('pending', 'queued', 'running', 'delayed')",
  messages: "select count(*) from messages where status = 'pending'",
  walks: "select count(*) from events where audience is not null and expanded_at is null and canceled_at is null",
  outbox: "select count(*) from sql_outbox",
  retractions: "select count(*) from retractions where status = 'running'",
};

const pollMs = 2_000;
const readMs = 10_000;

export async function drain(
  stage: Stage,
  environments: LoadEnvironment[],
  drainMs: number,
): Promise<{ isDrained: boolean; left: Left }> {
  const deadline = performance.now() + drainMs;
  for (;;) {
    const left = await readLeft(stage, environments);
    if (left && Object.values(left).every((count) => count === 0)) return { isDrained: true, left };
    if (performance.now() > deadline) return { isDrained: false, left };
    await pause(pollMs, deadline);
  }
}

async function readLeft(stage: Stage, environments: LoadEnvironment[]): Promise<Left> {
  const client = new pg.Client({
    connectionString: stage.databaseUrl(),
    connectionTimeoutMillis: readMs,
    query_timeout: readMs,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    const left: Record<string, number> = {};
    for (const [name, text] of Object.entries(statements)) {
      const { rows } = await client.query<{ count: string }>(text);
      left[name] = Number(rows[0]!.count);
    }
    for (const environment of environments) Object.assign(left, await readWaiting(stage, environment));
    return left;
  } catch {
    return null;
  } finally {
    await client.end().catch(() => {});
  }
}

type System = { queue: { due: number; active: number }[]; environment: { waiting: { count: number }[] } };

async function readWaiting({ urls }: Stage, { name, apiKey }: LoadEnvironment): Promise<Record<string, number>> {
  const headers = { authorization: `ApiKey ${apiKey}` };
  const answer = await sendRequest({ url: urls[0]!, method: "GET", path: "/v1/system", headers, timeoutMs: readMs });
  if (answer.status !== 200) throw new Error(`/v1/system: ${answer.status ?? answer.fault}`);
  const body = parseJson(answer.body) as { data?: System } & System;
  const { queue, environment } = body.data ?? body;
  const waiting = environment.waiting.reduce((sum, { count }) => sum + count, 0);
  return { [`waiting ${name}`]: waiting, queue: queue.reduce((sum, { due, active }) => sum + due + active, 0) };
}

// A client that triggers events by SQL inside its transactions, some of which it rolls back. If the response to a
// commit is lost, it cannot know what happened: it repeats the transaction if the client chose the ids of its events.
import { randomBytes, randomUUID } from "node:crypto";
import { newId } from "@tidings/server/source/lib/ids";
import { openDb } from "@tidings/server/source/store/db";
import { grantRole } from "@tidings/server/source/store/sources/grants";
import { createRandom, type Random } from "@tidings/testkit/load/random";
import pg from "pg";
import type { PlannedEvent } from "../../auditor/evidence.ts";
import type { EvidenceWriter, Stage } from "../parts.ts";
import { pause } from "./caller.ts";
import type { Clients } from "./clients.ts";
import type { LoadEnvironment } from "./world.ts";

export type SqlClient = { environment: LoadEnvironment; role: string; password: string };

/**
 * One role for each environment. Where the role of the service may not create roles, it is granted the first
 * environment itself, and the others have no events by SQL.
 */
export async function createSqlClients(stage: Stage, environments: LoadEnvironment[]): Promise<SqlClient[]> {
  const url = stage.databaseUrl();
  const db = openDb({ url, poolSize: 1, onError: () => {} });
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  const clients: SqlClient[] = [];
  try {
    for (const environment of environments) {
      let client = { environment, role: `chaos_${environment.name}`, password: randomBytes(16).toString("hex") };
      try {
        await admin.query(`create role ${client.role} login password '${client.password}'`);
      } catch (error) {
        if ((error as { code?: string }).code !== "42501") throw error;
        const { username, password } = new URL(url);
        client = { environment, role: username, password };
      }
      if (clients.some(({ role }) => role === client.role)) break;
      const grant = { role: client.role, environmentId: environment.id, sourceId: newId(), now: new Date() };
      await db.transaction().execute((tx) => grantRole(tx, grant));
      clients.push(client);
    }
  } finally {
    await admin.end();
    await db.destroy();
  }
  return clients;
}

const transactionsPerSecond = 0.5;
const mostEvents = 3;
const rolledBackShare = 0.2;
/** The share of transactions whose events have ids that the client chose. */
const ownIdShare = 0.5;
const statementMs = 10_000;
const repeatMs = 1_000;
const sqlWorkflows = ["now", "now", "now", "later", "texted"];

type Tools = { stage: Stage; evidence: EvidenceWriter; clients: Clients; seed: number; pace: number };
type Transaction = { request: string; events: PlannedEvent[]; ids: (string | null)[]; isRolledBack: boolean };

/** One transaction after the other. */
export function startSqlClient({ environment, role, password }: SqlClient, tools: Tools): { stop(): Promise<void> } {
  const { stage, evidence, clients, seed, pace } = tools;
  const random = createRandom(seed, `sql ${environment.name}`);
  let isStopped = false;
  let connection: pg.Client | null = null;

  const connect = async (): Promise<pg.Client> => {
    const url = new URL(stage.databaseUrl());
    Object.assign(url, { username: role, password });
    const limits = { connectionTimeoutMillis: statementMs, query_timeout: statementMs };
    const client = new pg.Client({ connectionString: url.href, ...limits });
    client.on("error", () => {});
    await client.connect();
    return client;
  };
  const tryOnce = async ({ request, events, ids, isRolledBack }: Transaction, attempt: number) => {
    const at = Date.now();
    const found: string[] = [];
    let status: number | null = 409;
    let fault: string | undefined;
    try {
      connection ??= await connect();
      await connection.query("begin");
      for (const [n, event] of events.entries()) found.push(await triggerBySql(connection, event, ids[n]!));
      // From here on, an error leaves it open whether the transaction was committed.
      if (!isRolledBack) status = null;
      await connection.query(isRolledBack ? "rollback" : "commit");
      if (!isRolledBack) status = 201;
    } catch (error) {
      const { code, name } = error as { code?: string; name: string };
      fault = code ?? name;
      void connection?.end().catch(() => {});
      connection = null;
    }
    evidence.call({
      ...{ request, attempt, client: role, environment: environment.name, operation: "sql", url: "sql", at },
      ...{ endedAt: Date.now(), status, events, fault },
      ...(status === 201 && { transactionIds: found }),
    });
    return { status, fault, transactionIds: found };
  };
  const run = async (transaction: Transaction) => {
    for (let attempt = 1; ; attempt++) {
      const { status, fault, transactionIds } = await tryOnce(transaction, attempt);
      if (status === 201) {
        for (const [n, event] of transaction.events.entries()) clients.follow(environment, event, transactionIds[n]!);
      }
      if (fault === undefined || isStopped) return;
      await pause(repeatMs);
      // Without ids, a second transaction would be a second event.
      if (status === null && transaction.ids.includes(null)) return;
    }
  };
  const work = async () => {
    while (!isStopped) {
      await run(planTransaction(environment, random, clients));
      if (!isStopped) await pause(random.between(0, 2_000 / transactionsPerSecond / pace));
    }
    await connection?.end().catch(() => {});
  };
  const working = work();
  return {
    async stop() {
      isStopped = true;
      await working;
    },
  };
}

function planTransaction(environment: LoadEnvironment, random: Random, { plan }: Clients): Transaction {
  const hasOwnIds = random.chance(ownIdShare);
  const events = Array.from({ length: 1 + random.below(mostEvents) }, () =>
    plan(environment, random.pick(sqlWorkflows), { to: [random.pick(environment.people).subscriberId] }),
  );
  const ids = events.map(({ text }) => (hasOwnIds ? `own-${text}` : null));
  return { request: randomUUID(), events, ids, isRolledBack: random.chance(rolledBackShare) };
}

async function triggerBySql(client: pg.Client, event: PlannedEvent, transactionId: string | null): Promise<string> {
  const { workflowId, to, text } = event;
  const options = transactionId ? { transactionId } : {};
  const { rows } = await client.query<{ id: string }>("select tidings.trigger($1, $2, $3::jsonb, $4::jsonb) as id", [
    ...[workflowId, to[0], JSON.stringify({ text }), JSON.stringify(options)],
  ]);
  return rows[0]!.id;
}

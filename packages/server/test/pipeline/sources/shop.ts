// Customers: a role in the service's own database that was granted one environment, and a database with an outbox.
import { randomBytes } from "node:crypto";
import { outboxSql, type Source } from "@tidings/contract";
import { atEnd } from "@tidings/testkit/at-end";
import type { Client } from "@tidings/testkit/client";
import { createTestDatabase, type TestDatabase } from "@tidings/testkit/database";
import type { TestService } from "@tidings/testkit/service";
import pg from "pg";
import { newId } from "../../../src/lib/ids.ts";
import { grantRole } from "../../../src/store/sources/grants.ts";

/** The id of the environment that a client's key belongs to. */
export async function environmentOf(client: Client): Promise<string> {
  const { body } = await client("environments.list");
  return body.find(({ apiKeys }) => apiKeys)!._id;
}

/** A new role that may log in. */
export async function createRole(service: TestService): Promise<{ role: string; url: string }> {
  const role = `shop_${randomBytes(6).toString("hex")}`;
  const admin = new pg.Client({ connectionString: service.database.url });
  await admin.connect();
  await admin.query(`create role ${role} login password 'shop'`);
  await admin.end();
  const url = new URL(service.database.url);
  url.username = role;
  url.password = "shop";
  return { role, url: url.href };
}

/** Runs `work` with a new connection, and closes it: none is left when the file ends. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export type Shop = {
  role: string;
  url: string;
  /** One statement, which is its own transaction. */
  query(text: string, values?: unknown[]): Promise<pg.QueryResult>;
  /** Several statements of one connection. */
  run<T>(work: (client: pg.Client) => Promise<T>): Promise<T>;
};

/** A new role that was granted the environment of `client`, or Development. */
export async function openShop(service: TestService, client = service.client): Promise<Shop> {
  const { role, url } = await createRole(service);
  const environmentId = await environmentOf(client);
  await service.db
    .transaction()
    .execute((tx) => grantRole(tx, { role, environmentId, sourceId: newId(), now: new Date() }));
  const run = <T>(work: (client: pg.Client) => Promise<T>) => withClient(url, work);
  return { role, url, run, query: (text, values) => run((shop) => shop.query(text, values)) };
}

export type Customer = {
  database: TestDatabase;
  url: string;
  params: { sourceId: string };
  /** One statement of the owner, which is its own transaction. */
  query(text: string, values?: unknown[]): Promise<pg.QueryResult>;
  source(): Promise<Source>;
  /** Rows in the outbox. */
  waiting(): Promise<number>;
};

/** A database with an outbox, and its source in the environment of `client`; both end with the file. */
export async function openCustomer(service: TestService, client = service.client): Promise<Customer> {
  const database = await createTestDatabase({ isEmpty: true });
  // The service is stopped before.
  atEnd(() => database.drop());
  const { url } = database;
  const query = (text: string, values?: unknown[]) => withClient(url, (owner) => owner.query(text, values));
  await query(outboxSql());
  const { body } = await client("sources.create", { body: { name: "Orders", url } });
  const params = { sourceId: body.id };
  return {
    database,
    url,
    params,
    query,
    source: async () => (await client("sources.retrieve", { params })).body,
    waiting: async () => Number((await query("select count(*) as n from tidings.outbox")).rows[0].n),
  };
}

/** What was refused and is not replayed yet, by transaction id: why. */
export async function refusalsOf(client: Client): Promise<Map<string, string>> {
  const { data } = (await client("failedTasks.list", { query: { status: "open", limit: 100 } })).body;
  return new Map(data.map((task) => [String(task.data.transactionId), task.error]));
}

/** The in-app messages of a subscriber, oldest first; none when the subscriber does not exist. */
export async function subjectsOf(client: Client, subscriberId: string): Promise<string[]> {
  const { status, body } = await client.raw("subscriberNotifications.list", {
    params: { subscriberId },
    query: { limit: 100 },
  });
  if (status === 404) return [];
  return (body as { data: { subject: string }[] }).data.map(({ subject }) => subject).toReversed();
}

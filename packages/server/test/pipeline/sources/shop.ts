// A customer in the service's own database: a role that was granted one environment, and nothing else.
import { randomBytes } from "node:crypto";
import pg from "pg";
import { newId } from "../../../src/lib/ids.ts";
import { grantRole } from "../../../src/store/sources/grants.ts";
import type { Client } from "../../support/client.ts";
import type { TestService } from "../../support/service.ts";

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

/** The in-app messages of a subscriber, oldest first; none when the subscriber does not exist. */
export async function subjectsOf(client: Client, subscriberId: string): Promise<string[]> {
  const { status, body } = await client.raw("subscriberNotifications.list", {
    params: { subscriberId },
    query: { limit: 100 },
  });
  if (status === 404) return [];
  return (body as { data: { subject: string }[] }).data.map(({ subject }) => subject).toReversed();
}

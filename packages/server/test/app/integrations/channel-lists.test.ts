// The lists of channel connections and channel endpoints: filters, order and cursors, against a model of all rows.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ContextMap } from "@tidings/contract";
import { chatIntegration, connection, endpoint, subscriber } from "@tidings/testkit/channels";
import fc from "@tidings/testkit/properties";
import { assertRefused } from "@tidings/testkit/refusals";
import { startTestService } from "@tidings/testkit/service";
import { sql } from "kysely";

const { client, production, db } = await startTestService();
await chatIntegration(client, "slack-1");
await chatIntegration(client, "slack-2");
await chatIntegration(client, "teams", "msteams");
await subscriber(client, "ada");
await subscriber(client, "bob");

const integrations = ["slack-1", "slack-2", "teams"];
const people = ["ada", "bob"];
const contexts: (ContextMap | undefined)[] = [undefined, { tenant: "a" }, { tenant: "b", app: "x" }];
const connectionOf = (n: number) => (n % 3 === 0 ? `conn.${integrations[n % integrations.length]}` : undefined);

for (const [n, integration] of integrations.entries()) {
  await connection(client, integration, { identifier: `conn.${integration}` });
  for (let i = 0; i < 8; i++) {
    const subscriberId = [undefined, ...people][i % 3];
    // A subscriber is connected once for each set of contexts.
    const context = contexts[(i + n + Math.floor(i / 3)) % 3];
    await connection(client, integration, { identifier: `c${n}-${i}`, subscriberId, context });
  }
}
for (let n = 0; n < 24; n++) {
  const fields = { context: contexts[n % 3], identifier: `e-${(n * 7) % 24}`, connectionIdentifier: connectionOf(n) };
  await endpoint(client, integrations[n % integrations.length]!, people[n % 2]!, fields);
}
// Few moments for many rows, so that ties have to be broken.
for (const table of ["channel_connections", "channel_endpoints"]) {
  await sql`update ${sql.table(table)} set
    created_at = timestamptz '2026-01-01' + (length(identifier) + ascii(right(identifier, 1)) % 4) * interval '1 s',
    updated_at = timestamptz '2026-02-01' + ascii(right(identifier, 1)) % 3 * interval '1 ms'`.execute(db);
}

type Row = Record<"id" | "identifier" | "integration" | "provider" | "subscriber" | "connection" | "keys", string> & {
  createdAt: string;
  updatedAt: string;
};

const rowsOf = async (table: "channel_connections" | "channel_endpoints"): Promise<Row[]> => {
  const connections = table === "channel_endpoints" ? sql`c.identifier` : sql`null`;
  const join = table === "channel_endpoints" ? sql`left join channel_connections c on c.id = r.connection_id` : sql``;
  const { rows } = await sql<Row & { createdAt: Date; updatedAt: Date }>`
    select r.id, r.identifier, i.identifier as integration, i.provider_id as provider, s.subscriber_id as subscriber,
      ${connections} as connection, array_to_string(r.context_keys, ',') as keys,
      r.created_at as "createdAt", r.updated_at as "updatedAt"
    from ${sql.table(table)} r join integrations i on i.id = r.integration_id
    left join subscribers s on s.id = r.subscriber_id ${join}`.execute(db);
  return rows.map((row) => ({
    ...row,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }));
};

const lists = {
  connections: { id: "channelConnections.list", rows: await rowsOf("channel_connections") },
  endpoints: { id: "channelEndpoints.list", rows: await rowsOf("channel_endpoints") },
} as const;

const maybe = <T>(values: T[]) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 2 });

const queries = fc.record({
  subscriberId: maybe(["ada", "bob", "nobody"]),
  contextKeys: maybe([[""], ["tenant:a"], ["tenant:b", "app:x"], ["app:x", "tenant:b", "app:x"], ["tenant:b"]]),
  channel: maybe(["chat", "email"]),
  providerId: maybe(["slack", "msteams", "discord"]),
  integrationIdentifier: maybe([...integrations, "nope"]),
  connectionIdentifier: maybe(["conn.slack-1", "conn.teams", "nope"]),
  orderBy: maybe(["createdAt", "updatedAt", "identifier"] as const),
  orderDirection: maybe(["ASC", "DESC"] as const),
});
type Query = typeof queries extends fc.Arbitrary<infer T> ? T : never;

function expectedOf(rows: Row[], isEndpoints: boolean, query: Query): string[] {
  const keys = query.contextKeys && [...new Set(query.contextKeys.filter(Boolean))].sort().join(",");
  const kept = rows.filter(
    (row) =>
      (query.subscriberId === undefined || row.subscriber === query.subscriberId) &&
      (keys === undefined || row.keys === keys) &&
      (query.channel === undefined || query.channel === "chat") &&
      (query.providerId === undefined || row.provider === query.providerId) &&
      (query.integrationIdentifier === undefined || row.integration === query.integrationIdentifier) &&
      (!isEndpoints || query.connectionIdentifier === undefined || row.connection === query.connectionIdentifier),
  );
  const by = query.orderBy ?? "createdAt";
  const order = (a: Row, b: Row) => (a[by] < b[by] ? -1 : a[by] > b[by] ? 1 : a.id < b.id ? -1 : 1);
  const sorted = kept.sort(order).map((row) => row.identifier);
  return query.orderDirection === "ASC" ? sorted : sorted.reverse();
}

for (const [name, { id, rows }] of Object.entries(lists)) {
  const page = async (query: object) => {
    const { body } = await client(id as "channelEndpoints.list", { query: query as never });
    return { ...body, names: body.data.map((item) => item.identifier) };
  };

  test(`${name}: every way through the pages gives the filtered rows in order`, async () => {
    await fc.assert(
      fc.asyncProperty(queries, fc.integer({ min: 1, max: 12 }), async (query, limit) => {
        const expected = expectedOf(rows, name === "endpoints", query);
        const forward: string[] = [];
        let current = await page({ ...query, limit });
        assert.equal(current.previous, null);
        for (;;) {
          forward.push(...current.names);
          assert.deepEqual([current.totalCount, current.totalCountCapped], [expected.length, false]);
          if (current.next === null) break;
          const inclusive = await page({ ...query, limit: 1, after: current.next, includeCursor: true });
          assert.deepEqual(inclusive.names, [current.names.at(-1)]);
          current = await page({ ...query, limit, after: current.next });
        }
        assert.deepEqual(forward, expected);
        const backward = [...current.names];
        while (current.previous !== null) {
          current = await page({ ...query, limit, before: current.previous });
          backward.unshift(...current.names);
        }
        assert.deepEqual(backward, expected);
      }),
      { numRuns: 40, endOnFailure: true },
    );
  });

  test(`${name}: invalid filters are refused`, async () => {
    const cursor = (await page({ limit: 1 })).next!;
    const both = { before: ["before and after cannot be used together"] };
    const cases: [Record<string, unknown>, Record<string, string[]>][] = [
      [{ limit: 101 }, { limit: ["limit must not be greater than 100"] }],
      [{ limit: 0 }, { limit: ["limit must not be less than 1"] }],
      [{ limit: "1.5" }, { limit: ["limit must be a whole number"] }],
      [{ orderBy: "name" }, { orderBy: ["orderBy must be one of: createdAt, updatedAt, identifier"] }],
      [{ orderDirection: "up" }, { orderDirection: ["orderDirection must be one of: ASC, DESC"] }],
      [{ includeCursor: "maybe" }, { includeCursor: ["includeCursor must be a boolean"] }],
      [{ channel: "fax" }, { channel: ["channel must be one of: in_app, email, sms, chat, push"] }],
      [{ contextKeys: "tenant" }, { contextKeys: ["contextKeys must have the form <type>:<id>"] }],
      [{ after: "x" }, { after: ["after is not a valid cursor"] }],
      [{ after: cursor, orderBy: "identifier" }, { after: ["after is not a valid cursor"] }],
      [{ after: cursor, before: cursor }, both],
    ];
    for (const [query, errors] of cases) {
      await assertRefused(client, id, { query }, { code: "VALIDATION_ERROR", errors });
    }
    const { errors } = await assertRefused(client, id, { query: { providerId: "nope" } }, { code: "VALIDATION_ERROR" });
    assert.deepEqual(Object.keys(errors as object), ["providerId"]);
  });
}

describe("pages", () => {
  test("go on when the cursor's own item is gone, and show nothing of another environment", async () => {
    const query = { orderBy: "identifier", orderDirection: "ASC", limit: 1 } as const;
    const first = (await client("channelEndpoints.list", { query })).body;
    const identifier = first.data[0]!.identifier;
    await client("channelEndpoints.delete", { params: { identifier } });
    const after = { ...query, after: first.next! };
    const second = (await client("channelEndpoints.list", { query: after })).body;
    const names = lists.endpoints.rows.map((row) => row.identifier).sort();
    assert.equal(second.data[0]!.identifier, names[1]);
    const inclusive = (await client("channelEndpoints.list", { query: { ...after, includeCursor: true } })).body;
    assert.deepEqual(inclusive.data, second.data);
    for (const id of ["channelEndpoints.list", "channelConnections.list"] as const) {
      const { body } = await production(id);
      assert.deepEqual(body, { data: [], next: null, previous: null, totalCount: 0, totalCountCapped: false });
    }
  });
});

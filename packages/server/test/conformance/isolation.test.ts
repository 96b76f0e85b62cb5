// Two environments share nothing: with the key of one, every id of the other is unknown, no response shows anything of
// the other, and not a row of it changes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Operation, type OperationId, operations } from "@tidings/contract";
import { before } from "@tidings/testkit/at-end";
import { createClient, type RawInput } from "@tidings/testkit/client";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { startTestService } from "@tidings/testkit/service";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { inputOf } from "./fixtures.ts";
import { ofOwnInbox } from "./inputs.ts";
import { createProbe } from "./probe.ts";
import { createWorld } from "./world.ts";

const receiver = await startReceiver();
const service = await startTestService();
const probe = createProbe(service.url, service.apiKey);
const mine = createWorld(service.client, "mine", receiver.url, service.db);
const neighbour = await mine.environment();
const theirs = createWorld(
  createClient({ baseUrl: service.url, apiKey: neighbour.apiKeys![0]!.key }),
  "theirs",
  receiver.url,
  service.db,
);
/** People belong to the installation and to no environment: test/app/members/ has who reaches what. */
const ofPeople = /^(auth|people|auditLog)\./;
const all = (Object.values(operations) as Operation[]).filter(({ id }) => !ofPeople.test(id));

/** Operations that name things of other environments and return something other than 404, and why. */
const exceptions: Partial<Record<OperationId, { status: number; reason: string; writes?: true }>> = {
  "signals.send": { status: 201, reason: "an unknown subscriber is named in the response" },
  "signals.sendBulk": { status: 201, reason: "as above" },
  "events.cancel": { status: 200, reason: "an unknown transaction has nothing waiting" },
  "topicSubscriptions.create": { status: 201, reason: "the topic is created where it does not exist; entries fail" },
  "environments.update": { status: 403, reason: "environments of the organisation are known to all its keys" },
  "environments.listTags": { status: 403, reason: "as above" },
  "environments.retrieveClock": { status: 403, reason: "as above" },
  "environments.updateClock": { status: 403, reason: "as above" },
  "environments.retrieveTimeline": { status: 403, reason: "as above" },
  "retention.retrieve": { status: 403, reason: "as above" },
  "retention.update": { status: 403, reason: "as above" },
  "retention.preview": { status: 403, reason: "as above" },
  "environments.createApiKey": { status: 403, reason: "as above" },
  "environments.updateApiKey": { status: 403, reason: "as above" },
  "environments.revokeApiKey": { status: 403, reason: "as above" },
  "environments.delete": { status: 403, reason: "as above" },
  "environments.diff": { status: 403, reason: "as above" },
  "environments.publish": { status: 403, reason: "as above" },
  "environments.listPublishes": { status: 403, reason: "as above" },
  "environments.retrievePublish": { status: 403, reason: "as above" },
  "environments.planRestore": { status: 403, reason: "as above" },
  "environments.restorePublish": { status: 403, reason: "as above" },
  "workflows.sync": { status: 403, reason: "as above: it names the environment it writes to" },
  "inboundWebhooks.receive": { status: 200, reason: "no key: who can sign may report", writes: true },
  "inboundWebhooks.receiveByGet": { status: 200, reason: "as above", writes: true },
  "inbox.listSubscriptions": { status: 200, reason: "of an unknown topic there are none" },
  "inbox.createSubscription": { status: 201, reason: "the topic is created where it does not exist" },
  "inbox.retrieveSubscription": { status: 204, reason: "existing clients read this as none" },
  "inbox.unsubscribeWebPush": { status: 204, reason: "a browser that is not subscribed is no error" },
  "gallery.retrieve": { status: 200, reason: "the gallery is the same everywhere" },
  "gallery.use": { status: 201, reason: "as above: it creates a workflow of the caller" },
  "inbox.openSession": { status: 201, reason: "no key: in development, a session is open to all", writes: true },
};

/** Bodies without a path that name things of the environment: they have to be unknown too. */
const refusedBodies: Partial<Record<OperationId, number>> = {
  "audiences.create": 422,
  "broadcasts.create": 422,
  "events.trigger": 404,
  "events.broadcast": 404,
  "explain.retrieve": 404,
  "explain.dryRun": 404,
  "scenarios.export": 404,
  "workflows.preview": 404,
  "subscribers.match": 404,
  "translations.create": 404,
  "translations.upload": 404,
  "integrations.createChatOauthUrl": 404,
  "channelConnections.create": 404,
  "channelEndpoints.create": 404,
  "inbox.createToken": 404,
  "inbox.bulkUpdatePreferences": 404,
  "inbox.createConnection": 404,
  "inbox.createEndpoint": 404,
  "inbox.createConnectionOauthUrl": 404,
  "inbox.createEndpointOauthUrl": 404,
  "inbox.createChatOauthUrl": 404,
  "inbox.linkEndpoint": 404,
};

type Table = { name: string; hasEnvironment: boolean };
let tables: Table[] = [];
const theirId = neighbour._id;
const inputs = new Map<string, RawInput>();
let theirIds = new Set<string>();
let myInbox: RawInput = {};
/** Context ids are words that anyone may use; all others are unique in the world. */
const uuid = /^[0-9a-f]{8}-/;

/**
 * All tables but stored responses, which belong to the caller's own requests, and statistics, which housekeeping counts
 * at its time.
 */
const findTables = async (): Promise<Table[]> =>
  (
    await sql<Table>`select c.relname as name, a.attname is not null as "hasEnvironment" from pg_class c
      left join pg_attribute a on a.attrelid = c.oid and a.attname = 'environment_id'
      where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
        and c.relname not in ('idempotency_keys', 'statistics_hours', 'statistics_progress') order by 1`.execute(
      service.db,
    )
  ).rows;

/**
 * Which version of a row this is: its place and the transaction that wrote it, which are quicker to read than its
 * columns. The last use of the caller's own key is recorded with every request.
 */
const versionOf = (name: string) =>
  name === "api_keys" ? "(to_jsonb(t) - 'last_used_at')::text" : "concat_ws(' ', t.tableoid, t.ctid, t.xmin)";

/**
 * The function `picture`: one line per table, with how many rows it has, of one environment or altogether, and a
 * fingerprint of all of them. A session plans the statements of a function once.
 */
async function createPicture(): Promise<void> {
  const linesOf = (of: Table[], condition: string) =>
    of
      .map(
        ({ name }) => `select '${name} ' || count(*) || ' ' || coalesce(sum(hashtextextended(${versionOf(name)}, 0)), 0)
          from ${name} t ${condition}`,
      )
      .join(" union all ");
  const own = tables.filter(({ hasEnvironment }) => hasEnvironment);
  await sql
    .raw(
      `create function picture(environment uuid) returns setof text language plpgsql
        set max_parallel_workers_per_gather = 0 set plan_cache_mode = force_generic_plan as $$
        begin
          if environment is null then return query ${linesOf(tables, "")};
          else return query ${linesOf(own, "where t.environment_id = environment")};
          end if;
        end $$`,
    )
    .execute(service.db);
}

async function snapshot(environmentId: string | null): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`select picture(${environmentId}) as line`.execute(service.db);
  return rows.map(({ line }) => line);
}

/** Whether a request has changed the caller's own environment: its workers may still be at it, such as at an import. */
let isBusy = false;

/** Waits until the pipeline is idle, so that later changes come from a request. */
async function quiet(): Promise<void> {
  // Alerts are evaluated and sent whether there are requests or not.
  await sql`delete from queue.job_common where name = 'alert'`.execute(service.db);
  let last = "";
  let times = 0;
  await eventually(async () => {
    const picture = (await snapshot(null)).join();
    times = picture === last ? times + 1 : 0;
    last = picture;
    return times >= 5;
  }, "the pipeline to come to rest");
  isBusy = false;
}

before(async () => {
  tables = await findTables();
  assert.ok(tables.length > 10);
  await createPicture();
  for (const operation of all) inputs.set(operation.id, await inputOf(operation, theirs));
  myInbox = await ofOwnInbox(mine);
  await quiet();
  const ids = tables
    .filter(({ hasEnvironment }) => hasEnvironment)
    .map(
      ({ name }) => sql`select to_jsonb(t) ->> 'id' as id from ${sql.table(name)} t
    where environment_id = ${theirId}`,
    );
  const { rows } = await sql<{ id: string | null }>`${sql.join(ids, sql` union `)}`.execute(service.db);
  theirIds = new Set(rows.flatMap(({ id }) => (id && uuid.test(id) ? [id] : [])));
  assert.ok(theirIds.size > 20);
});

const reachesOthers = new Set<string>([
  "environments.list",
  "inbox.openSession",
  "inboundWebhooks.receive",
  "inboundWebhooks.receiveByGet",
]);

const expectedOf = ({ id, params }: Operation): number | undefined =>
  exceptions[id as OperationId]?.status ?? (params !== undefined ? 404 : refusedBodies[id as OperationId]);
/** A request that finds nothing changes nothing anywhere; others may change the caller's own environment. */
const changesNothing = (operation: Operation): boolean => [403, 404].includes(expectedOf(operation) ?? 0);

// Those that may write come last: after each of them, the pipeline has to come to rest before all rows are compared.
for (const operation of all.toSorted((a, b) => Number(changesNothing(b)) - Number(changesNothing(a)))) {
  const id = operation.id as OperationId;
  test(`${id} does not reach into another environment`, async () => {
    const input = inputs.get(id)!;
    const params =
      operation.path.includes("{environmentId}") && !reachesOthers.has(id)
        ? { ...input.params, environmentId: theirId }
        : input.params;
    const expected = expectedOf(operation);
    const scope = changesNothing(operation) ? null : theirId;
    if (scope === null && isBusy) await quiet();
    const earlier = await snapshot(scope);
    // The caller's own key, unless the input has a signature.
    const { authorization, ...rest } = input.headers ?? {};
    const headers = {
      signed: input.headers,
      open: rest,
      inbox: { ...rest, ...myInbox.headers },
      member: rest,
      key: rest,
    }[operation.access ?? "key"];
    const answer = await probe(id, { ...input, params, headers });
    if (expected !== undefined) assert.equal(answer.status, expected, answer.text.slice(0, 1_000));
    isBusy ||= answer.status < 300 && operation.method !== "GET";
    if (exceptions[id]?.writes) await quiet();
    else assert.deepEqual(await snapshot(scope), earlier, "rows changed");
    if (answer.status < 300 && !reachesOthers.has(id)) {
      const leaked = [...theirIds].filter((theirs) => answer.text.includes(theirs));
      assert.deepEqual(leaked, [], "ids of the other environment in the answer");
    }
  });
}

/** Filters that name things: unknown ones give an empty list, never 404. */
const filters: { id: OperationId; query: () => Promise<Record<string, unknown>> }[] = [
  { id: "messages.list", query: async () => ({ subscriberId: (await theirs.once(theirs.event)).subscriberId }) },
  { id: "messages.list", query: async () => ({ transactionId: [(await theirs.once(theirs.event)).transactionId] }) },
  { id: "notifications.list", query: async () => ({ transactionId: (await theirs.once(theirs.event)).transactionId }) },
  { id: "notifications.list", query: async () => ({ templates: [(await theirs.once(theirs.event)).workflowId] }) },
  { id: "activity.listEvents", query: async () => ({ search: (await theirs.once(theirs.event)).transactionId }) },
  { id: "activity.listEvents", query: async () => ({ workflowIds: [(await theirs.once(theirs.event)).workflowId] }) },
  {
    id: "activity.listEvents",
    query: async () => ({ subscriberIds: [(await theirs.once(theirs.event)).subscriberId] }),
  },
  { id: "subscribers.list", query: async () => ({ subscriberId: (await theirs.once(theirs.event)).subscriberId }) },
  { id: "topics.list", query: async () => ({ key: (await theirs.once(theirs.topic)).key }) },
  { id: "contexts.list", query: async () => ({ id: (await theirs.once(theirs.context)).id }) },
  {
    id: "channelEndpoints.list",
    query: async () => ({ subscriberId: (await theirs.once(theirs.endpoint)).subscriberId }),
  },
  {
    id: "channelConnections.list",
    query: async () => ({ integrationIdentifier: (await theirs.once(theirs.connection)).integrationIdentifier }),
  },
];

for (const { id, query } of filters) {
  test(`${id} finds nothing by the other environment's words`, async () => {
    const given = await query();
    const answer = await probe(id, { query: given });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual((answer.body as { data: unknown[] }).data, [], JSON.stringify(given));
  });
}

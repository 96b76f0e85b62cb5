// Two environments share nothing: with the key of one, every id of the other is unknown, no response shows anything of
// the other, and not a row of it changes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Operation, type OperationId, operations } from "@tidings/contract";
import type { RawInput } from "@tidings/testkit/client";
import { sql } from "kysely";
import type { Db } from "../../src/store/db.ts";
import { type Change, isOfHousekeeping } from "./changes.ts";
import { ofOwnInbox } from "./inputs.ts";
import { changesNothing, exceptions, expectedOf, reachesOthers } from "./isolation-rules.ts";
import { onceOnly, type Scene } from "./scene.ts";
import { createWorld, type World } from "./world.ts";

/** People belong to the installation and to no environment: test/app/members/ has who reaches what. */
const ofPeople = /^(auth|people|auditLog)\./;
const all = (Object.values(operations) as Operation[]).filter(({ id }) => !ofPeople.test(id));

/** Stored responses belong to the caller's own requests. */
const isMeant = (change: Change): boolean => change.table !== "idempotency_keys" && !isOfHousekeeping(change);

/** The ids of all rows of an environment. Context ids are words that anyone may use; all others are unique. */
async function idsOf(db: Db, environmentId: string): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`select c.relname as name from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'environment_id'
    where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
      and c.relname not in ('idempotency_keys', 'statistics_hours', 'statistics_progress')`.execute(db);
  assert.ok(tables.length > 10);
  const ids = tables.map(
    ({ name }) => sql`select to_jsonb(t) ->> 'id' as id from ${sql.table(name)} t
      where environment_id = ${environmentId}`,
  );
  const { rows } = await sql<{ id: string | null }>`${sql.join(ids, sql` union `)}`.execute(db);
  return rows.flatMap(({ id }) => (id && /^[0-9a-f]{8}-/.test(id) ? [id] : []));
}

/** The other environment is that of the shared world; the caller has a new one. */
async function prepare({ world: theirs, inputs, clientOf, probeOf, db, changes, receiverUrl }: Scene) {
  const { apiKeys } = await theirs.environment();
  const { key } = apiKeys![0]!;
  const mine = createWorld(clientOf(key), "mine", receiverUrl, db);
  const theirInputs = new Map<string, RawInput>();
  for (const operation of all) theirInputs.set(operation.id, await inputs.keep(operation));
  const myInbox = await ofOwnInbox(mine);
  const { _id: theirId } = await theirs.own();
  /** Waits until the pipeline is idle, so that later changes come from a request. */
  const quiet = async () => {
    // Alerts are evaluated and sent whether there are requests or not.
    await sql`delete from queue.job_common where name = 'alert'`.execute(db);
    await changes.rest(isMeant);
  };
  await quiet();
  const theirIds = await idsOf(db, theirId);
  assert.ok(theirIds.length > 20);
  return { probe: probeOf(key), theirInputs, myInbox, theirId, theirIds, quiet };
}

export function testIsolation(scene: Scene): void {
  const prepared = onceOnly(() => prepare(scene));
  /** Whether a request has changed the caller's own environment: its workers may still be at it, as at an import. */
  let isBusy = false;

  // Those that may write come last: after each of them, the pipeline has to come to rest before all rows are compared.
  for (const operation of all.toSorted((a, b) => Number(changesNothing(b)) - Number(changesNothing(a)))) {
    const id = operation.id as OperationId;
    test(`${id} does not reach into another environment`, async () => {
      const { probe, theirInputs, myInbox, theirId, theirIds, quiet } = await prepared();
      const input = theirInputs.get(id)!;
      const isNamed = operation.path.includes("{environmentId}") && !reachesOthers.has(id);
      const params = isNamed ? { ...input.params, environmentId: theirId } : input.params;
      const expected = expectedOf(operation);
      if (changesNothing(operation) && isBusy) {
        await quiet();
        isBusy = false;
      }
      // The caller's own key, unless the input has a signature.
      const { authorization, ...rest } = input.headers ?? {};
      const headers = {
        signed: input.headers,
        open: rest,
        inbox: { ...rest, ...myInbox.headers },
        member: rest,
        key: rest,
      }[operation.access ?? "key"];
      await scene.changes.take();
      const answer = await probe(id, { ...input, params, headers });
      if (expected !== undefined) assert.equal(answer.status, expected, answer.text.slice(0, 1_000));
      isBusy ||= answer.status < 300 && operation.method !== "GET";
      if (exceptions[id]?.writes) await quiet();
      else {
        const isTheirs = ({ environmentId }: Change) => changesNothing(operation) || environmentId === theirId;
        const changed = (await scene.changes.take()).filter((change) => isMeant(change) && isTheirs(change));
        assert.deepEqual(changed, [], "rows changed");
      }
      if (answer.status < 300 && !reachesOthers.has(id)) {
        const leaked = theirIds.filter((theirs) => answer.text.includes(theirs));
        assert.deepEqual(leaked, [], "ids of the other environment in the answer");
      }
    });
  }

  for (const { id, query } of filtersOf(scene.world)) {
    test(`${id} finds nothing by the other environment's words`, async () => {
      const { probe } = await prepared();
      const given = await query();
      const answer = await probe(id, { query: given });
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual((answer.body as { data: unknown[] }).data, [], JSON.stringify(given));
    });
  }
}

/** Filters that name things: unknown ones give an empty list, never 404. */
function filtersOf(theirs: World): { id: OperationId; query: () => Promise<Record<string, unknown>> }[] {
  const event = () => theirs.once(theirs.event);
  return [
    { id: "messages.list", query: async () => ({ subscriberId: (await event()).subscriberId }) },
    { id: "messages.list", query: async () => ({ transactionId: [(await event()).transactionId] }) },
    { id: "notifications.list", query: async () => ({ transactionId: (await event()).transactionId }) },
    { id: "notifications.list", query: async () => ({ templates: [(await event()).workflowId] }) },
    { id: "activity.listEvents", query: async () => ({ search: (await event()).transactionId }) },
    { id: "activity.listEvents", query: async () => ({ workflowIds: [(await event()).workflowId] }) },
    { id: "activity.listEvents", query: async () => ({ subscriberIds: [(await event()).subscriberId] }) },
    { id: "subscribers.list", query: async () => ({ subscriberId: (await event()).subscriberId }) },
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
}

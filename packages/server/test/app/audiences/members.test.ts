// Fixed audiences: their people, snapshots of other audiences, and the filter of the list of subscribers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { authorized } from "@tidings/testkit/http";
import { startTestService } from "@tidings/testkit/service";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { newId } from "../../../src/lib/ids.ts";

const service = await startTestService();
const { client, production, db } = service;
const [environment] = (await client("environments.list")).body.filter(({ apiKeys }) => apiKeys);

async function createAudience(audienceId: string, rule: object | null = null): Promise<void> {
  await sql`insert into audiences (environment_id, id, audience_id, name, rule, created_at, updated_at)
    values (${environment!._id}, ${newId()}, ${audienceId}, ${audienceId}, ${rule && JSON.stringify(rule)}, now(), now())
  `.execute(db);
}

const people = ["ada", "bob", "cleo", "dan", "eve"];
await client("subscribers.createBulk", {
  body: { subscribers: people.map((subscriberId, n) => ({ subscriberId, firstName: n < 3 ? "Early" : "Late" })) },
});

const add = (audienceId: string, ...subscriberIds: string[]) =>
  client("audiences.addMembers", { params: { audienceId }, body: { subscriberIds } });
const remove = (audienceId: string, ...subscriberIds: string[]) =>
  client("audiences.removeMembers", { params: { audienceId }, body: { subscriberIds } });
const listed = async (query: object) => {
  const { data } = (await client("subscribers.list", { query: { orderDirection: "ASC", ...query } })).body;
  return data.map(({ subscriberId }) => subscriberId).sort();
};

test("people are added and removed, duplicates are harmless, and unknown ids are listed", async () => {
  await createAudience("vip");
  const first = await add("vip", "ada", "bob", "ada", " bob ", "nobody-1", "nobody-2", "nobody-1");
  assert.deepEqual(first.body, { added: 2, unknown: ["nobody-1", "nobody-2"] });
  assert.deepEqual((await add("vip", "ada", "cleo")).body, { added: 1, unknown: [] });
  assert.deepEqual(await listed({ audienceId: "vip" }), ["ada", "bob", "cleo"]);
  assert.deepEqual((await remove("vip", "bob", "bob", "dan", "nobody-1")).body, { removed: 1 });
  assert.deepEqual(await listed({ audienceId: "vip" }), ["ada", "cleo"]);
});

test("a person who is deleted leaves the audience", async () => {
  await createAudience("leaving");
  await client("subscribers.create", { body: { subscriberId: "guest" } });
  await add("leaving", "guest", "eve");
  await client("subscribers.delete", { params: { subscriberId: "guest" } });
  assert.deepEqual(await listed({ audienceId: "leaving" }), ["eve"]);
});

test("what is refused: an unknown audience, one with a rule, no ids, and too many", async () => {
  await createAudience("ruled", { "==": [{ var: "subscriber.firstName" }, "Early"] });
  const many = Array.from({ length: 501 }, (_, n) => `s-${n}`);
  for (const change of [add, remove]) {
    await assert.rejects(change("missing", "ada"), { status: 404, code: "AUDIENCE_NOT_FOUND" });
    await assert.rejects(change("ruled", "ada"), {
      status: 409,
      code: "AUDIENCE_KIND",
      message: /Audience ruled is a rule, not a fixed list: change its rule instead/,
    });
    await assert.rejects(change("vip"), { status: 422 });
    await assert.rejects(change("vip", ...many), { status: 422 });
  }
});

test("audiences of another environment are not found", async () => {
  const params = { audienceId: "vip" };
  const missing = { status: 404, code: "AUDIENCE_NOT_FOUND" };
  await assert.rejects(production("audiences.addMembers", { params, body: { subscriberIds: ["ada"] } }), missing);
  await assert.rejects(production("subscribers.list", { query: { audienceId: "vip" } }), missing);
});

test("a snapshot has the people of its audience, and does not change with it", async () => {
  await createAudience("source");
  await add("source", "ada", "dan");
  const snapshot = (audienceId: string, body: { audienceId: string; name?: string }) =>
    client("audiences.snapshot", { params: { audienceId }, body });
  const made = await snapshot("source", { audienceId: "kept", name: "Kept people" });
  assert.equal(made.status, 201);
  assert.deepEqual(
    [made.body.audienceId, made.body.name, made.body.kind, made.body.rule],
    ["kept", "Kept people", "fixed", null],
  );
  await remove("source", "ada");
  assert.deepEqual(await listed({ audienceId: "kept" }), ["ada", "dan"]);
  await add("kept", "eve");
  assert.deepEqual(await listed({ audienceId: "kept" }), ["ada", "dan", "eve"]);
  const named = await snapshot("source", { audienceId: "kept-2" });
  assert.match(named.body.name, /^source, \d{4}-\d\d-\d\d$/);
  await assert.rejects(snapshot("source", { audienceId: "kept" }), { status: 409, code: "AUDIENCE_EXISTS" });
  assert.deepEqual(await listed({ audienceId: "kept" }), ["ada", "dan", "eve"], "a refused snapshot changes nothing");
  await assert.rejects(snapshot("missing", { audienceId: "other" }), { status: 404 });
  await assert.rejects(snapshot("source", { audienceId: "not an id" }), { status: 422 });
});

test("while a snapshot copies many people, others change the environment; its id is taken", async () => {
  await sql`create table gate (is_open boolean)`.execute(db);
  await sql`create function pass_gate() returns trigger language plpgsql as $$ begin
    for tries in 1..600 loop
      exit when exists (select 1 from gate where is_open);
      perform pg_sleep(0.05);
    end loop;
    return null;
  end $$`.execute(db);
  await sql`create trigger pass_gate before insert on audience_members execute function pass_gate()`.execute(db);
  const copying = client("audiences.snapshot", { params: { audienceId: "ruled" }, body: { audienceId: "slow" } });
  await eventually(async () => {
    const { rows } = await sql`select 1 from pg_stat_activity where datname = current_database()
      and state = 'active' and query like '%insert into audience_members%' and pid <> pg_backend_pid()`.execute(db);
    return rows.length > 0;
  }, "the copy");
  const rule = { "==": [{ var: "subscriber.firstName" }, "Late"] };
  await client("audiences.create", { body: { audienceId: "other", name: "Other", rule } });
  await client("audiences.update", { params: { audienceId: "ruled" }, body: { name: "Ruled" } });
  await client("broadcasts.create", { body: { name: "Draft", audience: { include: ["ruled"] } } } as never);
  const same = client("audiences.create", { body: { audienceId: "slow", name: "Same id", rule } });
  const isRefused = assert.rejects(same, { status: 409, code: "AUDIENCE_EXISTS" });
  await eventually(async () => {
    const { rows } = await sql`select 1 from pg_stat_activity where datname = current_database()
      and wait_event_type = 'Lock' and query like 'insert into "audiences"%'`.execute(db);
    return rows.length > 0;
  }, "the request with the same id to wait");
  await sql`insert into gate values (true)`.execute(db);
  assert.equal((await copying).status, 201);
  await isRefused;
  assert.deepEqual(await listed({ audienceId: "slow" }), ["ada", "bob", "cleo"]);
});

test("a rule is listed and kept as a snapshot by the same code", async () => {
  assert.deepEqual(await listed({ audienceId: "ruled" }), ["ada", "bob", "cleo"]);
  assert.deepEqual(await listed({ audienceId: "ruled", search: "b" }), ["bob"]);
  await client("audiences.snapshot", { params: { audienceId: "ruled" }, body: { audienceId: "ruled-then" } });
  await client("subscribers.update", { params: { subscriberId: "ada" }, body: { firstName: "Other" } });
  assert.deepEqual(await listed({ audienceId: "ruled" }), ["bob", "cleo"]);
  assert.deepEqual(await listed({ audienceId: "ruled-then" }), ["ada", "bob", "cleo"]);
  await client("subscribers.update", { params: { subscriberId: "ada" }, body: { firstName: "Early" } });
});

test("the list of subscribers combines an audience with its other filters and with cursors", async () => {
  await createAudience("mixed");
  await add("mixed", "ada", "bob", "dan", "eve");
  assert.deepEqual(await listed({ audienceId: "mixed", name: "Early" }), ["ada", "bob"]);
  assert.deepEqual(await listed({ audienceId: "mixed", search: "da" }), ["dan"]);
  assert.deepEqual(await listed({ audienceId: "mixed", subscriberId: "cleo" }), []);
  const first = (await client("subscribers.list", { query: { audienceId: "mixed", limit: 3 } })).body;
  assert.deepEqual([first.data.length, first.totalCount], [3, 4]);
  const rest = (await client("subscribers.list", { query: { audienceId: "mixed", limit: 3, after: first.next! } }))
    .body;
  assert.equal(rest.next, null);
  const all = [...first.data, ...rest.data].map(({ subscriberId }) => subscriberId);
  assert.deepEqual(all.sort(), ["ada", "bob", "dan", "eve"]);
  await assert.rejects(listed({ audienceId: "missing" }), { status: 404, code: "AUDIENCE_NOT_FOUND" });
});

test("an audience is exported as a file of its people", async () => {
  const download = (audienceId: string) => authorized(service, `/v1/exports/subscribers.csv?audienceId=${audienceId}`);
  const { status, text } = await download("mixed");
  assert.equal(status, 200);
  const ids = text
    .trim()
    .split(/\r?\n/)
    .slice(1)
    .map((line) => JSON.parse(line.split(",")[0]!));
  assert.deepEqual(ids, ["ada", "bob", "dan", "eve"]);
  assert.equal((await download("missing")).status, 404);
});

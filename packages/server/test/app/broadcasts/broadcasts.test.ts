// A broadcast from its draft to its end, over the API: to whom, when, how fast, and what can be done while it runs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, email, feedOf, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { countRuns, createDraft, createList, idsOf, inStatus, retrieveBroadcast, sendBroadcast } from "./lists.ts";

const service = await shareService();
const { client, production } = service;
await createWorkflow(client, "news", [inApp({ body: "Hello {{ subscriber.firstName }}, {{ payload.what }}" })]);
await createList(client, "crowd", idsOf("crowd", 1_203), (n) => ({ firstName: `N${n}` }));
await createList(client, "some", idsOf("crowd", 200));

const inPlace = { steps: [inApp({ body: "In place {{ payload.what }}" })], payload: { what: "sale" } };
const refusal = async (call: Promise<unknown>): Promise<string> => {
  try {
    await call;
  } catch (error) {
    return JSON.stringify((error as { body: unknown }).body);
  }
  return assert.fail("it was not refused");
};

test("everyone in the audience gets it once, minus those who are excluded", async () => {
  const draft = await createDraft(client, {
    content: { workflowId: "news", payload: { what: "welcome" } },
    audience: { include: ["crowd", "some"], exclude: ["some"] },
  });
  assert.equal(draft.status, "draft");
  assert.equal((await sendBroadcast(client, draft._id)).status, "scheduled");
  const done = await inStatus(client, draft._id, "completed");
  assert.deepEqual(
    { ...done.progress, perMinute: 0 },
    { people: 1_003, started: 1_003, gone: 0, expired: 0, failed: 0, perMinute: 0, nextAt: null, lastAt: null },
  );
  const runs = await countRuns(service, done.transactionId!);
  assert.equal(runs.size, 1_003);
  assert.deepEqual(new Set(runs.values()), new Set([1]));
  assert.equal(runs.has("crowd7"), false);
  const [message] = await eventually(async () => {
    const feed = await feedOf(client, "crowd500");
    return feed.length > 0 ? feed : null;
  }, "the message");
  assert.match(JSON.stringify(message), /Hello N500, welcome/);
});

test("steps written in place run under the preferences of the workflow broadcast", async () => {
  await client("subscribers.create", { body: { subscriberId: "out" } });
  await client("subscribers.create", { body: { subscriberId: "in" } });
  await createList(client, "pair", ["out", "in"]);
  const draft = await createDraft(client, { content: inPlace, audience: { include: ["pair"] } });
  await client("subscribers.updatePreferences", {
    params: { subscriberId: "out" },
    body: { workflowId: "broadcast", channels: { in_app: false } },
  } as never);
  await sendBroadcast(client, draft._id);
  await inStatus(client, draft._id, "completed");
  const feed = await eventually(async () => {
    const items = await feedOf(client, "in");
    return items.length > 0 ? items : null;
  }, "the message in place");
  assert.match(JSON.stringify(feed), /In place sale/);
  assert.deepEqual(await feedOf(client, "out"), []);
});

test("what is changed after it was sent does not change it: content, people, and people who are deleted", async () => {
  await createWorkflow(client, "pinned", [inApp({ body: "first" })]);
  await createList(client, "early", idsOf("early", 3));
  const at = new Date(Date.now() + 1_500).toISOString();
  const draft = await createDraft(client, {
    content: { workflowId: "pinned" },
    audience: { include: ["early"] },
    time: { kind: "at", at, spreadHours: 0.001 },
  });
  await sendBroadcast(client, draft._id);
  const update = { name: "pinned", origin: "svc-cloud", preferences: {}, steps: [inApp({ body: "second" })] };
  await client("workflows.update", { params: { workflowId: "pinned" }, body: update } as never);
  const params = { broadcastId: draft._id };
  assert.match(
    await refusal(client("broadcasts.update", { params, body: { name: "x" } })),
    /only drafts can be changed/,
  );
  assert.match(await refusal(client("broadcasts.delete", { params })), /stop it before you delete it/);
  await eventually(async () => (await retrieveBroadcast(client, draft._id)).startedAt, "its start");
  await createList(client, "late", ["late0"]);
  await client("audiences.addMembers", { params: { audienceId: "early" }, body: { subscriberIds: ["late0"] } });
  const done = await inStatus(client, draft._id, "completed");
  assert.equal(done.progress.people, 3);
  const feed = await eventually(async () => {
    const items = await feedOf(client, "early2");
    return items.length > 0 ? items : null;
  }, "the message");
  assert.match(JSON.stringify(feed), /first/);
  assert.deepEqual(await feedOf(client, "late0"), []);
  await client("broadcasts.delete", { params });
  assert.match(await refusal(client("broadcasts.retrieve", { params })), /not found/);
});

test("a trigger reaches an audience, once, without those it excludes; an unknown audience is named", async () => {
  await createList(client, "team", ["t1", "t2", "t3"]);
  const trigger = async (to: unknown) =>
    (await client("events.trigger", { body: { name: "news", to, payload: {} } } as never)).body;
  const { transactionId } = await trigger([{ type: "Audience", audienceId: "team", exclude: ["t3"] }, "t1"]);
  const runs = await eventually(async () => {
    const counted = await countRuns(service, transactionId!);
    return counted.size >= 2 ? counted : null;
  }, "both");
  assert.deepEqual(Object.fromEntries(runs), { t1: 1, t2: 1 });
  const unknown = await trigger({ type: "Audience", audienceId: "nope" });
  assert.equal(unknown.status, "invalid_recipients");
  assert.match(unknown.error!.join(), /'nope' is not valid: there is no audience with this id/);
  const mixed = await trigger([
    { type: "Topic", topicKey: "x" },
    { type: "Audience", audienceId: "team" },
  ]);
  assert.match(mixed.error!.join(), /topics and audiences cannot be combined/);
});

test("at a local hour each zone has its moment", async () => {
  // Without daylight saving time.
  const offsets = { "Asia/Kolkata": "+05:30", "America/Phoenix": "-07:00", "Pacific/Honolulu": "-10:00" };
  const zones = [...Object.keys(offsets), undefined];
  await createList(production, "world", idsOf("world", 8), (n) => ({ timezone: zones[n % 4] }));
  await createWorkflow(production, "news", [inApp()]);
  // It begins at once, because this hour has passed in the first zone of the world; in those of these people it comes.
  const [date, clock] = new Date(Date.now() + 13 * 3_600_000).toISOString().split("T") as [string, string];
  const localTime = clock.slice(0, 5);
  const draft = await createDraft(production, {
    content: { workflowId: "news" },
    audience: { include: ["world"] },
    time: { kind: "local", date, localTime, timezone: "Asia/Tokyo" },
  });
  await sendBroadcast(production, draft._id);
  const { progress } = await inStatus(production, draft._id, "running");
  assert.deepEqual([progress.people, progress.started], [8, 0]);
  const { rows } = await sql<{ timezone: string | null; due_at: Date; people: number }>`
    select s.timezone, p.due_at, count(*)::int as people from broadcasts b
    join event_pages p on p.environment_id = b.environment_id and p.event_id = b.event_id
    join subscribers s on s.id = any(p.subscriber_ids)
    where b.id = ${draft._id} group by 1, 2 order by p.due_at`.execute(service.db);
  const inZone = (offset: string) => new Date(`${date}T${localTime}:00${offset}`);
  assert.deepEqual(rows, [
    { timezone: null, due_at: inZone("+09:00"), people: 2 },
    ...Object.entries(offsets).map(([timezone, offset]) => ({ timezone, due_at: inZone(offset), people: 2 })),
  ]);
  const stopped = (await production("broadcasts.stop", { params: { broadcastId: draft._id } })).body;
  assert.equal(stopped.status, "stopped");
});

test("bad drafts are refused with the field, and nothing is sent", async () => {
  const create = (body: object) => refusal(createDraft(client, body));
  assert.match(
    await create({ audience: { include: ["nope"] } }),
    /audience\.include names audiences that do not exist: nope/,
  );
  assert.match(await create({ time: { kind: "at" } }), /time\.at is required/);
  assert.match(await create({ time: { kind: "local", date: "2026-02-31", localTime: "09:00" } }), /time\.date/);
  assert.match(await create({ time: { kind: "now", timezone: "Mars/Base" } }), /time\.timezone/);
  assert.match(await create({ pace: { integrations: { nope: 5 } } }), /pace\.integrations names integrations/);
  assert.match(await create({ content: { workflowId: "news", steps: [] } }), /cannot be given together/);
  const send = async (body: object) => {
    const { _id: broadcastId } = await createDraft(client, body);
    return refusal(client("broadcasts.send", { params: { broadcastId } }));
  };
  const audience = { include: ["some"] };
  assert.match(await send({ audience }), /it has no content/);
  assert.match(await send({ content: { workflowId: "news" } }), /it has no audience/);
  assert.match(await send({ content: { workflowId: "gone" }, audience }), /workflow gone does not exist/);
  const past = { kind: "at", at: "2020-01-01T00:00:00.000Z" };
  assert.match(await send({ content: { workflowId: "news" }, audience, time: past }), /its time has passed/);
  assert.match(
    await send({ content: { workflowId: "news" }, audience, expiresAt: "2020-01-01T00:00:00.000Z" }),
    /it expires before it starts/,
  );
  await createWorkflow(production, "mail-only", [email()]);
  const { _id: unsent } = await createDraft(production, {
    content: { workflowId: "mail-only" },
    audience: { everyone: true, include: [] },
  });
  const refused = await refusal(production("broadcasts.send", { params: { broadcastId: unsent } }));
  assert.match(refused, /no integration is active for email/);
  assert.match(await refusal(production("broadcasts.retrieve", { params: { broadcastId: "x" } })), /not found/);
});

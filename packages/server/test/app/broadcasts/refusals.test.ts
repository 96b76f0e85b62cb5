// Drafts that are refused, sends that come twice, and what may not be done once a broadcast was sent.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Broadcast } from "@tidings/contract";
import { newStage } from "@tidings/testkit/clock";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, inApp, messagesOf, settled } from "@tidings/testkit/verbs";
import { createDraft, createList, idsOf, inStatus, retrieveBroadcast, sendBroadcast } from "./lists.ts";

const service = await shareService();
const { client, production } = service;
await createWorkflow(client, "news", [inApp({ body: "News" })]);
await createList(client, "crowd", idsOf("crowd", 8));
const content = { workflowId: "news" };
const audience = { include: ["crowd"] };
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

async function fieldsOf(body: object): Promise<string[]> {
  const answer = await client.raw("broadcasts.create", { body: { name: "News", ...body } });
  assert.equal(answer.status, 422, JSON.stringify(answer.body));
  return Object.keys((answer.body as { errors: object }).errors);
}

async function incomplete(body: object): Promise<string> {
  const { _id: broadcastId } = await createDraft(client, { content, audience, ...body });
  const answer = await client.raw("broadcasts.send", { params: { broadcastId } });
  const { code, message } = answer.body as { code: string; message: string };
  assert.deepEqual([answer.status, code], [409, "BROADCAST_INCOMPLETE"]);
  assert.equal((await retrieveBroadcast(client, broadcastId)).status, "draft");
  return message;
}

const wrong: [string, object, string][] = [
  ["no name", { name: "" }, "name"],
  ["nobody in a minute", { pace: { perMinute: 0 } }, "pace.perMinute"],
  ["half a person in a minute", { pace: { perMinute: 0.5 } }, "pace.perMinute"],
  ["too many in a minute", { pace: { perMinute: 1_000_001 } }, "pace.perMinute"],
  ["a pace of an integration that is none", { pace: { integrations: { nope: 5 } } }, "pace.integrations"],
  ["a spread that is negative", { time: { kind: "now", spreadHours: -1 } }, "time.spreadHours"],
  ["a spread of more than a week", { time: { kind: "now", spreadHours: 169 } }, "time.spreadHours"],
  ["an unknown kind of time", { time: { kind: "soon" } }, "time.kind"],
  ["a time that is none", { time: { kind: "at", at: "tomorrow" } }, "time.at"],
  ["an hour that is none", { time: { kind: "local", date: "2027-03-02", localTime: "25:00" } }, "time.localTime"],
  ["a zone that is none", { time: { kind: "now", timezone: "Mars/Base" } }, "time.timezone"],
  ["an expiry that is none", { expiresAt: "never" }, "expiresAt"],
  ["more than ten audiences", { audience: { include: idsOf("a", 11) } }, "audience.include"],
  ["an unknown exclusion", { audience: { include: ["crowd"], exclude: ["nope"] } }, "audience.exclude"],
  ["everyone and an audience", { audience: { include: ["crowd"], everyone: true } }, "audience.everyone"],
  ["more than 20 steps", { content: { steps: Array.from({ length: 21 }, () => inApp()) } }, "content.steps"],
  ["a large payload", { content: { ...content, payload: { a: "x".repeat(530_000) } } }, "content.payload"],
];
for (const [what, body, field] of wrong) {
  test(`refused: ${what}`, async () => assert.deepEqual(await fieldsOf(body), [field]));
}

test("audiences of another environment do not exist, and a changed draft is checked as a new one", async () => {
  await createList(production, "theirs", ["theirs0"]);
  assert.deepEqual(await fieldsOf({ audience: { include: ["theirs"] } }), ["audience.include"]);
  const { _id: broadcastId } = await createDraft(client, { content, audience });
  const params = { broadcastId };
  for (const body of [{ audience: { include: ["theirs"] } }, { time: { kind: "at" } }, { pace: { perMinute: 0 } }]) {
    assert.equal((await client.raw("broadcasts.update", { params, body })).status, 422);
  }
  const { audience: kept, time, pace } = await retrieveBroadcast(client, broadcastId);
  assert.deepEqual([kept, time, pace], [audience, { kind: "now" }, {}]);
});

test("what cannot be sent stays a draft, and says why", async () => {
  const year = new Date(Date.now() + 366 * 86_400_000).toISOString();
  assert.match(await incomplete({ time: { kind: "at", at: year } }), /it starts more than 365 days from now/);
  const past = { kind: "local", date: "2020-01-01", localTime: "09:00" };
  assert.match(await incomplete({ time: past }), /its local time has passed in every time zone/);
  const early = { time: { kind: "at", at: inAnHour() }, expiresAt: new Date(Date.now() + 60_000).toISOString() };
  assert.match(await incomplete(early), /it expires before it starts/);
  assert.match(await incomplete({ content: { steps: [] } }), /it has no content/);
  await createWorkflow(client, "off", [inApp()], { active: false });
  assert.match(await incomplete({ content: { workflowId: "off" } }), /workflow off is not active/);
  await createWorkflow(client, "empty", []);
  assert.match(await incomplete({ content: { workflowId: "empty" } }), /workflow empty has no active steps/);
  await createWorkflow(client, "vital", [inApp()], { preferences: { workflow: { all: { readOnly: true } } } });
  assert.match(await incomplete({ content: { workflowId: "vital" } }), /people could not unsubscribe/);
  await createWorkflow(client, "strict", [inApp()], {
    payloadSchema: { type: "object", required: ["version"], properties: { version: { type: "string" } } },
    validatePayload: true,
  });
  assert.match(await incomplete({ content: { workflowId: "strict" } }), /version/);
});

test("a send that comes twice at once sends once; with an idempotency key, both get the same answer", async () => {
  const first = await createDraft(client, { content, audience });
  const send = (broadcastId: string, key?: string) =>
    client.raw("broadcasts.send", {
      params: { broadcastId },
      ...(key !== undefined && { headers: { "idempotency-key": key } }),
    });
  const answers = await Promise.all([1, 2, 3, 4].map(() => send(first._id)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409]);
  const refused = answers.find(({ status }) => status === 409)!.body as { code: string; message: string };
  assert.equal(refused.code, "BROADCAST_STATE");
  assert.match(refused.message, /it has been sent already/);
  const once = await inStatus(client, first._id, "completed");
  await settled(client, once.transactionId!);
  assert.equal((await messagesOf(client, once.transactionId!)).length, 8);

  const second = await createDraft(client, { content, audience });
  const sent = await send(second._id, "spring");
  const again = await send(second._id, "spring");
  assert.deepEqual([again.status, again.body], [200, sent.body]);
  const done = await inStatus(client, second._id, "completed");
  assert.equal(done.transactionId, (sent.body as Broadcast).transactionId);
  assert.equal((await send(second._id)).status, 409);
});

test("while it is under way it is neither changed, checked nor deleted, and its audience stays", async () => {
  await createList(client, "held", ["held0"]);
  const time = { kind: "at", at: inAnHour() };
  const { _id: broadcastId } = await createDraft(client, { content, audience: { include: ["held"] }, time });
  const params = { broadcastId };
  await sendBroadcast(client, broadcastId);
  const refusals = async (state: string) => {
    for (const [verb, body] of [["update", { name: "x" }], ["delete"], ["check"], ["send"]] as const) {
      const answer = await client.raw(`broadcasts.${verb}`, { params, body });
      const { code, message } = answer.body as { code: string; message: string };
      assert.deepEqual([answer.status, code], [409, "BROADCAST_STATE"], verb);
      assert.match(message, new RegExp(`is ${state}: `));
    }
    const deletion = client("audiences.delete", { params: { audienceId: "held" } });
    await assert.rejects(deletion, { status: 409, code: "AUDIENCE_IN_USE" });
  };
  await refusals("scheduled");
  await client("broadcasts.pause", { params });
  assert.equal((await client("broadcasts.pause", { params })).body.status, "paused", "twice is harmless");
  await refusals("paused");
  await client("broadcasts.stop", { params });
  await client("audiences.delete", { params: { audienceId: "held" } });
  for (const verb of ["pause", "resume"] as const) {
    await assert.rejects(client(`broadcasts.${verb}`, { params }), { status: 409, code: "BROADCAST_STATE" });
  }
  assert.equal((await retrieveBroadcast(client, broadcastId)).transactionId !== null, true);
  await client("broadcasts.delete", { params });
});

test("the list shows the newest first, by status, and in pages", async () => {
  const { client: own } = await newStage(service);
  for (const name of ["one", "two", "three"]) await createDraft(own, { name });
  const list = async (query: object) => (await own("broadcasts.list", { query })).body;
  const names = async (query: object) => (await list(query)).data.map(({ name }) => name);
  assert.deepEqual(await names({}), ["three", "two", "one"]);
  assert.deepEqual(await names({ limit: 2 }), ["three", "two"]);
  assert.deepEqual(await names({ limit: 2, page: 1 }), ["one"]);
  assert.deepEqual(await names({ status: "running" }), []);
  assert.deepEqual(await names({ status: "draft", limit: 1 }), ["three"]);
  await assert.rejects(list({ status: "sent" }), { status: 422 });
});

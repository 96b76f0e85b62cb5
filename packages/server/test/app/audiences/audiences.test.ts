// Audiences over the API: created, found, changed, and deleted unless something uses them; and who may do it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { errorOf } from "@tidings/testkit/http";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { invite, signInOwner } from "../members/browsers.ts";

const service = await startTestService({ TIDINGS_ROLE: "api" });
const { client, production } = service;
const isPro = { "==": [{ var: "subscriber.data.plan" }, "pro"] };
const memberOf = (audienceId: string) => ({ in: [audienceId, { var: "audiences" }] });
await client("subscribers.createBulk", {
  body: {
    subscribers: ["ada", "bob"].map((subscriberId, n) => ({ subscriberId, data: { plan: n ? "free" : "pro" } })),
  },
});

const create = (audienceId: string, more: object = {}) =>
  client("audiences.create", { body: { audienceId, name: audienceId, ...more } });
const remove = (audienceId: string) => client("audiences.delete", { params: { audienceId } });
const retrieve = async (audienceId: string) => (await client("audiences.retrieve", { params: { audienceId } })).body;
const update = (audienceId: string, body: object) => client("audiences.update", { params: { audienceId }, body });

test("an audience with a rule and a fixed one are created, shown, changed and deleted", async () => {
  const { status, body: ruled } = await create("pro", { name: "Pro", description: "Who pays", rule: isPro });
  assert.equal(status, 201);
  const { _id, createdAt, updatedAt, ...shown } = ruled;
  assert.equal(createdAt, updatedAt);
  assert.deepEqual(shown, {
    ...{ audienceId: "pro", name: "Pro", description: "Who pays", kind: "rule", rule: isPro },
    sentence: 'subscriber.data.plan is "pro"',
  });
  assert.deepEqual(await retrieve("pro"), ruled);
  const fixed = (await create("list")).body;
  assert.deepEqual([fixed.kind, fixed.rule, fixed.description], ["fixed", null, null]);

  const rule = { "!=": [{ var: "subscriber.data.plan" }, "pro"] };
  const changed = (await update("pro", { name: "Others", description: null, rule })).body;
  assert.deepEqual([changed._id, changed.name, changed.description, changed.rule], [_id, "Others", null, rule]);
  assert.equal((await update("pro", { name: "Once more" })).body.sentence, changed.sentence, "the rule stays");
  assert.equal((await remove("pro")).status, 204);
  for (const call of [retrieve, remove, (id: string) => update(id, { name: "x" })]) {
    await assert.rejects(call("pro"), { status: 404, code: "AUDIENCE_NOT_FOUND" });
  }
});

test("the list is searched by name and id and has pages; of another environment there are none", async () => {
  for (const [id, name] of [
    ["berlin-1", "Berlin"],
    ["b2", "BERLIN mitte"],
    ["hamburg", "Hamburg"],
  ] as const) {
    await create(id, { name });
  }
  const find = async (query: object) =>
    (await client("audiences.list", { query })).body.data.map(({ audienceId }) => audienceId);
  assert.deepEqual(await find({ query: "berlin" }), ["b2", "berlin-1"], "newest first");
  assert.deepEqual(await find({ query: "BURG" }), ["hamburg"]);
  assert.deepEqual(await find({ query: "%" }), [], "no pattern");
  const first = (await client("audiences.list", { query: { query: "berlin", limit: 1 } })).body;
  assert.deepEqual([first.data.length, first.totalCount], [1, 2]);
  assert.deepEqual(await find({ query: "berlin", limit: 1, after: first.next! }), ["berlin-1"]);
  assert.deepEqual((await production("audiences.list")).body.data, []);
  await assert.rejects(production("audiences.retrieve", { params: { audienceId: "b2" } }), { status: 404 });
});

test("an id is used once, also if two requests come at the same time, and no kind becomes the other", async () => {
  await create("once");
  await assert.rejects(create("once"), { status: 409, code: "AUDIENCE_EXISTS", message: /once already exists/ });
  const both = await Promise.allSettled([create("raced", { rule: isPro }), create("raced", { rule: isPro })]);
  assert.deepEqual(both.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  await assert.rejects(update("once", { rule: isPro }), {
    status: 409,
    code: "AUDIENCE_KIND",
    message: /once is a fixed list, which has no rule/,
  });
  assert.equal((await retrieve("once")).kind, "fixed");
});

test("what an audience, a workflow or an unfinished broadcast uses is not deleted", async () => {
  const inUse = (id: string, users: RegExp) =>
    assert.rejects(remove(id), { status: 409, code: "AUDIENCE_IN_USE", message: users });
  for (const id of ["inner", "stepped", "sent", "excluded"]) await create(id);
  await create("outer", { rule: memberOf("inner") });
  await inUse("inner", /Audience inner is used by audience outer/);
  await createWorkflow(client, "tips", [inApp({ body: "Hi", skip: memberOf("stepped") })]);
  await inUse("stepped", /used by workflow tips/);
  const audience = { include: ["sent"], exclude: ["excluded"] };
  const draft = (await client("broadcasts.create", { body: { name: "News", audience } })).body;
  for (const id of ["sent", "excluded"]) await inUse(id, /used by a broadcast that is not finished/);
  await client("broadcasts.delete", { params: { broadcastId: draft._id } });
  await client("workflows.delete", { params: { workflowId: "tips" } });
  await remove("outer");
  for (const id of ["inner", "stepped", "sent", "excluded"]) assert.equal((await remove(id)).status, 204);
});

test("an audience that is deleted while a draft begins to use it: one of the two is refused", async () => {
  const ids = Array.from({ length: 12 }, (_, n) => `raced-${n}`);
  for (const id of ids) await create(id);
  await Promise.all(
    ids.map(async (id) => {
      const body = { name: "News", audience: { include: [id] } };
      const [draft, deletion] = await Promise.allSettled([client("broadcasts.create", { body }), remove(id)]);
      assert.ok(
        [draft, deletion].some(({ status }) => status === "rejected"),
        `${id} was deleted under a draft`,
      );
    }),
  );
});

test("viewers look at audiences, editors change them, and changes are in the audit log", async () => {
  const owner = await signInOwner(service);
  const [editor, viewer] = [await invite(service, owner, "editor"), await invite(service, owner, "viewer")];
  const body = { audienceId: "by-editor", name: "By an editor", rule: isPro };
  errorOf(await viewer.call("audiences.create", { body }), "ROLE_NOT_ALLOWED");
  assert.equal((await editor.call("audiences.create", { body })).status, 201);
  const params = { audienceId: "by-editor" };
  for (const id of ["audiences.retrieve", "audiences.count", "audiences.listPeople"] as const) {
    assert.equal((await viewer.call(id, { params })).status, 200, id);
  }
  assert.equal((await viewer.call("audiences.preview", { body: { rule: isPro } })).status, 200);
  await editor.call("audiences.update", { params, body: { name: "Renamed" } });
  const subscriberIds = { subscriberIds: ["ada"] };
  await client("audiences.create", { body: { audienceId: "kept", name: "Kept" } });
  await editor.call("audiences.addMembers", { params: { audienceId: "kept" }, body: subscriberIds });
  await editor.call("audiences.removeMembers", { params: { audienceId: "kept" }, body: subscriberIds });
  await editor.call("audiences.snapshot", { params, body: { audienceId: "by-editor-then" } });
  await editor.call("audiences.delete", { params });
  const { data } = (
    await owner.call("auditLog.list", {
      query: { limit: 20, operation: "audiences", person: editor.session.person._id },
    })
  ).body as { data: { operation: string; action: string; targetName: string | null }[] };
  assert.deepEqual(data.map(({ operation, action }) => `${operation}: ${action}`).reverse(), [
    "audiences.create: created the audience",
    "audiences.update: changed the audience",
    "audiences.addMembers: added people to the audience",
    "audiences.removeMembers: removed people from the audience",
    "audiences.snapshot: kept the people of the audience",
    "audiences.delete: deleted the audience",
  ]);
  await client("audiences.addMembers", { params: { audienceId: "kept" }, body: subscriberIds });
  await client("audiences.removeMembers", { params: { audienceId: "kept" }, body: subscriberIds });
  for (const operation of ["audiences.addMembers", "audiences.removeMembers"]) {
    const { data: both } = (await owner.call("auditLog.list", { query: { operation } })).body as {
      data: { actor: { type: string } }[];
    };
    assert.deepEqual(both.map(({ actor }) => actor.type).sort(), ["key", "person"], operation);
  }
});

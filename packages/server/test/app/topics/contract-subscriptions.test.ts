// Updating, creating and deleting topic subscriptions: what the contract says about bodies, limits and old fields.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertRefused, faultsOf } from "@tidings/testkit/refusals";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";

const service = await shareService();
const { client } = service;
const people = Array.from({ length: 100 }, (_, n) => `p${n}`);
await client("subscribers.createBulk", { body: { subscribers: people.map((subscriberId) => ({ subscriberId })) } });
const params = { topicKey: "news" };

test("exactly 100 entries are taken, one more is refused as a whole, under the old name too", async () => {
  const all = { totalCount: 100, successful: 100, failed: 0 };
  const refusedAs = (name: string) => ({ [name]: [`${name} must contain no more than 100 elements`] });
  for (const name of ["subscriptions", "subscriberIds"]) {
    const tooMany = { params, body: { [name]: [...people, "p0"] } };
    assert.deepEqual(await faultsOf(client, "topicSubscriptions.create", tooMany), refusedAs(name));
    const made = (await client("topicSubscriptions.create", { params, body: { [name]: people } })).body;
    assert.deepEqual(made.meta, all);
    assert.deepEqual(await faultsOf(client, "topicSubscriptions.delete", tooMany), refusedAs(name));
    const gone = (await client("topicSubscriptions.delete", { params, body: { [name]: people } })).body;
    assert.deepEqual([gone.meta, gone.data.length], [all, 100]);
  }
});

test("an update requires a body; a deleted subscription is shown without its name and preferences", async () => {
  const { _id } = await createWorkflow(client, "digest", [inApp()]);
  await client("topicSubscriptions.create", {
    params,
    body: { subscriptions: [{ subscriberId: "p1", identifier: "one" }], preferences: [_id] },
  });
  const one = { ...params, identifier: "one" };
  const errors = { general: ["Request body is required"] };
  await assertRefused(client, "topicSubscriptions.update", { params: one }, { code: "VALIDATION_ERROR", errors });
  const updated = (await client("topicSubscriptions.update", { params: one, body: { name: "Mine" } })).body;
  assert.deepEqual([updated.name, updated.preferences?.length], ["Mine", 1]);

  const body = { subscriptions: [{ identifier: "one" }] };
  const [deleted] = (await client("topicSubscriptions.delete", { params, body })).body.data;
  const { name, preferences, ...rest } = updated;
  assert.deepEqual(deleted, rest);
});

test("the document calls the old fields deprecated, and nothing else", async () => {
  const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as Record<
    string,
    Record<string, unknown>
  >;
  const found: string[] = [];
  const visit = (value: unknown, path: string) => {
    if (typeof value !== "object" || value === null) return;
    if ((value as { deprecated?: boolean }).deprecated === true) found.push(path);
    for (const [name, member] of Object.entries(value))
      visit(member, `${path}/${(member as { name?: string })?.name ?? name}`);
  };
  visit(document.paths, "");
  visit(document.components?.schemas, "");
  assert.deepEqual(found.map((path) => path.split("/").at(-1)).toSorted(), [
    "search",
    "subscriberIds",
    "subscriberIds",
  ]);
});

// The choice of a digest frequency over the interface: what is offered, stored, shown and refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { StepIn } from "@tidings/contract";
import { newStage } from "@tidings/testkit/clock";
import { errorOf } from "@tidings/testkit/http";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp } from "@tidings/testkit/verbs";
import { openInbox } from "../inbox/browser.ts";

const service = await shareService();

const digest = (controlValues: object = {}): StepIn => ({
  name: "Digest",
  type: "digest",
  controlValues: { amount: 10, unit: "minutes", ...controlValues },
});
const all = ["instant", "hourly", "daily", "weekly"];

async function withWorkflows() {
  const { client, environmentId } = await newStage(service);
  await createWorkflow(client, "news", [digest({ allowFrequencyChoice: true }), email(), inApp({ body: "Hi" })]);
  const some = { allowFrequencyChoice: true, frequencies: ["weekly", "daily"] };
  await createWorkflow(client, "some", [digest(some), digest(), email()]);
  await createWorkflow(client, "fixed", [digest({ frequencies: ["daily"] }), email()]);
  await client("subscribers.create", { body: { subscriberId: "ada" } });
  const params = { subscriberId: "ada" };
  const choose = (body: object) => client.raw("subscribers.updatePreferences", { params, body });
  const shown = async (contextKeys?: string[]) => {
    const { body } = await client("subscribers.retrievePreferences", { params, query: { contextKeys } });
    return Object.fromEntries(
      body.workflows.map(({ workflow, digestFrequency, digestFrequencies }) => [
        workflow.identifier,
        digestFrequencies && [digestFrequency, digestFrequencies.join()],
      ]),
    );
  };
  return { client, environmentId, params, choose, shown };
}

test("it is offered with the workflow, chosen, replaced and removed, and channels stay unchanged", async () => {
  const { client, params, choose, shown } = await withWorkflows();
  assert.deepEqual(await shown(), { news: [null, all.join()], some: [null, "daily,weekly"], fixed: undefined });
  await choose({ workflowId: "news", channels: { email: false } });
  const { status, body } = await choose({ workflowId: "news", digestFrequency: "daily" });
  assert.equal(status, 200);
  const item = (body as { workflows: Record<string, unknown>[] }).workflows[0]!;
  assert.deepEqual([item.digestFrequency, item.channels], ["daily", { email: false, in_app: true }]);
  await choose({ workflowId: "news", channels: { in_app: false } });
  assert.deepEqual((await shown()).news, ["daily", all.join()], "a choice of channels keeps it");

  const item2 = { workflowId: "some", channels: {}, digestFrequency: "weekly" as const };
  const preferences = [{ workflowId: "news", channels: {}, digestFrequency: null }, item2];
  const entries = (await client("subscribers.bulkUpdatePreferences", { params, body: { preferences } })).body;
  assert.deepEqual(
    entries.map(({ digestFrequency, digestFrequencies }) => [digestFrequency, digestFrequencies]),
    [
      [null, all],
      ["weekly", ["daily", "weekly"]],
    ],
  );
  assert.deepEqual((await shown()).some, ["weekly", "daily,weekly"]);

  await choose({ workflowId: "some", digestFrequency: "daily", context: { tenant: "acme" } });
  assert.deepEqual((await shown(["tenant:acme"])).some, ["daily", "daily,weekly"]);
  assert.deepEqual((await shown()).some, ["weekly", "daily,weekly"]);
  await choose({ workflowId: "some", digestFrequency: null, context: { tenant: "acme" } });
  assert.deepEqual(
    (await shown(["tenant:acme"])).some,
    ["weekly", "daily,weekly"],
    "that without context counts again",
  );
});

test("what the workflow does not offer is refused with the reason, and changes nothing", async () => {
  const { client, choose, shown } = await withWorkflows();
  const other = await newStage(service);
  await createWorkflow(other.client, "elsewhere", [digest({ allowFrequencyChoice: true }), email()]);
  await createWorkflow(client, "locked", [digest({ allowFrequencyChoice: true }), email()], {
    preferences: { user: { all: { enabled: true, readOnly: true } } },
  } as never);
  const before = await shown();
  const needsWorkflow = "digestFrequency needs workflowId: subscribers choose a frequency for one workflow";
  const table: [body: object, status: number, message?: string][] = [
    [
      { workflowId: "fixed", digestFrequency: "daily" },
      422,
      "digestFrequency cannot be set for the workflow fixed: none of its digest steps has allowFrequencyChoice",
    ],
    [
      { workflowId: "some", digestFrequency: "hourly" },
      422,
      "digestFrequency must be one of: daily, weekly, because the workflow some offers no others",
    ],
    [{ digestFrequency: "daily" }, 422, needsWorkflow],
    [{ digestFrequency: null }, 422, needsWorkflow],
    [{ workflowId: "news", digestFrequency: "monthly" }, 422],
    [{ workflowId: "news", digestFrequency: 1 }, 422],
    [{ workflowId: "news", digestFrequency: ["daily"] }, 422],
    [{ workflowId: "elsewhere", digestFrequency: "daily" }, 404],
    [{ workflowId: "locked", digestFrequency: "daily" }, 400],
    [{ workflowId: "news", channels: { fax: true }, digestFrequency: "daily" }, 422],
  ];
  for (const [body, status, message] of table) {
    const reply = await choose(body);
    assert.equal(reply.status, status, JSON.stringify(body));
    if (message) assert.deepEqual(errorOf(reply, "VALIDATION_ERROR").errors?.digestFrequency?.messages, [message]);
  }
  const bulk = await client.raw("subscribers.bulkUpdatePreferences", {
    params: { subscriberId: "ada" },
    body: {
      preferences: [
        { workflowId: "news", channels: {}, digestFrequency: "daily" },
        { workflowId: "some", channels: {}, digestFrequency: "instant" },
      ],
    },
  });
  assert.equal(bulk.status, 422);
  assert.deepEqual(Object.keys(errorOf(bulk, "VALIDATION_ERROR").errors ?? {}), ["preferences.1.digestFrequency"]);
  assert.deepEqual(await shown(), before);

  for (const frequencies of [[], ["monthly"], ["daily", "daily"], "daily"]) {
    const steps = [digest({ allowFrequencyChoice: true, frequencies }), email()];
    const { status } = await client.raw("workflows.create", { body: { name: "bad", workflowId: "bad", steps } });
    assert.equal(status, 422, JSON.stringify(frequencies));
  }
});

test("in the inbox it is one of the subscriber's own preferences", async () => {
  const { environmentId, shown } = await withWorkflows();
  const inbox = await openInbox(service, {
    applicationIdentifier: environmentId,
    subscriber: { subscriberId: "ada" },
  });
  const chosen = await inbox.call("PATCH", "/preferences/news", { digestFrequency: "hourly" });
  assert.equal(chosen.status, 200, chosen.text);
  const { data } = chosen.body as { data: Record<string, unknown> };
  assert.deepEqual([data.digestFrequency, data.digestFrequencies], ["hourly", all]);
  const preferences = [{ workflowId: "some", digestFrequency: "daily" }];
  assert.equal((await inbox.call("PATCH", "/preferences/bulk", { preferences })).status, 200);
  const { body } = await inbox.call("GET", "/preferences");
  assert.deepEqual(
    (body as { data: Record<string, unknown>[] }).data.map(({ digestFrequency }) => digestFrequency),
    [undefined, "hourly", "daily", undefined],
  );
  const refused = await inbox.call("PATCH", "/preferences/some", { digestFrequency: "instant" });
  assert.equal(refused.status, 422);
  assert.deepEqual(Object.keys(errorOf(refused, "VALIDATION_ERROR").errors ?? {}), ["digestFrequency"]);
  assert.deepEqual((await shown()).some, ["daily", "daily,weekly"]);
});

// People can always do without broadcasts: a workflow that they cannot switch off is refused, and one that becomes such
// after the broadcast was sent changes nothing for the people of the broadcast.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { StepIn } from "@tidings/contract";
import { newStage } from "@tidings/testkit/clock";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, email } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { createDraft, createList, retrieveBroadcast, sendBroadcast } from "./lists.ts";

const publicUrl = "https://news.example.com";
const service = await shareService({ TIDINGS_PUBLIC_URL: publicUrl });
const { client, advance } = await newStage(service, "2027-03-01T00:00:00.000Z");
const people = ["ada", "bob", "eve"];
await createList(client, "crowd", people, (n) => ({ email: `${people[n]}@example.com` }));
const audience = { include: ["crowd"] };
const wait: StepIn = { name: "wait", type: "delay", controlValues: { type: "regular", amount: 1, unit: "hours" } };
const critical = { workflow: { all: { enabled: true, readOnly: true } } };

const createCategory = (categoryId: string, required = false) =>
  client("categories.create", { body: { categoryId, name: categoryId, required } });

/** The link of the mail that each of these people got. */
async function linksOf(broadcastId: string): Promise<Map<string, string>> {
  const { transactionId } = await retrieveBroadcast(client, broadcastId);
  const { data } = (await client("captured.list", { query: { transactionId: transactionId! } })).body;
  return new Map(
    data.map(({ to, headers }) => [
      String(to).split("@")[0]!,
      String(headers?.["List-Unsubscribe"]).replace(/^<|>$/g, ""),
    ]),
  );
}

test("a workflow of a required category is refused, with the field and what to do, and so is a critical one", async () => {
  await createCategory("duty", true);
  await createWorkflow(client, "bound", [email()], { categoryId: "duty" });
  await createWorkflow(client, "vital", [email()], { preferences: critical });
  const cases = [
    ["bound", /workflow bound is in the required category duty.*use a workflow of another category/],
    ["vital", /workflow vital is critical.*use a workflow that can be switched off/],
  ] as const;
  for (const [workflowId, message] of cases) {
    const { _id: broadcastId } = await createDraft(client, { content: { workflowId }, audience });
    const params = { broadcastId };
    const { items } = (await client("broadcasts.check", { params })).body;
    const problem = items.find(({ field }) => field === "content.workflowId");
    assert.match(problem?.sentence ?? "", new RegExp(message.source, "i"));
    for (const [operation, body] of [
      ["broadcasts.send", undefined],
      ["broadcasts.test", { subscriberIds: ["ada"] }],
    ] as const) {
      const answer = await client.raw(operation, { params, body } as never);
      const { code, message: text } = answer.body as { code: string; message: string };
      assert.deepEqual([answer.status, code], [409, "BROADCAST_INCOMPLETE"]);
      assert.match(text, message);
    }
  }
});

for (const [what, become] of [
  ["becomes critical", { preferences: critical }],
  ["is moved to a required category", { categoryId: "law" }],
] as const) {
  test(`opt-outs and one-click links hold when the workflow ${what} after the send`, async () => {
    const name = "categoryId" in become ? "moved" : "hardened";
    if (name === "moved") await createCategory("law", true);
    await createWorkflow(client, name, [wait, email()]);
    await client("subscribers.updatePreferences", {
      params: { subscriberId: "bob" },
      body: { workflowId: name, channels: { email: false } },
    } as never);
    const { _id: broadcastId } = await createDraft(client, { content: { workflowId: name }, audience });
    await sendBroadcast(client, broadcastId);
    const { body: stored } = await client("workflows.retrieve", { params: { workflowId: name } });
    const update = { name, origin: stored.origin, preferences: {}, steps: stored.steps, ...become };
    await client("workflows.update", { params: { workflowId: name }, body: update } as never);
    await advance(1, "seconds");
    await advance(1, "hours");
    const links = await eventually(async () => {
      const found = await linksOf(broadcastId);
      return found.size > 0 ? found : null;
    }, "the mails");
    assert.deepEqual([...links.keys()].sort(), ["ada", "eve"]);
    const link = links.get("eve")!;
    assert.ok(link.startsWith(`${publicUrl}/u/`), link);
    const body = new URLSearchParams({ "List-Unsubscribe": "One-Click" });
    const answer = await fetch(`${service.url}${link.slice(publicUrl.length)}`, { method: "POST", body });
    assert.equal(answer.status, 200);
    const restored = { ...update, preferences: { workflow: { all: { enabled: true, readOnly: false } } } };
    await client("workflows.update", {
      params: { workflowId: name },
      body: { ...restored, categoryId: null },
    } as never);
    const { workflows } = (await client("subscribers.retrievePreferences", { params: { subscriberId: "eve" } })).body;
    const chosen = workflows.find(({ workflow }) => workflow.identifier === name);
    assert.equal(chosen?.channels.email, false, "the link worked");
  });
}

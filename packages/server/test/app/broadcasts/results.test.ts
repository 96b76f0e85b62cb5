// What a broadcast did: people by outcome, causes and variants, the people of an outcome, and a draft for them.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Broadcast, BroadcastOutcome } from "@tidings/contract";
import { request } from "@tidings/testkit/http";
import { shareService } from "@tidings/testkit/service";
import { email, inApp, messagesOf } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";

const service = await shareService();
const { client } = service;
const key = "a signing key of this test";
const [environment] = (await client("environments.list")).body.filter(({ apiKeys }) => apiKeys);
const capture = (await client("integrations.list")).body.find(({ identifier }) => identifier === "svc-email-default")!;
await client("integrations.update", {
  params: { integrationId: capture._id! },
  body: { configurations: { inboundWebhookEnabled: true, inboundWebhookSigningKey: key } },
});
const everyone = { include: [], everyone: true };
const names = ["opener", "clicker", "quiet", "bouncer", "spam", "leaver", "nomail"];
const subscribers = names.map((subscriberId) => ({
  subscriberId,
  ...(subscriberId !== "nomail" && { email: `${subscriberId}@example.com` }),
}));
await client("subscribers.createBulk", { body: { subscribers } });

async function report(receipts: object[]): Promise<void> {
  const path = `/v2/inbound-webhooks/delivery-providers/${environment!._id}/${capture._id}`;
  const authorization = `Basic ${Buffer.from(`reports:${key}`).toString("base64")}`;
  const headers = { "content-type": "application/json", authorization };
  assert.equal((await request(service, path, { method: "POST", headers, body: JSON.stringify(receipts) })).status, 200);
}

async function send(steps: object[], audience: object = everyone): Promise<Broadcast> {
  const { body } = await client("broadcasts.create", { body: { name: "News", content: { steps }, audience } as never });
  const params = { broadcastId: body._id };
  await client("broadcasts.send", { params });
  return eventually(async () => {
    const now = (await client("broadcasts.retrieve", { params })).body;
    return now.status === "completed" ? now : null;
  }, "the end");
}

const resultsOf = async (broadcastId: string) =>
  (await client("broadcasts.retrieveResults", { params: { broadcastId } })).body;

async function peopleWith(broadcastId: string, outcome: BroadcastOutcome): Promise<string[]> {
  const found: string[] = [];
  let after: string | undefined;
  do {
    const query = { outcome, limit: 2, ...(after && { after }) };
    const { body } = await client("broadcasts.listPeople", { params: { broadcastId }, query });
    found.push(...body.data.map(({ subscriberId }) => subscriberId));
    after = body.next ?? undefined;
  } while (after);
  return found.toSorted();
}

const variants = [
  { id: "a", name: "Short" },
  { id: "b", name: "Long" },
];
const mail = { stepId: "mail", ...email() };
const arms = { stepId: "arms", name: "Arms", type: "experiment", controlValues: { variants } };

test("people by outcome, with causes and variants, and a draft for those who did not open", async () => {
  const { _id: broadcastId, transactionId } = await send([arms, mail]);
  const messages = await eventually(async () => {
    const all = await messagesOf(client, transactionId!);
    return all.filter(({ status }) => status === "sent").length === 6 ? all : null;
  }, "6 mails");
  const idOf = (name: string) => messages.find(({ subscriber }) => subscriber?.subscriberId === name)!._id!;
  await report([
    { messageId: idOf("opener"), status: "delivered" },
    { messageId: idOf("opener"), status: "opened" },
    { messageId: idOf("clicker"), status: "clicked" },
    { messageId: idOf("bouncer"), status: "bounced" },
    { messageId: idOf("spam"), status: "complaint" },
  ]);
  await client("subscribers.updatePreferences", {
    params: { subscriberId: "leaver" },
    body: { workflowId: "broadcast", channels: { email: false } },
  });

  const expected = {
    sent: ["bouncer", "clicker", "leaver", "opener", "quiet", "spam"],
    delivered: ["clicker", "opener"],
    opened: ["clicker", "opener"],
    clicked: ["clicker"],
    not_opened: ["bouncer", "leaver", "quiet", "spam"],
    failed: ["bouncer"],
    skipped: ["nomail"],
    unsubscribed: ["leaver"],
    complained: ["spam"],
  };
  const results = await resultsOf(broadcastId);
  assert.deepEqual(
    results.outcomes,
    Object.fromEntries(Object.entries(expected).map(([outcome, people]) => [outcome, people.length])),
  );
  for (const [outcome, people] of Object.entries(expected)) {
    assert.deepEqual(await peopleWith(broadcastId, outcome as BroadcastOutcome), people, outcome);
  }
  assert.deepEqual([results.counted, results.isCapped], [7, false]);
  assert.deepEqual(
    results.causes.map(({ kind, reason, stepId, people, sentence }) => [kind, reason, stepId, people, sentence]).sort(),
    [
      ["failed", "bounced", "mail", 1, "1 person did not get the email: message bounced"],
      ["skipped", "no_email", "mail", 1, "1 person had no email address"],
    ],
  );
  assert.deepEqual(
    results.variants.reduce((sum, { people }) => sum + people, 0),
    7,
  );
  assert.deepEqual([...new Set(results.variants.map(({ stepId }) => stepId))], ["arms"]);
  assert.equal(
    results.variants.reduce((sum, { outcomes }) => sum + outcomes.opened!, 0),
    2,
  );

  const { status, body: again } = await client("broadcasts.resend", { params: { broadcastId }, body: {} });
  assert.equal(status, 201);
  assert.deepEqual([again.name, again.status, again.resendOf], ["News (again)", "draft", broadcastId]);
  assert.equal(again.audience.include.length, 1);
  await client("broadcasts.send", { params: { broadcastId: again._id } });
  const done = await eventually(async () => {
    const now = (await client("broadcasts.retrieve", { params: { broadcastId: again._id } })).body;
    return now.status === "completed" ? now : null;
  }, "the end");
  assert.equal(done.progress.people, 4, "those who did not open");
  await client("subscribers.updatePreferences", {
    params: { subscriberId: "quiet" },
    body: { workflowId: "broadcast", channels: { email: false } },
  });
  assert.deepEqual(await peopleWith(again._id, "unsubscribed"), ["quiet"]);
  assert.deepEqual(await peopleWith(broadcastId, "unsubscribed"), ["leaver"], "the later broadcast was the reason");
  assert.equal((await resultsOf(broadcastId)).outcomes.unsubscribed, 1);
});

test("in-app messages that are read count as opened, also where their jobs have no rows", async () => {
  const { _id: broadcastId, transactionId } = await send([{ stepId: "in", ...inApp({ body: "Hello" }) }]);
  const messages = await messagesOf(client, transactionId!);
  const { _id: messageId } = messages.find(({ subscriber }) => subscriber?.subscriberId === "quiet")!;
  const params = { subscriberId: "quiet" };
  await client("subscribers.markMessages", { params, body: { messageId: messageId!, markAs: "read" } });
  const { outcomes } = await resultsOf(broadcastId);
  assert.deepEqual([outcomes.sent, outcomes.opened, outcomes.not_opened, outcomes.failed], [7, 1, 6, 0]);
  assert.deepEqual(await peopleWith(broadcastId, "opened"), ["quiet"]);
});

test("a draft has no results, an unknown one is not found, and a wrong page is refused", async () => {
  const { body } = await client("broadcasts.create", { body: { name: "Draft" } });
  for (const id of ["broadcasts.retrieveResults", "broadcasts.listPeople", "broadcasts.resend"] as const) {
    const draft = await client.raw(id, { params: { broadcastId: body._id } });
    assert.deepEqual([draft.status, (draft.body as { code: string }).code], [409, "BROADCAST_STATE"], id);
    const unknown = await client.raw(id, { params: { broadcastId: "none" } });
    assert.deepEqual([unknown.status, (unknown.body as { code: string }).code], [404, "BROADCAST_NOT_FOUND"], id);
  }
  const query = { after: "one" };
  const wrong = await client.raw("broadcasts.listPeople", { params: { broadcastId: body._id }, query });
  assert.equal(wrong.status, 422);
});

// Before a broadcast is sent: its checklist in sentences, previews of people, and tests to named ones.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { BroadcastCheck } from "@tidings/contract";
import { newStage } from "@tidings/testkit/clock";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp, messagesOf, settled } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";

const site = await startReceiver(({ path }) => ({ status: path === "/gone" ? 404 : 200 }));
const service = await shareService({ TIDINGS_PUBLIC_URL: "https://news.example.com" });
const { client } = await newStage(service);
const everyone = { include: [], everyone: true };
const links = `<p><a href="${site.url}/ok">ok</a> <a href="${site.url}/gone">gone</a> {{ subscriber.firstName }}</p>`;
const mail = { stepId: "mail", ...email({ subject: "Hi {{ subscriber.firstName }}", body: links }) };
const people = [
  { subscriberId: "ada", firstName: "Ada", lastName: "Lovelace", email: "ada@example.com" },
  { subscriberId: "grace", firstName: "Grace", email: "grace@example.com" },
  { subscriberId: "alan", email: "alan@example.com" },
  { subscriberId: "bob" },
];
await client("subscribers.createBulk", { body: { subscribers: people } });
await client("suppressions.create", { body: { channel: "email", address: "grace@example.com" } });

async function draft(body: object): Promise<string> {
  return (await client("broadcasts.create", { body: { name: "News", ...body } })).body._id;
}

async function checkOf(broadcastId: string): Promise<BroadcastCheck> {
  const params = { broadcastId };
  const began = await client("broadcasts.check", { params });
  assert.equal(began.status, 202);
  return eventually(async () => {
    const { body } = await client("broadcasts.retrieveCheck", { params });
    return body.status === "running" ? null : body;
  }, "the check");
}

const sentencesOf = ({ items }: BroadcastCheck) => items.map(({ level, sentence }) => `${level}: ${sentence}`);

test("the checklist of a draft in sentences, from a dry run of everyone", async () => {
  const broadcastId = await draft({ content: { steps: [mail] }, audience: everyone });
  await client("subscribers.updatePreferences", {
    params: { subscriberId: "alan" },
    body: { workflowId: "broadcast", channels: { email: false } },
  });
  const check = await checkOf(broadcastId);
  assert.deepEqual(sentencesOf(check).toSorted(), [
    `ok: 1 has switched it off`,
    `ok: 4 people`,
    `ok: The unsubscribe link is present`,
    `warning: 1 has no email address`,
    `warning: 1 is suppressed`,
    `warning: 2 links, 1 returns 404: ${site.url}/gone`,
    `warning: This is everyone: the audience leaves no person of the environment out`,
  ]);
  assert.deepEqual(check.steps, [
    {
      stepId: "mail",
      type: "email",
      outcomes: { sends: 1, no_email: 1, recipient_suppressed: 1, filtered_by_subscriber_workflow: 1 },
    },
  ]);
  assert.deepEqual([check.status, check.isCurrent, check.people, check.checked], ["completed", true, 4, 4]);
  assert.equal((await client("messages.list", { query: {} })).body.data.length, 0, "nothing was sent");
});

test("what a draft lacks is a problem that names its field", async () => {
  const check = await checkOf(await draft({ time: { kind: "at", at: "2020-01-01T00:00:00.000Z" } }));
  assert.deepEqual(
    check.items.map(({ level, field }) => [level, field]),
    [
      ["problem", "content"],
      ["problem", "audience"],
      ["problem", "time.at"],
    ],
  );
  assert.equal(check.status, "completed");
  const off = await createWorkflow(client, "off", [inApp()], { active: false });
  const inactive = await checkOf(await draft({ content: { workflowId: off.workflowId }, audience: everyone }));
  assert.deepEqual(inactive.items[0]?.field, "content.workflowId");
  const empty = { stepId: "in", ...inApp({ subject: "Hello" }) };
  const unwritten = await checkOf(await draft({ content: { steps: [empty] }, audience: everyone }));
  assert.match(String(sentencesOf(unwritten)), /warning: The step .+ has an empty body/);
  const broken = { stepId: "in", ...inApp({ body: "{% for i in (1..9999999) %}{{ i }}{% endfor %}" }) };
  const failing = await checkOf(await draft({ content: { steps: [broken] }, audience: everyone }));
  assert.match(String(sentencesOf(failing)), /problem: The step in cannot be rendered for 4 people: render limit/);
});

test("a check is of one draft: a changed draft or workflow makes it old, and a sent one is not checked", async () => {
  await createWorkflow(client, "saved", [inApp({ body: "Hello" })]);
  const broadcastId = await draft({ content: { workflowId: "saved" }, audience: everyone });
  const params = { broadcastId };
  const unchecked = await client.raw("broadcasts.retrieveCheck", { params });
  assert.deepEqual([unchecked.status, (unchecked.body as { code: string }).code], [404, "BROADCAST_NOT_CHECKED"]);
  const checkedAt = async () => (await client("broadcasts.retrieve", { params })).body.checkedAt;
  assert.equal(await checkedAt(), null, "it was never checked");
  const isCurrent = async () => (await client("broadcasts.retrieveCheck", { params })).body.isCurrent;
  const { startedAt } = await checkOf(broadcastId);
  assert.equal(await checkedAt(), startedAt);
  await client("workflows.patch", { params: { workflowId: "saved" }, body: { name: "Renamed" } });
  assert.equal(await isCurrent(), false, "the workflow was changed");
  assert.equal((await checkOf(broadcastId)).isCurrent, true);
  await client("broadcasts.update", { params, body: { name: "Other" } });
  assert.equal(await isCurrent(), false, "the draft was changed");
  await client("broadcasts.send", { params });
  const sent = await client.raw("broadcasts.check", { params });
  assert.deepEqual([sent.status, (sent.body as { code: string }).code], [409, "BROADCAST_STATE"]);
});

test("a preview renders the messages of sampled or named people, and sends nothing", async () => {
  const params = { broadcastId: await draft({ content: { steps: [mail] }, audience: everyone }) };
  const { data } = (await client("broadcasts.preview", { params, body: { subscriberIds: ["ada", "bob"] } })).body;
  const [ada, bob] = data;
  assert.deepEqual([ada?.name, ada?.messages[0]?.outcome], ["Ada Lovelace", "sends"]);
  assert.equal(ada?.messages[0]?.content?.subject, "Hi Ada");
  assert.match(String(ada?.messages[0]?.content?.body), /Ada/);
  assert.deepEqual([bob?.name, bob?.messages[0]?.outcome], [null, "no_email"]);
  assert.match(bob!.messages[0]!.sentence, /would not be sent: .*no email address/);
  assert.equal((await client("broadcasts.preview", { params, body: {} })).body.data.length, 4);
  const unknown = await client.raw("broadcasts.preview", { params, body: { subscriberIds: ["ada", "eve"] } });
  assert.deepEqual([unknown.status, (unknown.body as { code: string }).code], [404, "SUBSCRIBER_NOT_FOUND"]);
  const empty = { broadcastId: await draft({ audience: everyone }) };
  const refused = await client.raw("broadcasts.preview", { params: empty });
  assert.deepEqual([refused.status, (refused.body as { code: string }).code], [409, "BROADCAST_INCOMPLETE"]);
  assert.equal((await client("messages.list", { query: { channel: "email" } })).body.data.length, 0);
});

test("a test is sent to named people only; one unknown name sends nothing", async () => {
  const params = { broadcastId: await draft({ content: { steps: [mail] }, audience: everyone }) };
  const count = async () => (await client("messages.list", { query: { channel: "email" } })).body.data.length;
  const before = await count();
  const unknown = await client.raw("broadcasts.test", { params, body: { subscriberIds: ["ada", "eve"] } });
  assert.deepEqual([unknown.status, (unknown.body as { code: string }).code], [404, "SUBSCRIBER_NOT_FOUND"]);
  assert.equal(await count(), before);
  const { status, body } = await client("broadcasts.test", { params, body: { subscriberIds: ["ada", "ada", "bob"] } });
  assert.equal(status, 201);
  assert.deepEqual(
    body.data.map(({ subscriberId }) => subscriberId),
    ["ada", "bob"],
  );
  const [toAda] = body.data;
  await settled(client, toAda!.transactionId);
  const { body: explained } = await client("explain.retrieve", { query: toAda! });
  assert.equal(explained.event?.isTest, true);
  const [message] = await messagesOf(client, toAda!.transactionId);
  assert.deepEqual([message?.subject, message?.status], ["Hi Ada", "sent"]);
  assert.equal((await client("broadcasts.retrieve", { params })).body.status, "draft");
});

test("a check goes over all pages; a new one replaces one that runs", async () => {
  const { client: own } = await newStage(service);
  const many = Array.from({ length: 1_003 }, (_, at) => ({ subscriberId: `p${at}`, data: { at } }));
  for (const from of [0, 500, 1_000]) {
    await own("subscribers.createBulk", { body: { subscribers: many.slice(from, from + 500) } });
  }
  const content = { steps: [{ stepId: "in", ...inApp({ body: "Hello" }) }] };
  const { body } = await own("broadcasts.create", { body: { name: "Many", content, audience: everyone } });
  const params = { broadcastId: body._id };
  await Promise.all([own("broadcasts.check", { params }), own("broadcasts.check", { params })]);
  const check = await eventually(async () => {
    const now = (await own("broadcasts.retrieveCheck", { params })).body;
    return now.status === "completed" ? now : null;
  }, "the check");
  assert.deepEqual([check.people, check.checked], [1_003, 1_003]);
  assert.equal(check.items[0]?.sentence, "1,003 people");
  assert.deepEqual(check.steps, [{ stepId: "in", type: "in_app", outcomes: { sends: 1_003 } }]);
});

// HTTP requests and other work: a slow host delays only its own requests, and neither a cancel nor a killed process
// loses a run.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { StepIn } from "@tidings/contract";
import { temporaryFolder } from "@tidings/testkit/process";
import { type Answer, startReceiver } from "@tidings/testkit/servers/receiver";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, feedOf, inApp, notificationsOf, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";

/** A host whose responses wait until it is released. */
async function startHeldHost() {
  const waiting: (() => void)[] = [];
  let isHeld = true;
  const host = await startReceiver(() => {
    const answer: Answer = { status: 200, text: '{"ok":1}' };
    if (!isHeld) return answer;
    return new Promise<Answer>((resolve) => waiting.push(() => resolve(answer)));
  });
  const release = () => {
    isHeld = false;
    for (const go of waiting) go();
  };
  return { ...host, release };
}

const held = await startHeldHost();
const quick = await startReceiver(() => ({ status: 200, text: '{"ok":1}' }));
const service = await startTestService({ TIDINGS_REQUEST_TIMEOUT: "60" });
const { client } = service;

const steps = (url: string): StepIn[] => [
  { name: "Call", stepId: "call", type: "http_request", controlValues: { method: "POST", url } },
  inApp({ body: "got {{ steps.call.body.ok }}" }),
];
const statuses = async (transactionId: string) =>
  (await notificationsOf(client, transactionId)).flatMap(({ jobs }) => jobs!.map(({ status }) => status));

test("a slow host holds up neither another host nor other steps; a canceled run stays canceled", async () => {
  await createWorkflow(client, "slow", steps(held.url));
  await createWorkflow(client, "quick", steps(quick.url));
  await createWorkflow(client, "plain", [inApp({ body: "plain" })]);
  // More than one host may have in flight, and more than a batch.
  const people = Array.from({ length: 60 }, (_, index) => `slow-${index}`);
  const slow = await trigger(client, "slow", people);
  const canceled = await trigger(client, "slow", "canceled");
  await eventually(() => held.received.length >= 20, "calls to the slow host");
  await settled(client, await trigger(client, "quick", "ada"));
  assert.equal((await feedOf(client, "ada"))[0]!.content, "got 1");
  await settled(client, await trigger(client, "plain", "bob"));
  assert.ok(held.received.length <= 30, `the slow host has ${held.received.length} of 100 calls`);
  assert.ok((await statuses(slow)).every((status) => status === "queued" || status === "pending"));
  await client("events.cancel", { params: { transactionId: canceled } });
  held.release();
  await eventually(
    async () => (await feedOf(client, "slow-59")).length === 1 && held.received.length >= 60,
    "the runs behind the slow host",
  );
  assert.deepEqual(await statuses(canceled), ["canceled", "canceled"]);
  assert.equal((await feedOf(client, "canceled")).length, 0);
});

test("a deleted workflow ends the runs that wait for a response", async () => {
  const other = await startHeldHost();
  await createWorkflow(client, "deleted", steps(other.url));
  const transactionId = await trigger(client, "deleted", "eve");
  await eventually(() => other.received.length === 1, "the call");
  await client("workflows.delete", { params: { workflowId: "deleted" } });
  other.release();
  await settled(client, transactionId);
  assert.deepEqual(await statuses(transactionId), ["canceled", "canceled"]);
});

test("a process that is killed during a call repeats it with the same key, and the run goes on once", async (context) => {
  const host = await startHeldHost();
  const folder = temporaryFolder(context);
  const settings = { TIDINGS_ALLOW_NETWORKS: "127.0.0.1/32" };
  const first = folder.run(settings);
  const { client: before } = await first.started();
  await createWorkflow(before, "killed", steps(host.url));
  const transactionId = await trigger(before, "killed", "kim");
  await eventually(() => host.received.length === 1, "the call");
  await first.end("SIGKILL");
  host.release();
  const second = folder.run(settings);
  const { client: after } = await second.started();
  await settled(after, transactionId, 60_000);
  assert.deepEqual(
    (await feedOf(after, "kim")).map(({ content }) => content),
    ["got 1"],
  );
  const keys = host.received.map(({ headers }) => headers["idempotency-key"]);
  assert.equal(keys.length, 2);
  assert.equal(new Set(keys).size, 1);
  assert.equal(await second.end("SIGTERM"), 0);
});

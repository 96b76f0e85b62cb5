// Results of earlier channel steps in the rules and templates of later ones, at the moment the later step begins: over
// HTTP, on a test clock, with marks on the in-app message and reports of a provider in between.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExplainedStep, StepIn } from "@tidings/contract";
import { newStage, type Stage } from "@tidings/testkit/clock";
import { request } from "@tidings/testkit/http";
import fc from "@tidings/testkit/properties";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { mailer, person } from "@tidings/testkit/servers/webhook-providers";
import { shareService } from "@tidings/testkit/service";
import {
  createWorkflow,
  email,
  feedOf,
  inApp,
  messagesOf,
  notificationsOf,
  settled,
  trigger,
} from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { channelResult } from "../../../src/pipeline/rules/step-results.ts";

// Started before the service: what is started first ends first.
const provider = await startReceiver();
const service = await shareService();
const start = "2026-03-02T09:00:00.000Z";

const feed: StepIn = { ...inApp({ body: "Invoice {{ payload.name }}" }), stepId: "feed" };
const hour: StepIn = { name: "Wait", type: "delay", controlValues: { amount: 1, unit: "hours" } };
const unlessRead: StepIn = email({
  subject: "You have not read it: {{ steps.feed.read }}, {{ steps.feed.status }} at {{ steps.feed.sentAt }}",
  body: "<p>Invoice</p>",
  skip: { "==": [{ var: "steps.feed.read" }, true] },
});

async function waitingStage(steps: StepIn[] = [feed, hour, unlessRead]) {
  const stage = await newStage(service, start);
  await createWorkflow(stage.client, "invoice", steps);
  const transactionId = await trigger(stage.client, "invoice", { subscriberId: "ada", email: "ada@example.com" });
  await eventually(async () => {
    const [run] = await notificationsOf(stage.client, transactionId);
    return run?.jobs?.some((job) => job.status === "delayed");
  }, "the run to wait");
  return { stage, client: stage.client, transactionId };
}

const mark = async ({ client }: Stage, markAs: "read" | "unread" | "seen") => {
  const [item] = await feedOf(client, "ada");
  const body = { messageId: [item!._id], markAs };
  await client("subscribers.markMessages", { params: { subscriberId: "ada" }, body });
};

async function explainedSteps({ client }: Stage, transactionId: string): Promise<ExplainedStep[]> {
  const query = { transactionId, subscriberId: "ada" };
  return (await client("explain.retrieve", { query })).body.steps;
}

const rawOf = (step: ExplainedStep | undefined, detail: string) =>
  JSON.parse(step!.details!.find((entry) => entry.detail === detail)?.raw ?? "null");

test("an email is sent only if the in-app message was not read within an hour", async () => {
  const { stage, client, transactionId } = await waitingStage();
  await stage.advance(30, "minutes");
  await mark(stage, "read");
  await stage.advance(30, "minutes");
  await settled(client, transactionId);
  const [inbox, , mail] = await explainedSteps(stage, transactionId);
  assert.equal(mail!.outcome, "skipped");
  assert.deepEqual(rawOf(mail, "Step skipped by its condition").values, { "steps.feed.read": true });
  assert.deepEqual(inbox!.result, {
    status: "sent",
    sentAt: start,
    seen: true,
    read: true,
    lastSeenDate: "2026-03-02T09:30:00.000Z",
    lastReadDate: "2026-03-02T09:30:00.000Z",
  });
  assert.equal(mail!.result?.status, "skipped");
});

test("an email is sent when the in-app message was only seen, or marked as unread again", async () => {
  for (const marks of [[], ["seen"], ["read", "unread"]] as const) {
    const { stage, client, transactionId } = await waitingStage();
    for (const one of marks) await mark(stage, one);
    await stage.advance(1, "hours");
    await settled(client, transactionId);
    const [inbox, , mail] = await explainedSteps(stage, transactionId);
    assert.equal(mail!.outcome, "sent", marks.join());
    assert.equal(mail!.messages[0]!.subject, `You have not read it: false, sent at ${start}`);
    assert.deepEqual(rawOf(mail, "Step condition let the step run").values, { "steps.feed.read": false });
    assert.equal(mail!.result?.status, "sent");
    const wasRead = (marks as readonly string[]).includes("read");
    assert.deepEqual([inbox!.result?.read, inbox!.result?.lastReadDate], [false, wasRead ? start : undefined]);
  }
});

test("a deleted in-app message keeps the marks that its job recorded", async () => {
  const { stage, client, transactionId } = await waitingStage();
  await mark(stage, "read");
  const [message] = await messagesOf(client, transactionId);
  await client("messages.delete", { params: { messageId: message!._id! } });
  await stage.advance(1, "hours");
  const [run] = await settled(client, transactionId);
  assert.equal(run!.jobs![2]!.status, "skipped");
});

test("dry-run assumes that nothing is read, and shows the results it assumes", async () => {
  const { client } = await waitingStage();
  const { body } = await client("explain.dryRun", { body: { name: "invoice", to: "ada", payload: {} } as never });
  const [inbox, , mail] = body.recipients[0]!.steps;
  assert.equal(mail!.outcome, "sent");
  assert.match(mail!.messages[0]!.subject!, /^You have not read it: false, sent at 2026-03-02T09:00/);
  assert.deepEqual([inbox!.result?.read, inbox!.result?.status], [false, "sent"]);
});

test("variables of a step name the results of earlier ones", async () => {
  const { client } = await waitingStage();
  const params = { workflowId: "invoice", stepId: "email" };
  const { variables } = (await client("workflows.retrieveStep", { params })).body;
  const { properties } = variables as {
    properties?: { steps?: { properties?: Record<string, { properties: object }> } };
  };
  const result = properties?.steps?.properties?.feed;
  const members = ["status", "sentAt", "seen", "read", "lastSeenDate", "lastReadDate"];
  assert.deepEqual(Object.keys(result!.properties), members);
});

test("what a provider reported is the status of an email step: opened, bounced, skipped", async () => {
  const stage = await newStage(service, start);
  const { client } = stage;
  const mail = await mailer(client, "mail", `${provider.url}/mail`);
  const key = "a password for reports";
  await client("integrations.update", {
    params: { integrationId: mail._id! },
    body: { configurations: { inboundWebhookEnabled: true, inboundWebhookSigningKey: key } },
  });
  const first: StepIn = { ...email({ subject: "Hi", body: "x", skip: { var: "payload.skip" } }), stepId: "first" };
  await createWorkflow(client, "chased", [first, hour, inApp({ body: "{{ steps.first.status }}" })]);

  const run = async (payload: object, reports: string[], to: object = person("ada")) => {
    const transactionId = await trigger(client, "chased", to, payload);
    await eventually(async () => {
      const [notification] = await notificationsOf(client, transactionId);
      return notification?.jobs?.[1]?.status === "delayed";
    }, "the run to wait");
    const [message] = await messagesOf(client, transactionId);
    for (const status of reports) {
      await request(service, `/v2/inbound-webhooks/delivery-providers/${mail._environmentId}/${mail._id}`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Basic ${btoa(`x:${key}`)}` },
        body: JSON.stringify([{ messageId: message!._id, status, date: new Date().toISOString() }]),
      });
    }
    await stage.advance(1, "hours");
    await settled(client, transactionId);
    const made = await messagesOf(client, transactionId);
    return made.find(({ channel }) => channel === "in_app")!.content;
  };
  assert.equal(await run({}, []), "sent");
  assert.equal(await run({}, ["opened", "delivered"]), "opened");
  assert.equal(await run({ skip: true }, []), "skipped");
  assert.equal(await run({}, [], { subscriberId: "no-address" }), "skipped");
  assert.equal(await run({}, ["delivered", "bounced"]), "bounced");
});

test("a subscriber of another environment with the same id marks nothing here", async () => {
  const { stage, client, transactionId } = await waitingStage();
  const other = await waitingStage();
  await mark(other.stage, "read");
  await stage.advance(1, "hours");
  const [run] = await settled(client, transactionId);
  assert.equal(run!.jobs![2]!.status, "completed");
});

test("a step to several devices stands as well as the best of its messages, whatever the order of reports", () => {
  const reported = fc.record({
    d: fc.constantFrom("delivered", "opened", "clicked", "bounced", "rejected"),
    messageId: fc.constantFrom("a", "b"),
  });
  const statusOf = (reports: { d: string; messageId: string }[]) =>
    channelResult({
      step: { type: "push" },
      status: "completed",
      details: [
        { d: "message_created", t: 0, r: { messages: 2 } },
        { d: "message_sent", t: 1 },
        ...reports.map(({ d, messageId }) => ({ d, t: 2, r: { messageId } })),
      ],
    })!.status;
  fc.assert(
    fc.property(fc.array(reported, { maxLength: 8 }), (reports) => {
      assert.equal(statusOf(reports), statusOf(reports.toReversed()));
      const isFailed = (id: string) =>
        reports.some(({ d, messageId }) => messageId === id && (d === "bounced" || d === "rejected"));
      assert.equal(["bounced", "failed"].includes(statusOf(reports)), isFailed("a") && isFailed("b"));
    }),
  );
});

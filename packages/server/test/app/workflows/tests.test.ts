// Tests of drafts, over HTTP: what runs, what it leaves alone, and what is refused.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ErrorCode, StepIn, WorkflowTestIn } from "@tidings/contract";
import { before } from "@tidings/testkit/at-end";
import { errorOf } from "@tidings/testkit/http";
import { shareService } from "@tidings/testkit/service";
import {
  connectInbox,
  createWorkflow,
  detailsOf,
  email,
  feedOf,
  inApp,
  messagesOf,
  settled,
  trigger,
} from "@tidings/testkit/verbs";

const { client, production } = await shareService();
const params = { workflowId: "news" };

const delay: StepIn = { name: "Wait", type: "delay", controlValues: { type: "regular", amount: 3, unit: "days" } };
const digest: StepIn = {
  name: "Digest",
  stepId: "digest",
  type: "digest",
  controlValues: { type: "regular", amount: 1, unit: "hours" },
};
const lookBack = { amount: 5, unit: "minutes" };
const throttle: StepIn = {
  name: "Limit",
  type: "throttle",
  controlValues: { type: "fixed", amount: 1, unit: "hours", threshold: 1 },
};

const bodyOf = (steps: StepIn[], rest: Partial<WorkflowTestIn> = {}): WorkflowTestIn => ({
  workflow: { name: "News", steps },
  to: "ada",
  ...rest,
});
const send = async (steps: StepIn[], rest?: Partial<WorkflowTestIn>) =>
  (await client("workflows.test", { params, body: bodyOf(steps, rest) })).body;
const versions = async () => (await client("workflows.listVersions", { params })).body.data.map(({ number }) => number);

before(async () => {
  await client("subscribers.create", { body: { subscriberId: "ada", firstName: "Ada", email: "ada@example.com" } });
  await connectInbox(client);
  await createWorkflow(client, "news", [inApp({ body: "Saved" })]);
});

describe("a test of a draft", () => {
  test("sends what is not saved, and leaves the workflow and its versions alone", async () => {
    const saved = (await client("workflows.retrieve", { params })).body;
    const told = await send([inApp({ body: "Draft {{payload.n}}" }), email()], { payload: { n: 7 } });
    assert.equal(told.subscriberId, "ada");
    await settled(client, told.transactionId);
    assert.equal((await feedOf(client, "ada"))[0]?.content, "Draft 7");
    const sent = await messagesOf(client, told.transactionId);
    assert.deepEqual(sent.map(({ channel, status }) => [channel, status]).sort(), [
      ["email", "sent"],
      ["in_app", "sent"],
    ]);
    const { lastTriggeredAt, ...now } = (await client("workflows.retrieve", { params })).body;
    assert.deepEqual({ ...now, lastTriggeredAt: saved.lastTriggeredAt }, saved);
    assert.notEqual(lastTriggeredAt, saved.lastTriggeredAt);
    assert.deepEqual(await versions(), [1]);
    const { transactionId } = told;
    const [event] = (await client("activity.listEvents", { query: { transactionId } })).body.data;
    assert.equal(event?.isTest, true);
    const run = (await client("explain.retrieve", { query: { transactionId, subscriberId: "ada" } })).body;
    assert.equal(run.event.isTest, true);
    const real = await trigger(client, "news", "ada");
    const [other] = (await client("activity.listEvents", { query: { transactionId: real } })).body.data;
    assert.equal(other && "isTest" in other, false);
    const unknown = await client.raw("workflows.retrieveVersion", { params: { ...params, versionId: "-1" } });
    assert.equal(unknown.status, 404);
  });

  test("does not wait, and joins neither digests nor throttles of real events", async () => {
    const steps = [throttle, digest, delay, inApp({ body: "{{steps.digest.eventCount}} of {{payload.of}}" })];
    await createWorkflow(client, "batched", steps);
    const to = { subscriberId: "grace" };
    const first = await trigger(client, "batched", to, { of: "real" });
    const saved = (await client("workflows.retrieve", { params: { workflowId: "batched" } })).body;
    const draft = saved.steps.map(({ _id, stepId, name, type, controls }) => ({
      ...{ _id, stepId, name, type },
      // With a look-back window, a first event would not be digested.
      controlValues: type === "digest" ? { ...controls.values, lookBackWindow: lookBack } : controls.values,
    })) as StepIn[];
    for (const name of ["one", "two"]) {
      const { transactionId } = (
        await client("workflows.test", {
          params: { workflowId: "batched" },
          body: { ...bodyOf(draft, { payload: { of: name } }), to },
        })
      ).body;
      const [run] = await settled(client, transactionId);
      assert.ok(detailsOf(run!, "delay").includes("Wait fast-forwarded by a test"));
      assert.equal((await feedOf(client, "grace"))[0]?.content, `1 of ${name}`);
    }
    const [real] = (await client("notifications.list", { query: { transactionId: first } })).body.data;
    assert.deepEqual(
      real?.jobs?.map(({ status }) => status),
      ["completed", "delayed", "pending", "pending"],
    );
  });

  test("ignores quiet hours, and follows the preferences of the draft and of the person", async () => {
    await client("subscribers.create", { body: { subscriberId: "joan", email: "joan@example.com" } });
    // Closed now, open in three days.
    const days = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
    const open = days[(new Date().getUTCDay() + 3) % 7]!;
    const weeklySchedule = { [open]: { isEnabled: true, hours: [{ start: "10:00 AM", end: "02:00 PM" }] } };
    await client("subscribers.updatePreferences", {
      params: { subscriberId: "joan" },
      body: { schedule: { isEnabled: true, weeklySchedule } },
    });
    const outcomes = async (workflow: Partial<WorkflowTestIn["workflow"]>) => {
      const steps = [email()];
      const told = await send(steps, { to: "joan", workflow: { name: "News", steps, ...workflow } });
      return (await settled(client, told.transactionId)).flatMap(({ jobs }) => jobs?.map(({ status }) => status));
    };
    assert.deepEqual(await outcomes({}), ["completed"]);
    const off = { all: { enabled: true }, channels: { email: { enabled: false } } };
    assert.deepEqual(await outcomes({ preferences: { user: off as never } }), ["skipped"]);
  });

  test("creates the person who is given with an address", async () => {
    const { subscriberId } = await send([email()], {
      to: { subscriberId: " me@example.com ", email: "me@example.com" },
    });
    assert.equal(subscriberId, "me@example.com");
    assert.equal((await client("subscribers.retrieve", { params: { subscriberId } })).body.email, "me@example.com");
  });
});

describe("a test is refused", () => {
  const refuse = async (body: unknown, code: ErrorCode, workflowId = "news") =>
    errorOf(await client.raw("workflows.test", { params: { workflowId }, body: body as never }), code);

  test("with the field that is wrong", async () => {
    const schema = { type: "object", properties: { order: { type: "string" } }, required: ["order"] };
    const strict = { name: "News", steps: [inApp()], validatePayload: true, payloadSchema: schema };
    const faults = (await refuse(bodyOf([], { workflow: strict }), "PAYLOAD_VALIDATION_ERROR")) as {
      errors?: { field: string }[];
    };
    assert.deepEqual(
      faults.errors?.map(({ field }) => field),
      ["order"],
    );
    const fields: [unknown, string][] = [
      [{ to: "ada" }, "workflow"],
      [bodyOf([]), "workflow.steps"],
      [bodyOf([{ ...inApp(), active: false }]), "workflow.steps"],
      [bodyOf([{ ...delay, controlValues: { amount: -1, unit: "hours" } }]), "steps.0.controlValues.amount"],
      [bodyOf([inApp()], { to: { email: "ada@example.com" } }), "to"],
      [bodyOf([inApp()], { to: { subscriberId: "ada", type: "Topic", topicKey: "all" } as never }), "to"],
      [{ ...bodyOf([inApp()]), to: [] }, "to"],
      [bodyOf([inApp()], { to: { subscriberId: "x".repeat(500) } }), "to"],
    ];
    for (const [body, field] of fields) {
      const { errors } = (await refuse(body, "VALIDATION_ERROR")) as { errors?: object };
      assert.ok(
        Object.keys(errors ?? {}).some((name) => name === field || name.startsWith(`${field}.`)),
        `${field}: ${JSON.stringify(errors)}`,
      );
    }
  });

  test("for unknown people and workflows, and those of another environment", async () => {
    await refuse(bodyOf([inApp()], { to: "nobody" }), "SUBSCRIBER_NOT_FOUND");
    await refuse(bodyOf([inApp()]), "WORKFLOW_NOT_FOUND", "none");
    const other = await production.raw("workflows.test", { params, body: bodyOf([inApp()]) });
    errorOf(other, "WORKFLOW_NOT_FOUND");
    assert.deepEqual(await versions(), [1]);
  });
});

test("tests at the same time each get a version", async () => {
  const drafts = Array.from({ length: 6 }, (_, index) => send([inApp({ body: `Draft ${index}` })]));
  const told = await Promise.all(drafts);
  await Promise.all(told.map(({ transactionId }) => settled(client, transactionId)));
  const bodies = (await feedOf(client, "ada")).map(({ content }) => content);
  for (let index = 0; index < 6; index++) assert.ok(bodies.includes(`Draft ${index}`), bodies.join());
});

test("a dry run assumes that a digest collects several events, and that messages are read", async () => {
  const unread = { "!": [{ "==": [{ var: "steps.in-app.read" }, false] }] };
  const steps = [
    inApp({ body: "Hi" }),
    digest,
    email({ subject: "{{steps.digest.eventCount}} news", body: "{{steps.digest.events.size}}", skip: unread }),
  ];
  const outcome = async (assume?: object) => {
    const body = { workflow: { name: "News", steps }, to: "ada", payload: {}, assume };
    const [recipient] = (await client("explain.dryRun", { body })).body.recipients;
    const mail = recipient!.steps[2]!;
    return [mail.outcome, mail.messages[0]?.subject, mail.messages[0]?.content?.includes("3")];
  };
  assert.deepEqual(await outcome(), ["sent", "1 news", false]);
  assert.deepEqual(await outcome({ digestedEvents: 3 }), ["sent", "3 news", true]);
  assert.deepEqual((await outcome({ isRead: true }))[0], "skipped");
  const wrong = { workflow: { name: "News", steps }, to: "ada", assume: { digestedEvents: 0 } };
  errorOf(await client.raw("explain.dryRun", { body: wrong as never }), "VALIDATION_ERROR");
});

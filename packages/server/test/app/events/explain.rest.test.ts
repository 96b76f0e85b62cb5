// Explaining past events, and dry runs, over HTTP.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import type { DryRun, DryRunEvent, Explanation, Schedule, StepIn, TriggerEvent } from "@tidings/contract";
import { before } from "@tidings/testkit/at-end";
import { newStage } from "@tidings/testkit/clock";
import { errorOf } from "@tidings/testkit/http";
import { startScriptedMail } from "@tidings/testkit/mail/scripted-mail";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp, settled } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { inReadOnlyTransaction } from "../../../src/store/db.ts";

const mail = await startScriptedMail((address) => (address.startsWith("refused") ? 550 : null));
const service = await startTestService();
const { client, production, db } = service;

type Client = typeof client;

const explain = async (transactionId: string, subscriberId = "ada", from: Client = client): Promise<Explanation> =>
  (await from("explain.retrieve", { query: { transactionId, subscriberId } })).body;

const dryRun = async (event: Partial<DryRunEvent>, limit?: number, from: Client = client): Promise<DryRun> =>
  (await from("explain.dryRun", { query: { limit }, body: { to: "ada", ...event } })).body;

async function send(event: Partial<TriggerEvent>, from: Client = client): Promise<string> {
  const { body } = await from("events.trigger", { body: { to: "ada", ...event } as TriggerEvent });
  assert.equal(body.status, "processed", JSON.stringify(body));
  return body.transactionId!;
}

async function sent(event: Partial<TriggerEvent>): Promise<string> {
  const transactionId = await send(event);
  await settled(client, transactionId);
  return transactionId;
}

const step = (type: StepIn["type"], controlValues: Record<string, unknown>, stepId: string = type): StepIn => ({
  name: stepId,
  stepId,
  type,
  controlValues,
});
const both = [inApp(), email()];

before(async () => {
  for (const subscriberId of ["ada", "bob", "cleo", "dan", "eve", "fay"]) {
    await client("subscribers.create", { body: { subscriberId, email: `${subscriberId}@example.com` } });
  }
});

describe("a draft", () => {
  const draft = {
    name: "Draft",
    workflowId: "drafted",
    steps: [step("delay", { amount: 1, unit: "days" }, "wait"), email({ subject: "{{payload.x}}", body: "B" })],
  };
  const ask = (body: object) => client.raw("explain.dryRun", { body: { to: "ada", ...body } });

  test("is simulated without being saved", async () => {
    const { workflow, status, recipients, time } = await dryRun({ workflow: draft, payload: { x: 7 } });
    assert.deepEqual([workflow, status], [{ workflowId: "drafted", name: "Draft" }, "processed"]);
    const [wait, mail] = recipients[0]!.steps;
    const dayMs = 86_400_000;
    assert.equal(Date.parse(wait!.until!) - Date.parse(time), dayMs);
    assert.equal(mail!.at, wait!.until);
    assert.equal(mail!.messages[0]!.subject, "7");
    assert.ok(mail!.messages[0]!.integrationIdentifier);
    assert.equal((await client.raw("workflows.retrieve", { params: { workflowId: "drafted" } })).status, 404);
  });

  test("uses the choices that subscribers made for the stored workflow", async () => {
    const stored = await createWorkflow(client, "half-edited", [email({ subject: "Old", body: "B" })]);
    const body = { workflowId: "half-edited", channels: { email: false } };
    await client("subscribers.updatePreferences", { params: { subscriberId: "eve" }, body });
    const edited = {
      name: "Edited",
      workflowId: "half-edited",
      steps: [email({ subject: "New", body: "B" }), inApp()],
    };
    const { recipients } = await dryRun({ workflow: edited, to: ["eve", "ada"] });
    assert.deepEqual(
      recipients.map(({ steps }) => steps.map(({ outcome }) => outcome)),
      [
        ["skipped", "sent"],
        ["sent", "sent"],
      ],
    );
    assert.equal(recipients[1]!.steps[0]!.messages[0]!.subject, "New");
    const { body: now } = await client("workflows.retrieve", { params: { workflowId: "half-edited" } });
    assert.deepEqual(now.updatedAt, stored.updatedAt);
    const told = await dryRun({ name: "half-edited" });
    assert.equal(told.recipients[0]!.steps[0]!.messages[0]!.subject, "Old", "the draft is in no cache");
  });

  test("is refused like a saved one", async () => {
    errorOf(await ask({}), "VALIDATION_ERROR");
    errorOf(await ask({ name: "half-edited", workflow: draft }), "VALIDATION_ERROR");
    const twice = { ...draft, steps: [inApp(), inApp()].map((one) => ({ ...one, stepId: "same" })) };
    const { errors } = errorOf(await ask({ workflow: twice }), "VALIDATION_ERROR");
    assert.deepEqual(Object.keys(errors as object), ["steps.1.stepId"]);
    const strict = { validatePayload: true, payloadSchema: { type: "object", required: ["x"] } };
    errorOf(await ask({ workflow: { ...draft, ...strict } }), "PAYLOAD_VALIDATION_ERROR");
    const inactive = await dryRun({ workflow: { ...draft, active: false } });
    assert.deepEqual([inactive.status, inactive.recipients], ["trigger_not_active", []]);
  });
});

describe("a past event", () => {
  test("names the layer that turned a channel off", async () => {
    const off = { channels: { email: { enabled: false } } };
    const cases: [string, object, object[], string][] = [
      ["by-workflow", { preferences: { workflow: off } }, [], "workflow by-workflow turns email off by default"],
      ["by-user", { preferences: { user: off } }, [], "email was turned off for workflow by-user in its preferences"],
      ["by-global", {}, [{ channels: { email: false } }], "subscriber turned email off for all workflows"],
      [
        "by-choice",
        {},
        [{ channels: { email: true } }, { workflowId: "by-choice", channels: { email: false } }],
        "subscriber turned email off for workflow by-choice",
      ],
    ];
    for (const [name, settings, choices, because] of cases) {
      await createWorkflow(client, name, both, settings);
      for (const body of choices) {
        await client("subscribers.updatePreferences", { params: { subscriberId: "bob" }, body: body as never });
      }
      const told = await dryRun({ name, to: "bob" });
      const answer = await explain(await sent({ name, to: "bob" }), "bob");
      assert.deepEqual([answer.reached, answer.evaluatedNow, answer.via.kind], [true, false, "direct"]);
      assert.equal(answer.verdict, `In-app message was sent; email was not sent: ${because}.`);
      assert.equal(told.recipients[0]!.verdict, `In-app message would be sent; email would not be sent: ${because}.`);
      const [feed, skipped] = answer.steps;
      assert.deepEqual([feed!.outcome, feed!.messages.length], ["sent", 1]);
      assert.deepEqual([skipped!.outcome, skipped!.messages], ["skipped", []]);
      assert.deepEqual(
        skipped!.details!.map(({ status }) => status),
        ["Pending", "Success"],
      );
      assert.equal(skipped!.at, skipped!.details!.at(-1)!.createdAt);
    }
  });

  test("shows what conditions read, and who has no address", async () => {
    const rule = { "==": [{ var: "payload.plan" }, "free"] };
    await createWorkflow(client, "picky", [
      email({ subject: "Hi", body: "Hello", skip: rule }),
      step("sms", { body: "Hello" }),
    ]);
    const answer = await explain(await sent({ name: "picky", payload: { plan: "free" } }));
    const [skipped, unaddressed] = answer.steps;
    assert.match(skipped!.reason, /: it is skipped when payload\.plan is "free", and it was "free"$/);
    assert.deepEqual(
      [skipped!.code, skipped!.decidedBy?.kind, unaddressed!.code, unaddressed!.decidedBy],
      ["skipped_by_condition", "condition", "no_phone", { kind: "subscriber", id: "ada" }],
    );
    assert.deepEqual(
      [unaddressed!.outcome, unaddressed!.reason, unaddressed!.messages[0]!.errorId],
      ["skipped", "SMS was not sent: subscriber has no phone number", "subscriber_missing_phone"],
    );
  });

  test("names the provider that a message waits for: its error, since when, and the next try", async () => {
    const credentials = { host: "127.0.0.1", port: "1", ignoreTls: true, from: "a@example.com" };
    const { body: shop } = await production("integrations.create", {
      body: { providerId: "nodemailer", channel: "email", name: "Shop SMTP", active: true, credentials },
    });
    await sql`
      insert into integration_health (environment_id, integration_id, state, failures, probes, opened_at, next_probe_at, updated_at)
      values (${shop._environmentId}, ${shop._id}, 'open', 5, 0, '2026-03-01T06:53:00Z', now() + interval '1 hour', now())`.execute(
      db,
    );
    await createWorkflow(production, "held", [email()]);
    const transactionId = await send(
      { name: "held", to: { subscriberId: "ada", email: "ada@example.com" } },
      production,
    );
    const step = await eventually(async () => {
      const [found] = (await explain(transactionId, "ada", production)).steps;
      return found?.outcome === "waiting" ? found : null;
    }, "the mail to wait");
    const next = step.until!;
    assert.equal(
      step.reason,
      `Email waits: Shop SMTP is not responding (since 2026-03-01T06:53:00.000Z). Next try ${next}`,
    );
    assert.deepEqual(
      [step.code, step.decidedBy],
      ["waiting_for_provider", { kind: "integration", id: shop._id, name: "Shop SMTP" }],
    );
    assert.deepEqual([step.details!.at(-1)!.detail, step.details!.at(-1)!.status], ["Step delayed", "Pending"]);
    const [listed] = (await production("activity.listEvents", { query: { transactionId } })).body.data;
    assert.equal(listed!.verdict, `${step.reason}.`);
    await sql`update integration_health set state = 'closed' where integration_id = ${shop._id}`.execute(db);
    const [repaired] = (await explain(transactionId, "ada", production)).steps;
    assert.equal(repaired!.reason, "Email waits: Shop SMTP is responding again");
    await production("integrations.delete", { params: { integrationId: shop._id! } });
    // What the integration held is released, and finds no other one.
    const isOver = async () => (await explain(transactionId, "ada", production)).steps[0]!.outcome === "failed";
    await eventually(isOver, "the mail to be given up");
  });

  test("lists every attempt of a message that no provider took", async () => {
    const credentials = { host: "127.0.0.1", port: String(mail.port), ignoreTls: true, from: "a@example.com" };
    const integration = { providerId: "nodemailer", channel: "email", identifier: "script", active: true } as const;
    await client("integrations.create", { body: { ...integration, credentials } });
    await createWorkflow(client, "doomed", [email()]);
    const overrides = { email: { integrationIdentifier: "script" } };
    const to = { subscriberId: "refused", email: "refused@example.com" };
    const answer = await explain(await sent({ name: "doomed", to, overrides }), "refused");
    const [failed] = answer.steps;
    const [message] = failed!.messages;
    assert.deepEqual([failed!.outcome, message!.status, message!.address], ["failed", "error", "refused@example.com"]);
    assert.match(failed!.reason, /^Email was not sent: the address was refused: .*550/);
    assert.deepEqual([failed!.code, failed!.decidedBy], ["recipient_refused", { kind: "subscriber", id: "refused" }]);
    const { detail, code, decidedBy } = failed!.details!.at(-1)!;
    assert.deepEqual([detail, code, decidedBy], ["Provider error", "recipient_refused", failed!.decidedBy]);
    assert.match(message!.errorText!, /550/);
    assert.equal(message!.attempts!.length, 1);
    const [attempt] = message!.attempts!;
    assert.deepEqual(
      [attempt!.number, attempt!.integrationIdentifier, attempt!.providerId],
      [1, "script", "nodemailer"],
    );
    assert.match(attempt!.outcome, /^rejected:/);
    assert.match(attempt!.reason!, /550/);
    assert.ok(attempt!.startedAt <= attempt!.finishedAt!);
    await client("integrations.delete", { params: { integrationId: "script" } });
  });

  test("a wait that cannot be read failed, or would fail", async () => {
    await createWorkflow(client, "unreadable", [step("delay", { type: "dynamic", dynamicKey: "payload.until" })]);
    const event = { name: "unreadable", payload: { until: "someday" } };
    const { steps } = await explain(await sent(event));
    assert.match(steps[0]!.reason, /^The delay step delay failed: /);
    const told = (await dryRun(event)).recipients[0]!;
    assert.match(told.steps[0]!.reason, /^The delay step delay would fail: /);
  });

  test("follows a merged notification to the digest that took it in, and shows what waits", async () => {
    const stage = await newStage(service, "2026-03-01T12:00:00.000Z");
    await createWorkflow(stage.client, "collect", [
      step("digest", { amount: 1, unit: "hours" }),
      inApp({ body: "{{ steps.digest.eventCount }}" }),
    ]);
    const first = await send({ name: "collect" }, stage.client);
    await stage.advance(1, "minutes");
    const told = await dryRun({ name: "collect" }, undefined, stage.client);
    const second = await send({ name: "collect" }, stage.client);
    await stage.advance(1, "minutes");
    const leads = await explain(first, "ada", stage.client);
    assert.deepEqual(
      leads.steps.map(({ outcome, until }) => [outcome, until]),
      [
        ["waiting", "2026-03-01T13:00:00.000Z"],
        ["pending", undefined],
      ],
    );
    assert.equal(leads.verdict, `Collecting until ${leads.steps[0]!.until}, then one in-app message.`);
    assert.equal(leads.steps[1]!.reason, 'In-app message: waiting for "digest"');
    const digest = { kind: "digest", id: "digest", name: "digest" };
    assert.deepEqual(
      leads.steps.map((step) => step.decidedBy),
      [digest, digest],
    );
    await stage.advance(2, "hours");

    const merged = await explain(second, "ada", stage.client);
    assert.deepEqual(
      merged.steps.map(({ outcome }) => outcome),
      ["merged", "merged"],
    );
    assert.equal(merged.digestedInto!.transactionId, first);
    assert.equal(merged.digestedInto!.verdict, "In-app message was sent.");
    assert.ok(merged.verdict.endsWith(`was merged into the digest of transaction ${first}.`), merged.verdict);
    assert.ok(told.recipients[0]!.verdict.endsWith(`would be merged into the digest of transaction ${first}.`));
    const led = await explain(first, "ada", stage.client);
    assert.equal(led.notificationId, merged.digestedInto!.notificationId);
    assert.equal(led.steps[1]!.messages[0]!.content, "2");
  });

  test("shows until when a schedule delays a message", async () => {
    const stage = await newStage(service, "2026-03-01T12:00:00.000Z");
    const schedule: Schedule = {
      isEnabled: true,
      weeklySchedule: { monday: { isEnabled: true, hours: [{ start: "09:00 AM", end: "05:00 PM" }] } },
    };
    const to = { subscriberId: "ada", email: "ada@example.com", timezone: "UTC" };
    await stage.client("subscribers.create", { body: to });
    await stage.client("subscribers.updatePreferences", { params: { subscriberId: "ada" }, body: { schedule } });
    await createWorkflow(stage.client, "held", [email()]);
    const transactionId = await send({ name: "held" }, stage.client);
    await stage.advance(1, "minutes");
    const [held] = (await explain(transactionId, "ada", stage.client)).steps;
    assert.deepEqual(
      [held!.outcome, held!.until, held!.reason],
      [
        "waiting",
        "2026-03-02T09:00:00.000Z",
        "Email waits until 2026-03-02T09:00:00.000Z: it is outside the subscriber's schedule",
      ],
    );
  });

  test("says what was sent to a subscriber that was deleted since, and created again", async () => {
    await client("subscribers.create", { body: { subscriberId: "gone" } });
    await createWorkflow(client, "farewell", [inApp()]);
    await client("topicSubscriptions.create", { params: { topicKey: "leavers" }, body: { subscriberIds: ["gone"] } });
    const named = await sent({ name: "farewell", to: "gone" });
    const byTopic = await sent({ name: "farewell", to: { type: "Topic", topicKey: "leavers" } });
    const ask = async () =>
      (await Promise.all([explain(named, "gone"), explain(byTopic, "gone")])).map(({ reached, via, verdict }) => [
        reached,
        via.kind,
        verdict,
      ]);
    const before = await ask();
    assert.deepEqual(before, [
      [true, "direct", "In-app message was sent."],
      [true, "topic", "In-app message was sent."],
    ]);
    await client("subscribers.delete", { params: { subscriberId: "gone" } });
    assert.deepEqual(await ask(), before);
    await client("subscribers.create", { body: { subscriberId: "gone" } });
    assert.deepEqual(await ask(), before);
    const { rows } = await sql<{ text: string }>`select d::text as text from deleted_subscribers d`.execute(db);
    assert.ok(
      rows.every(({ text }) => !text.includes("gone")),
      "the id itself is not kept",
    );
  });

  test("that is unknown is 404", async () => {
    await createWorkflow(client, "known", [inApp()]);
    const transactionId = await sent({ name: "known" });
    const ask = (query: Record<string, string>, from: Client = client) => from.raw("explain.retrieve", { query });
    errorOf(await ask({ transactionId: "none", subscriberId: "ada" }), "TRANSACTION_NOT_FOUND");
    errorOf(await ask({ transactionId, subscriberId: "ada" }, production), "TRANSACTION_NOT_FOUND");
    errorOf(await ask({ transactionId, subscriberId: "nobody" }), "SUBSCRIBER_NOT_FOUND");
    const { errors } = errorOf(await ask({ transactionId }), "VALIDATION_ERROR");
    assert.deepEqual(Object.keys(errors!), ["subscriberId"]);
    const other = await explain(transactionId, "bob");
    assert.deepEqual([other.reached, other.evaluatedNow, other.via.kind], [false, true, "not_addressed"]);
    assert.deepEqual(other.via.decidedBy, { kind: "event", id: other.transactionId });
  });
});

describe("a person an event did not reach", () => {
  const name = "announce";
  const to = [{ type: "Topic" as const, topicKey: "news", exclude: ["bob"] }];
  const event = { name, to, actor: "cleo", payload: { area: "south" } };
  const condition = { "==": [{ var: "payload.area" }, "north"] };
  const expected: Record<string, string> = {
    ada: "topic",
    bob: "excluded",
    cleo: "actor",
    dan: "topic_rule",
    eve: "other_context",
    fay: "not_member",
  };

  const subscribe = (subscriberId: string, more: object = {}) =>
    client("topicSubscriptions.create", {
      params: { topicKey: "news" },
      body: { subscriptions: [{ subscriberId, identifier: `news-${subscriberId}` }], ...more },
    });

  before(async () => {
    await createWorkflow(client, name, [inApp({ body: "News" })]);
    for (const subscriberId of ["ada", "bob", "cleo"]) await subscribe(subscriberId);
    await subscribe("dan", { preferences: [{ workflowId: name, enabled: true, condition }] });
    await subscribe("eve", { context: { tenant: "acme" } });
  });

  test("has a reason, before and after the change that caused it", async () => {
    const told = await dryRun(event);
    const kinds = [...told.recipients, ...told.notReached].map(({ subscriberId, via }) => [subscriberId, via.kind]);
    const { eve: _, fay: __, ...members } = expected;
    assert.deepEqual(Object.fromEntries(kinds), members);
    assert.deepEqual([told.recipients.length, told.audienceCount, told.truncated], [1, 4, false]);

    const transactionId = await sent(event);
    for (const [subscriberId, kind] of Object.entries(expected)) {
      const answer = await explain(transactionId, subscriberId);
      assert.deepEqual([answer.via.kind, answer.reached], [kind, kind === "topic"], answer.verdict);
      assert.equal(answer.evaluatedNow, !answer.reached);
    }
    const { via, verdict } = await explain(transactionId, "dan");
    assert.deepEqual(via.topics![0]!.subscription, "news-dan");
    const [{ topicKey, subscription }] = via.topics as [NonNullable<typeof via.topics>[number]];
    assert.deepEqual(via.decidedBy, { kind: "topic", id: topicKey, name: subscription });
    assert.deepEqual(via.topics![0]!.rule!.condition, condition);
    assert.match(
      verdict,
      /^Nothing was sent: subscription news-dan to topic news says no: it lets events through only when .*\.$/,
    );
    assert.deepEqual((await explain(transactionId, "ada")).via.topics, [
      { topicKey: "news", subscription: "news-ada" },
    ]);

    await subscribe("fay");
    const later = await explain(transactionId, "fay");
    assert.deepEqual([later.via.kind, later.reached], ["changed_since", false]);
    assert.match(later.via.text, /its subscription was created after the event$/);
  });

  test("only the first of many are looked at", async () => {
    const told = await dryRun({ ...event, to: [...to, "zoe", "yan"] }, 1);
    assert.equal(told.truncated, true);
    assert.deepEqual(
      told.recipients.map(({ subscriberId, isNew, via }) => [subscriberId, isNew, via.kind]),
      [
        ["zoe", true, "direct"],
        ["ada", false, "topic"],
      ],
    );
  });
});

describe("a dry-run", () => {
  test("shows the messages, their providers and addresses, and what comes when", async () => {
    const stage = await newStage(service, "2026-03-01T12:00:00.000Z");
    await createWorkflow(stage.client, "welcome", [
      inApp({ subject: "Hi", body: "{{ context.tenant.data.plan }} for {{ subscriber.firstName }}" }),
      step("delay", { type: "regular", amount: 2, unit: "days" }),
      email({ subject: "Still there, {{ subscriber.firstName }}?", body: "<p>Hello</p>", editorType: "html" }),
      step("chat", { body: "Hello" }),
    ]);
    const webhookUrl = "https://hooks.example/secret-path";
    const to = {
      subscriberId: "new",
      firstName: "Nia",
      email: "nia@example.com",
      channels: [{ providerId: "svc-slack", credentials: { webhookUrl } }],
    };
    const context = { tenant: { id: "acme", data: { plan: "gold" } } };
    const { body } = await stage.client("explain.dryRun", { body: { name: "welcome", to, context } });
    assert.ok(!JSON.stringify(body).includes("secret-path"));
    const [nia] = body.recipients;
    assert.deepEqual([nia!.subscriberId, nia!.isNew, nia!.reached], ["new", true, true]);
    assert.deepEqual(
      nia!.steps.map(({ outcome, at }) => [outcome, at]),
      [
        ["sent", "2026-03-01T12:00:00.000Z"],
        ["done", "2026-03-03T12:00:00.000Z"],
        ["sent", "2026-03-03T12:00:00.000Z"],
        ["sent", "2026-03-03T12:00:00.000Z"],
      ],
    );
    assert.equal(nia!.steps[0]!.messages[0]!.content, "gold for Nia");
    const [mailed] = nia!.steps[2]!.messages;
    assert.deepEqual(
      [mailed!.providerId, mailed!.integrationIdentifier, mailed!.address, mailed!.subject],
      ["svc-email", "svc-email-default", "nia@example.com", "Still there, Nia?"],
    );
    assert.equal(nia!.steps[3]!.messages[0]!.address, "https://hooks.example/…");
  });

  test("evaluates an event as the trigger does", async () => {
    await createWorkflow(client, "off", [inApp()], { active: false });
    await createWorkflow(client, "strict", [inApp()], {
      payloadSchema: { type: "object", required: ["n"] },
      validatePayload: true,
    });
    const refuse = (body: object) => client.raw("explain.dryRun", { body });
    errorOf(await refuse({ name: "none", to: "ada" }), "WORKFLOW_NOT_FOUND");
    errorOf(await refuse({ name: "strict", to: "ada" }), "PAYLOAD_VALIDATION_ERROR");
    assert.deepEqual(Object.keys(errorOf(await refuse({ name: "strict" }), "VALIDATION_ERROR").errors!), ["to"]);
    const off = await dryRun({ name: "off" });
    assert.deepEqual(
      [off.status, off.recipients, off.error],
      ["trigger_not_active", [], ["Workflow off is not active"]],
    );
    const mixed = await dryRun({ name: "strict", payload: { n: 1 }, to: ["ada", "no good id!"] });
    assert.deepEqual([mixed.status, mixed.recipients.length, mixed.error!.length], ["processed", 1, 1]);
    await sent({ name: "strict", payload: { n: 1 }, transactionId: "taken" });
    const again = await dryRun({ name: "strict", payload: { n: 1 }, transactionId: "taken" });
    assert.deepEqual([again.status, again.recipients], ["processed", []]);
    assert.match(again.note!, /accepted before/);
  });

  test("writes nothing, in a read-only transaction", async () => {
    await createWorkflow(production, "greedy", [
      step("throttle", { type: "fixed", amount: 1, unit: "hours", threshold: 1 }),
      step("digest", { amount: 1, unit: "hours", lookBackWindow: { amount: 1, unit: "hours" } }, "first"),
      step("digest", { amount: 1, unit: "hours" }, "second"),
      ...both,
      step("sms", { body: "Hi" }),
    ]);
    const event = {
      name: "greedy",
      to: [
        { subscriberId: "brand-new", email: "new@example.com", phone: "+491" },
        { type: "Topic", topicKey: "none" },
      ],
      actor: { subscriberId: "another", firstName: "Ann" },
      context: { tenant: "fresh" },
      tenant: { identifier: "globex", name: "Globex" },
      transactionId: "never",
    } as const;
    let earlier = await fingerprint();
    await eventually(async () => {
      const last = earlier;
      earlier = await fingerprint();
      const { rows } = await sql`select 1 from queue.job where state in ('created', 'retry', 'active')
        and start_after < now() + interval '3 seconds'`.execute(db);
      return rows.length === 0 && isDeepStrictEqual(last, earlier);
    }, "the pipeline to come to rest");
    const told = await dryRun(event as never, undefined, production);
    assert.deepEqual(await fingerprint(), earlier);
    assert.deepEqual(
      told.recipients[0]!.steps.map(({ outcome }) => outcome),
      ["done", "skipped", "done", "sent", "failed", "failed"],
      "production has no providers yet",
    );
    await assert.rejects(
      inReadOnlyTransaction(db, (tx) => sql`delete from subscribers where false`.execute(tx)),
      /read-only transaction/,
    );
  });

  /** How many rows each table has, those of the queue included, and what was ever written to them. */
  async function fingerprint(): Promise<Record<string, unknown>> {
    const { rows: tables } = await sql<{ name: string }>`
      select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema') order by 1`.execute(db);
    const counts: Record<string, unknown> = {};
    for (const { name } of tables) {
      // Workers note in these that they are alive.
      if (/^queue\.(version|schedule|queue|subscription|warning|bam)$/.test(name)) continue;
      const { rows } = await sql`select count(*), md5(string_agg(t::text, '|' order by t::text)) as all
        from ${sql.raw(name)} t`.execute(db);
      counts[name] = rows[0];
    }
    return counts;
  }
});

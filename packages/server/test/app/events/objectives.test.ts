// Objectives of a workflow over HTTP: stored with the workflow wherever its settings go, and measured.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startMailServer } from "@tidings/testkit/mail/smtp";
import { faultsOf } from "@tidings/testkit/refusals";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp, settled, trigger } from "@tidings/testkit/verbs";
import { newId, timeOfId } from "../../../src/lib/ids.ts";
import { countHour } from "../../../src/store/installation/statistics.ts";

const mail = await startMailServer();
const { client, production, db } = await startTestService();
const hourMs = 3_600_000;
const objectives = { handedOver: { percent: 99, withinSeconds: 10 as const }, delivered: { percent: 98 } };

const statesOf = async (workflowId: string, query: object = {}) =>
  (await client("workflows.retrieveObjectives", { params: { workflowId }, query })).body;

type Hour = {
  hoursAgo: number;
  channel?: "email" | "in_app";
  provider?: string;
  sent?: number;
  delivered?: number;
  failed?: number;
  unaccepted?: number | null;
  late?: number;
};

/** Counted hours of a workflow: `late` of the accepted messages took 40 s, the others 2 s. */
async function addHours(workflow: { _id: string }, hours: Hour[]) {
  const { environment_id } = await db
    .selectFrom("workflows")
    .where("id", "=", workflow._id)
    .select("environment_id")
    .executeTakeFirstOrThrow();
  const current = Math.floor(Date.now() / hourMs) * hourMs;
  await db
    .insertInto("statistics_hours")
    .values(
      hours.map(({ hoursAgo, channel = "email", provider = "resend", ...figures }) => {
        const { sent = 0, delivered = 0, failed = 0, unaccepted = 0, late = 0 } = figures;
        const accepted = channel === "in_app" ? 0 : sent + failed - (unaccepted ?? failed);
        return {
          environment_id,
          workflow_id: workflow._id,
          hour: new Date(current - hoursAgo * hourMs),
          channel,
          provider_id: provider,
          reason: "",
          ...{ sent, delivered, failed, unaccepted },
          ...{ opened: 0, refused: failed, skipped: 0, failed_attempts: 0 },
          latency: [0, 0, 0, 0, accepted - late, 0, 0, 0, late, 0, 0],
        };
      }),
    )
    .execute();
}

test("are stored with the workflow, its versions, files and copies, and are published", async () => {
  const workflowId = "kept-objectives";
  const params = { workflowId };
  const created = await createWorkflow(client, workflowId, [email()], { objectives });
  assert.deepEqual(created.objectives, objectives);
  assert.deepEqual((await createWorkflow(client, "without", [inApp()])).objectives, {});
  const removed = await client("workflows.patch", { params, body: { objectives: {} } });
  assert.deepEqual(removed.body.objectives, {});
  const renamed = await client("workflows.patch", { params, body: { name: "Renamed" } });
  assert.deepEqual(renamed.body.objectives, {});
  const { data: versions } = (await client("workflows.listVersions", { params, query: {} })).body;
  assert.match(versions[1]!.summary, /objectives/);
  const between = { ...params, fromVersionId: "1", toVersionId: "2" };
  const { settings } = (await client("workflows.diffVersions", { params: between })).body;
  assert.deepEqual(settings, [{ field: "objectives", before: objectives, after: {} }]);
  const restored = await client("workflows.restoreVersion", { params: { ...params, versionId: "1" } });
  assert.deepEqual(restored.body.objectives, objectives);
  const version = (await client("workflows.retrieveVersion", { params: { ...params, versionId: "1" } })).body;
  assert.deepEqual(version.workflow.objectives, objectives);
  assert.deepEqual((await client("workflows.duplicate", { params, body: {} })).body.objectives, objectives);

  const { resources, fingerprint } = (await client("files.export")).body;
  const file = resources.workflows!.find((one) => one.workflowId === workflowId)!;
  assert.deepEqual(file.objectives, objectives);
  const body = { resources: { workflows: [{ ...file, objectives: { delivered: { percent: 95 } } }] } };
  const plan = (await client("files.plan", { body })).body;
  assert.deepEqual(plan.changes[0]!.sentences, ["Its objective becomes: 95 % delivered"]);
  await client("files.apply", { body: { ...body, expectedFingerprint: fingerprint } });
  const applied = (await client("workflows.retrieve", { params, query: {} })).body;
  assert.deepEqual(applied.objectives, { delivered: { percent: 95 } });

  const target = (await client("environments.list")).body.find(({ type }) => type === "prod")!._id;
  await production("environments.publish", { params: { targetEnvironmentId: target }, body: {} });
  const published = (await production("workflows.retrieve", { params, query: {} })).body;
  assert.deepEqual(published.objectives, { delivered: { percent: 95 } });
});

test("that cannot be measured are refused, with the field and what it may be", async () => {
  const workflowId = "refused-objectives";
  const { versionId } = await createWorkflow(client, workflowId, [email()]);
  for (const [given, field] of [
    [{ handedOver: { percent: 99 } }, "objectives.handedOver.withinSeconds"],
    [{ handedOver: { percent: 99, withinSeconds: 7 } }, "objectives.handedOver.withinSeconds"],
    [{ handedOver: { percent: 99, withinSeconds: "10" } }, "objectives.handedOver.withinSeconds"],
    [{ delivered: { percent: 49.9 } }, "objectives.delivered.percent"],
    [{ delivered: { percent: 100 } }, "objectives.delivered.percent"],
    [{ delivered: { percent: 99.999 } }, "objectives.delivered.percent"],
    [{ delivered: { percent: "98" } }, "objectives.delivered.percent"],
    [{ delivered: 98 }, "objectives.delivered"],
    [{ opened: { percent: 98 } }, "objectives.opened"],
    [null, "objectives"],
    ["99 %", "objectives"],
  ] as const) {
    const faults = await faultsOf(client, "workflows.patch", { params: { workflowId }, body: { objectives: given } });
    assert.deepEqual(Object.keys(faults), [field]);
  }
  const current = (await client("workflows.retrieve", { params: { workflowId }, query: {} })).body;
  assert.equal(current.versionId, versionId);
  for (const days of ["0", "91", "x"]) {
    const answer = await client.raw("workflows.retrieveObjectives", { params: { workflowId }, query: { days } });
    assert.equal(answer.status, 422);
  }
  for (const [caller, id] of [
    [client, "unknown"],
    [client, newId()],
    [production, workflowId],
  ] as const) {
    const answer = await caller.raw("workflows.retrieveObjectives", { params: { workflowId: id } });
    assert.equal(answer.status, 404);
  }
  assert.deepEqual((await statesOf(workflowId)).objectives, []);
});

test("are measured from counted hours: share, budget, burn and what is left out", async () => {
  const workflow = await createWorkflow(client, "measured", [email()], { objectives });
  await addHours(workflow, [
    // Long ago: a report that has not arrived will not.
    { hoursAgo: 500, sent: 990, delivered: 980, failed: 10, unaccepted: 4, late: 6 },
    // Yesterday's reports may still arrive.
    { hoursAgo: 20, sent: 990, delivered: 500, failed: 10, unaccepted: 10 },
    { hoursAgo: 4, sent: 400, delivered: 400, late: 100 },
    // Counted by an older version: failures are taken for messages that no provider accepted.
    { hoursAgo: 30, provider: "sendgrid", sent: 95, failed: 5, unaccepted: null },
    { hoursAgo: 300, provider: "svc-email", sent: 70 },
    { hoursAgo: 300, channel: "in_app", provider: "svc", sent: 100, delivered: 100 },
    { hoursAgo: 31 * 24, sent: 5_000, failed: 5_000 },
  ]);
  const { objectives: states, days } = await statesOf("measured");
  assert.equal(days, 30);
  const [handedOver, delivered] = states;
  assert.deepEqual(
    [handedOver!.good, handedOver!.bad, handedOver!.measuredPercent, handedOver!.budgetLeft],
    // 2,500 messages, of which 25 may be late: 106 were, and 19 were never accepted.
    [2_375, 125, 95, -4],
  );
  assert.equal(handedOver!.usedUpInDays, null);
  assert.deepEqual(
    handedOver!.windows.map(({ hours, good, bad, burnRate }) => [hours, good, bad, burnRate]),
    [
      [1, 0, 0, null],
      [6, 300, 100, 25],
      [24, 1_290, 110, 7.86],
    ],
  );
  assert.deepEqual(
    handedOver!.leftOut.toSorted((a, b) => a.messages - b.messages),
    [
      { channel: "email", providerId: "svc-email", messages: 70, reason: "captured" },
      { channel: "in_app", providerId: "svc", messages: 100, reason: "no_provider" },
    ],
  );
  assert.deepEqual(
    [delivered!.good, delivered!.bad, delivered!.withinSeconds],
    // Among those 500 hours ago, 10 failed and 10 were never reported.
    [980 + 500 + 400 + 100, 20 + 10, undefined],
  );
  assert.ok(
    delivered!.leftOut.some(
      ({ providerId, reason, messages }) =>
        providerId === "sendgrid" && reason === "no_delivery_reports" && messages === 100,
    ),
  );
  assert.equal(delivered!.series.length, 31);
  for (const { good, bad, series } of states) {
    const sums = series.reduce((sum, day) => ({ good: sum.good + day.good, bad: sum.bad + day.bad }), {
      good: 0,
      bad: 0,
    });
    assert.deepEqual(sums, { good, bad });
  }
  const [week] = (await statesOf("measured", { days: 7 })).objectives;
  assert.deepEqual([week!.good, week!.bad, week!.series.length], [1_385, 115, 8]);
});

test("the latest messages are read from their rows, and are the same when their hour is counted", async () => {
  const { port, user, password } = mail;
  const credentials = { host: "127.0.0.1", port: String(port), user, password, from: "a@example.com", senderName: "A" };
  const body = { providerId: "nodemailer" as const, channel: "email" as const, active: true, credentials };
  const { _id = "" } = (await client("integrations.create", { body })).body;
  await client("integrations.setPrimary", { params: { integrationId: _id } });
  // Its text is valid, and its rendering fails for a payload that repeats it too often.
  const failing = email({
    subject: "Hi",
    body: "{% for i in (1..payload.n) %}{% for j in (1..payload.n) %}x{% endfor %}{% endfor %}",
  });
  const workflow = await createWorkflow(client, "sent-now", [inApp(), failing], { objectives });
  const to = { subscriberId: "ada", email: "ada@example.com" };
  for (const n of [1, 1_000_000]) await settled(client, await trigger(client, "sent-now", to, { n }));
  assert.equal(mail.received.length, 1);
  const countsOf = async () =>
    (await statesOf("sent-now")).objectives.map(({ kind, good, bad, windows: [hour] }) => [
      ...[kind, good, bad],
      ...[hour!.good, hour!.bad],
    ]);
  // SMTP reports no deliveries: in-app messages alone are measured.
  const expected = [
    ["handedOver", 1, 1, 1, 1],
    ["delivered", 2, 0, 2, 0],
  ];
  assert.deepEqual(await countsOf(), expected);
  const rows = await db.selectFrom("messages").where("workflow_id", "=", workflow._id).select("id").execute();
  for (const hour of new Set(rows.map(({ id }) => Math.floor(timeOfId(id) / hourMs) * hourMs))) {
    await countHour(db, new Date(hour), false, new Date());
  }
  const counted = await db
    .selectFrom("statistics_hours")
    .where("workflow_id", "=", workflow._id)
    .where("channel", "=", "email")
    .select(["failed", "unaccepted", "latency"])
    .execute();
  const sumOf = (numbers: (number | null)[]) => numbers.reduce<number>((sum, number) => sum + (number ?? 0), 0);
  assert.deepEqual(
    [counted.map((row) => row.failed), counted.map((row) => row.unaccepted), counted.flatMap((row) => row.latency)].map(
      sumOf,
    ),
    [1, 1, 1],
  );
  assert.deepEqual(await countsOf(), expected, "each message counts once");
});

// How often a subscriber wants a digest: when the window of each choice closes, what a change does to an open one, and
// what is said about it. On a test clock.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { DigestFrequency, StepIn } from "@tidings/contract";
import { newStage, type Stage, storyOf, transcriptOf } from "@tidings/testkit/clock";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, inApp, notificationsOf, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";

const service = await shareService();

const tenMinutes = { type: "regular", amount: 10, unit: "minutes" };
const digest = (controlValues: object): StepIn => ({
  name: "Digest",
  stepId: "digest",
  type: "digest",
  controlValues: { allowFrequencyChoice: true, ...controlValues },
});
const report = inApp({
  body: "{{ steps.digest.eventCount }}:{% for e in steps.digest.events %}{{ e.payload.n }},{% endfor %}",
});

const choose = ({ client }: Stage, subscriberId: string, body: object) =>
  client("subscribers.updatePreferences", { params: { subscriberId }, body: body as never });

/** The digest step of the event's only run, once it waits or has ended. */
async function digestJob({ client }: Stage, transactionId: string) {
  return eventually(async () => {
    const job = (await notificationsOf(client, transactionId))[0]?.jobs?.[0];
    return job && !["pending", "queued", "running"].includes(job.status) ? job : null;
  }, "the digest to start");
}

async function dueOf(stage: Stage, transactionId: string): Promise<string> {
  const { executionDetails } = await digestJob(stage, transactionId);
  return JSON.parse(executionDetails.find(({ detail }) => detail === "Step digested")!.raw!).until;
}

const reasons = async ({ client }: Stage, transactionId: string, subscriberId: string) =>
  (await client("explain.retrieve", { query: { transactionId, subscriberId } })).body.steps!.map(
    ({ reason }) => reason,
  );

test("the window of each choice, in the subscriber's time zone and on the days on which clocks change", async () => {
  const timed = (cron: string) => ({ type: "timed", cron });
  type Row = [now: string, zone: string, frequency: DigestFrequency | null, step: object, due: string];
  const table: Row[] = [
    // A Wednesday.
    ["2026-03-04T10:20:00Z", "Europe/Berlin", null, tenMinutes, "2026-03-04T10:30:00Z"],
    ["2026-03-04T10:20:00Z", "Europe/Berlin", "hourly", tenMinutes, "2026-03-04T11:00:00Z"],
    ["2026-03-04T10:20:00Z", "Asia/Kolkata", "hourly", tenMinutes, "2026-03-04T10:30:00Z"],
    ["2026-03-04T10:20:00Z", "Europe/Berlin", "daily", tenMinutes, "2026-03-05T08:00:00Z"],
    ["2026-03-04T10:20:00Z", "America/New_York", "daily", tenMinutes, "2026-03-04T14:00:00Z"],
    ["2026-03-04T10:20:00Z", "Europe/Berlin", "weekly", tenMinutes, "2026-03-09T08:00:00Z"],
    // A step with its own time, its own weekday, both, or several times a day.
    ["2026-03-04T10:20:00Z", "Europe/Berlin", "daily", timed("30 17 * * 5"), "2026-03-04T16:30:00Z"],
    ["2026-03-04T10:20:00Z", "Europe/Berlin", "weekly", timed("30 17 * * 5"), "2026-03-06T16:30:00Z"],
    ["2026-03-04T10:20:00Z", "Europe/Berlin", "weekly", timed("15 7 1 * *"), "2026-03-09T06:15:00Z"],
    ["2026-03-04T10:20:00Z", "Europe/Berlin", "daily", timed("0 */2 * * *"), "2026-03-05T08:00:00Z"],
    // The first event of a look-back window waits too.
    [
      "2026-03-04T10:20:00Z",
      "UTC",
      "daily",
      { ...tenMinutes, lookBackWindow: { amount: 1, unit: "hours" } },
      "2026-03-05T09:00:00Z",
    ],
    ["2026-03-04T11:00:00Z", "UTC", "hourly", tenMinutes, "2026-03-04T12:00:00Z"],
    // Clocks go forward in Berlin on 29 March, from 2 to 3.
    ["2026-03-28T12:00:00Z", "Europe/Berlin", "daily", tenMinutes, "2026-03-29T07:00:00Z"],
    ["2026-03-28T12:00:00Z", "Europe/Berlin", "daily", timed("30 2 * * *"), "2026-03-29T01:00:00Z"],
    ["2026-03-29T00:30:00Z", "Europe/Berlin", "hourly", tenMinutes, "2026-03-29T01:00:00Z"],
    // They go back on 25 October, from 3 to 2: the hour that repeats ends twice.
    ["2026-10-25T00:15:00Z", "Europe/Berlin", "hourly", tenMinutes, "2026-10-25T01:00:00Z"],
    ["2026-10-25T01:15:00Z", "Europe/Berlin", "hourly", tenMinutes, "2026-10-25T02:00:00Z"],
    ["2026-10-25T01:15:00Z", "Europe/Berlin", "daily", tenMinutes, "2026-10-25T08:00:00Z"],
  ];
  const stage = await newStage(service, "2026-03-01T00:00:00.000Z");
  const times = [...new Set(table.map(([now]) => now))].toSorted();
  for (const now of times) {
    await stage.moveTo(now);
    await Promise.all(
      table.map(async (row, index) => {
        if (row[0] !== now) return;
        const [, timezone, digestFrequency, step, due] = row;
        const [name, subscriberId] = [`w${index}`, `p${index}`];
        await createWorkflow(stage.client, name, [digest(step), report]);
        await stage.client("subscribers.create", { body: { subscriberId, timezone } });
        if (digestFrequency) await choose(stage, subscriberId, { workflowId: name, digestFrequency });
        const transactionId = await trigger(stage.client, name, subscriberId);
        assert.equal(Date.parse(await dueOf(stage, transactionId)), Date.parse(due), JSON.stringify(row));
      }),
    );
  }
});

test("a change counts for new windows, and an open one closes as it was", async () => {
  const stage = await newStage(service, "2026-03-04T10:00:00.000Z");
  await createWorkflow(stage.client, "news", [digest(tenMinutes), report]);
  await stage.client("subscribers.create", { body: { subscriberId: "ada", firstName: "Ada", timezone: "UTC" } });
  const send = (n: number) => trigger(stage.client, "news", "ada", { n });
  const set = (digestFrequency: string | null) => choose(stage, "ada", { workflowId: "news", digestFrequency });

  await set("daily");
  const first = await send(1);
  assert.equal(await dueOf(stage, first), "2026-03-05T09:00:00.000Z");
  const own = "Ada chose a daily digest; the step's own window is 10 minutes";
  assert.equal(
    (await reasons(stage, first, "ada"))[0],
    `Collecting until 2026-03-05T09:00:00.000Z, then one in-app message. ${own}`,
  );
  await set("hourly");
  assert.equal((await digestJob(stage, await send(2))).status, "merged");
  await set("instant");
  const alone = await digestJob(stage, await send(3));
  assert.equal(alone.status, "skipped");
  await stage.moveTo("2026-03-05T09:00:00.000Z");
  assert.equal((await reasons(stage, first, "ada"))[0], `The digest step digest ended: it sent 2 events on. ${own}`);

  await set("hourly");
  assert.equal(await dueOf(stage, await send(4)), "2026-03-05T10:00:00.000Z");
  await set(null);
  await stage.moveTo("2026-03-05T10:00:00.000Z");
  assert.equal(await dueOf(stage, await send(5)), "2026-03-05T10:10:00.000Z");
  await stage.advance(1, "hours");
  assert.deepEqual(await transcriptOf(stage), [
    "2026-03-04T10:00:00.000Z | ada | in_app |  | 1:3, | sent",
    "2026-03-05T09:00:00.000Z | ada | in_app |  | 2:1,2, | sent",
    "2026-03-05T10:00:00.000Z | ada | in_app |  | 1:4, | sent",
    "2026-03-05T10:10:00.000Z | ada | in_app |  | 1:5, | sent",
  ]);
});

test("at once: the event passes alone, in the same shape, and the choice is named", async () => {
  const stage = await newStage(service, "2026-03-04T10:00:00.000Z");
  const second = { ...digest({ type: "timed", cron: "0 8 * * *" }), name: "Second", stepId: "second" };
  await createWorkflow(stage.client, "news", [digest(tenMinutes), second, report]);
  await stage.client("subscribers.create", { body: { subscriberId: "ada", firstName: "Ada" } });
  await choose(stage, "ada", { workflowId: "news", digestFrequency: "instant" });
  const event = { name: "news", to: "ada", payload: { n: 7 } };
  const { body: dryRun } = await stage.client("explain.dryRun", { body: event as never });
  const chose = "Ada chose to be notified at once; the step's own window";
  assert.deepEqual(
    dryRun.recipients[0]!.steps.slice(0, 2).map(({ reason }) => reason),
    [
      `The digest step digest would be skipped: ${chose} is 10 minutes`,
      `The digest step second would be skipped: ${chose} ends at the cron expression 0 8 * * *`,
    ],
  );
  assert.equal(dryRun.recipients[0]!.steps[0]!.decidedBy?.kind, "preference");
  const transactionId = await trigger(stage.client, "news", "ada", { n: 7 });
  await stage.advance(1, "seconds");
  const [run] = await notificationsOf(stage.client, transactionId);
  assert.ok(storyOf(run!).some((line) => line.endsWith("the subscriber chose to be notified at once")));
  assert.equal((await transcriptOf(stage))[0], "2026-03-04T10:00:00.000Z | ada | in_app |  | 1:7, | sent");
  assert.equal(
    (await reasons(stage, transactionId, "ada"))[0],
    `The digest step digest was skipped: ${chose} is 10 minutes`,
  );
});

test("a choice counts only where the step offers it, the workflow is not critical, and the contexts are the same", async () => {
  const stage = await newStage(service, "2026-03-04T10:00:00.000Z");
  const { client } = stage;
  const own = "2026-03-04T10:10:00.000Z";
  const due = async (context?: object) => {
    const body = { name: "news", to: "ada", payload: {}, ...(context && { context }) };
    const { transactionId } = (await client("events.trigger", { body: body as never })).body;
    return dueOf(stage, transactionId!);
  };
  await createWorkflow(client, "news", [digest(tenMinutes), report]);
  await client("subscribers.create", { body: { subscriberId: "ada", timezone: "UTC" } });
  await choose(stage, "ada", { workflowId: "news", digestFrequency: "daily", context: { tenant: "acme" } });
  assert.equal(await due({ tenant: "acme" }), "2026-03-05T09:00:00.000Z");
  assert.equal(await due({ tenant: "other" }), own);
  assert.equal(await due(), own);

  await choose(stage, "ada", { workflowId: "news", digestFrequency: "weekly" });
  const saved = async (steps: StepIn[], more: object = {}) => {
    await stage.advance(10, "days");
    const params = { workflowId: "news" };
    const { origin, preferences } = (await client("workflows.retrieve", { params })).body;
    const body = { name: "news", workflowId: "news", active: true, origin, preferences, steps, ...more };
    await client("workflows.update", { params, body: body as never });
    return Date.parse(await due()) - Date.parse((await stage.advance(1, "seconds")).now!) + 1_000;
  };
  const tenMinutesLong = 600_000;
  assert.ok((await saved([digest(tenMinutes), report])) > tenMinutesLong, "the choice without context");
  assert.equal(await saved([digest({ ...tenMinutes, frequencies: ["instant", "daily"] }), report]), tenMinutesLong);
  assert.equal(await saved([digest({ ...tenMinutes, allowFrequencyChoice: false }), report]), tenMinutesLong);
  const critical = { preferences: { user: { all: { enabled: true, readOnly: true } } } };
  assert.equal(await saved([digest(tenMinutes), report], critical), tenMinutesLong);
});

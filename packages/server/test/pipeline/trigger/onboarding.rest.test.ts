// What a team would do to test its own workflows: a test clock, and months of notifications in seconds.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { StepIn, TimeUnit } from "@tidings/contract";
import { newStage, type Stage, storyOf, transcriptOf } from "@tidings/testkit/clock";
import { startScriptedMail } from "@tidings/testkit/mail/scripted-mail";
import { shareService } from "@tidings/testkit/service";
import {
  createWorkflow,
  detailsOf,
  email,
  feedOf,
  inApp,
  messagesOf,
  notificationsOf,
  trigger,
} from "@tidings/testkit/verbs";

const mail = await startScriptedMail((_address, times) => (times < 2 ? 451 : null));
const service = await shareService();

const monday = "2026-03-02T09:00:00.000Z";

const wait = (amount: number, unit: TimeUnit): StepIn => ({
  name: `Wait ${amount} ${unit}`,
  type: "delay",
  controlValues: { type: "regular", amount, unit },
});
const digest = (stepId: string, amount: number, unit: TimeUnit): StepIn => ({
  name: stepId,
  stepId,
  type: "digest",
  controlValues: { type: "regular", amount, unit },
});
const letter = (day: number): StepIn =>
  email({ subject: `Day ${day}`, body: "<p>Dear {{ subscriber.firstName }}</p>" });

async function onboard(stage: Stage): Promise<void> {
  await createWorkflow(stage.client, "onboarding", [
    letter(0),
    wait(1, "days"),
    inApp({ body: "Day 1, {{ payload.plan }}" }),
    wait(2, "days"),
    letter(3),
    wait(4, "days"),
    inApp({ body: "Day 7" }),
    wait(1, "weeks"),
    letter(14),
    wait(16, "days"),
    letter(30),
  ]);
  for (const subscriberId of ["ada", "bob", "cleo"]) {
    const to = { subscriberId, firstName: subscriberId, email: `${subscriberId}@example.com` };
    await trigger(stage.client, "onboarding", to, { plan: "pro" });
    await stage.advance(1, "hours");
  }
  await stage.advance(30, "days");
}

test("a month of onboarding takes seconds, happens in order, and is the same every time", async (context) => {
  const transcripts: string[][] = [];
  for (const _ of ["once", "again"]) {
    const stage = await newStage(service, monday);
    const started = performance.now();
    await onboard(stage);
    context.diagnostic(`30 days took ${((performance.now() - started) / 1000).toFixed(2)} s`);
    transcripts.push(await transcriptOf(stage));
  }
  const [first, second] = transcripts;
  assert.deepEqual(first, second);
  assert.equal(first!.length, 18);
  const ofAda = first!.filter((line) => line.includes("| ada |")).map((line) => line.split(" | "));
  assert.deepEqual(
    ofAda.map(([at, , channel, subject, content]) => [at, channel, subject || content]),
    [
      ["2026-03-02T09:00:00.000Z", "email", "Day 0"],
      ["2026-03-03T09:00:00.000Z", "in_app", "Day 1, pro"],
      ["2026-03-05T09:00:00.000Z", "email", "Day 3"],
      ["2026-03-09T09:00:00.000Z", "in_app", "Day 7"],
      ["2026-03-16T09:00:00.000Z", "email", "Day 14"],
      ["2026-04-01T09:00:00.000Z", "email", "Day 30"],
    ],
  );
  const times = first!.map((line) => line.split(" | ")[0]!);
  assert.deepEqual(times, [...times].sort(), "in order of time");
});

test("every record of a run has the time of the clock", async () => {
  const stage = await newStage(service, monday);
  const { client } = stage;
  await createWorkflow(client, "timed", [wait(3, "days"), letter(3)]);
  const transactionId = await trigger(client, "timed", { subscriberId: "ada", email: "ada@example.com" });
  await stage.advance(1, "weeks");
  const [notification] = await notificationsOf(client, transactionId);
  assert.equal(notification!.createdAt, monday);
  const story = storyOf(notification!);
  assert.ok(story.includes("2026-03-02T09:00:00.000Z delay: Step delayed"), story.join("\n"));
  assert.ok(story.includes("2026-03-05T09:00:00.000Z delay: Delay finished"), story.join("\n"));
  assert.ok(story.includes("2026-03-05T09:00:00.000Z email: Message sent"), story.join("\n"));
  assert.deepEqual(new Set(story.map((line) => line.slice(0, 10))), new Set(["2026-03-02", "2026-03-05"]));
  const captured = (await client("captured.list", { query: { transactionId } })).body.data;
  assert.deepEqual(
    captured.map((one) => one.createdAt),
    ["2026-03-05T09:00:00.000Z"],
  );
});

test("a digest of digests: 8 events, 2 in-app digests, 1 email with all 8", async () => {
  const stage = await newStage(service, monday);
  const { client } = stage;
  const items = (stepId: string) => `{% for e in steps.${stepId}.events %}{{ e.payload.n }} {% endfor %}`;
  await createWorkflow(client, "news", [
    digest("minute", 1, "minutes"),
    inApp({ body: `{{ steps.minute.eventCount }}: ${items("minute")}` }),
    digest("hour", 1, "hours"),
    email({ subject: "{{ steps.hour.eventCount }} news", body: `<p>${items("hour")}</p>` }),
  ]);
  const ada = { subscriberId: "ada", email: "ada@example.com" };
  for (const n of [1, 2, 3, 4, 5]) await trigger(client, "news", ada, { n });
  await stage.advance(10, "minutes");
  for (const n of [6, 7, 8]) await trigger(client, "news", ada, { n });
  await stage.advance(30, "minutes");
  const lines = async () =>
    (await transcriptOf(stage)).map((line) => {
      const [at, , channel, subject, content] = line.split(" | ");
      return [at!.slice(11, 19), channel, subject || content!.trim()];
    });
  const digests = [
    ["09:01:00", "in_app", "5: 1 2 3 4 5"],
    ["09:11:00", "in_app", "3: 6 7 8"],
  ];
  assert.deepEqual(await lines(), digests);
  await stage.advance(1, "hours");
  assert.deepEqual(await lines(), [...digests, ["10:01:00", "email", "8 news"]]);
  const [sent] = (await client("captured.list", { query: { channel: "email" } })).body.data;
  assert.match(JSON.stringify(sent), /1 2 3 4 5 6 7 8/);
});

test("a throttle counts by the clock", async () => {
  const stage = await newStage(service, monday);
  const { client } = stage;
  const throttle: StepIn = {
    name: "At most two an hour",
    type: "throttle",
    controlValues: { type: "fixed", amount: 1, unit: "hours", threshold: 2 },
  };
  await createWorkflow(client, "limited", [throttle, inApp({ body: "{{ payload.n }}" })]);
  for (const [n, minutes] of [
    [1, 20],
    [2, 20],
    [3, 19],
    [4, 1],
    [5, 1],
  ] as const) {
    await trigger(client, "limited", "ada", { n });
    await stage.advance(minutes, "minutes");
  }
  const bodies = (await feedOf(client, "ada")).map((item) => item.content).reverse();
  assert.deepEqual(bodies, ["1", "2", "5"], "the window opened at 9:00 and ended at 10:00");
});

test("a schedule holds a message until the subscriber's morning", async () => {
  const stage = await newStage(service, "2026-03-02T20:00:00.000Z");
  const { client } = stage;
  await createWorkflow(client, "polite", [letter(0)]);
  const to = { subscriberId: "ada", email: "ada@example.com", timezone: "Europe/Berlin" };
  await client("subscribers.create", { body: to });
  const hours = { isEnabled: true, hours: [{ start: "09:00 AM", end: "05:00 PM" }] };
  const days = ["monday", "tuesday", "wednesday", "thursday", "friday"] as const;
  const weeklySchedule = Object.fromEntries(days.map((day) => [day, hours]));
  await client("subscribers.updatePreferences", {
    params: { subscriberId: "ada" },
    body: { schedule: { isEnabled: true, weeklySchedule } },
  });
  const transactionId = await trigger(client, "polite", "ada");
  await stage.advance(11, "hours");
  assert.deepEqual(await messagesOf(client, transactionId), []);
  await stage.advance(1, "hours");
  const [message] = await messagesOf(client, transactionId);
  assert.equal(message?.createdAt, "2026-03-03T08:00:00.000Z", "nine o'clock in Berlin");
  const [notification] = await notificationsOf(client, transactionId);
  assert.ok(detailsOf(notification!, "email").includes("Step held until the subscriber's schedule opens"));
});

test("repeats of a delivery wait for the clock, and the same time every time", async () => {
  const stories: string[][] = [];
  for (const subscriberId of ["ada", "bob"]) {
    const stage = await newStage(service, monday);
    const { client } = stage;
    const credentials = { host: "127.0.0.1", port: String(mail.port), from: "us@example.com", ignoreTls: true };
    await client("integrations.create", {
      body: { providerId: "nodemailer", channel: "email", active: true, credentials } as never,
    });
    await createWorkflow(client, "stubborn", [letter(0)]);
    const address = `${subscriberId}@example.com`;
    const transactionId = await trigger(client, "stubborn", { subscriberId, email: address });
    await stage.moveTo(monday);
    assert.equal(mail.asked.get(address), 1, "tried once, and not again while the clock stands");
    await stage.advance(1, "hours");
    assert.equal(mail.asked.get(address), 3);
    assert.equal(mail.mailsTo(address).length, 1);
    const [notification] = await notificationsOf(client, transactionId);
    stories.push(storyOf(notification!));
  }
  const [first, second] = stories;
  assert.deepEqual(first, second);
  assert.deepEqual(
    first!.filter((line) => /repeated|Message sent/.test(line)),
    [
      "2026-03-02T09:00:00.000Z email: Provider error, will be repeated",
      "2026-03-02T09:00:01.000Z email: Provider error, will be repeated",
      "2026-03-02T09:00:05.000Z email: Message sent",
    ],
  );
});

// Statistics over HTTP: the current hour, hours that were counted, and which hours a pass counts.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { StepIn } from "@tidings/contract";
import { before } from "@tidings/testkit/at-end";
import { errorOf } from "@tidings/testkit/http";
import { only } from "@tidings/testkit/lists";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, feedOf, inApp, settled, trigger } from "@tidings/testkit/verbs";
import { sql } from "kysely";
import { estimateQuantile } from "../../../src/app/events/statistics.ts";
import { readCsv } from "../../../src/lib/text/csv.ts";
import { findDueHours } from "../../../src/pipeline/statistics.ts";
import { countHour } from "../../../src/store/installation/statistics.ts";

const { client, production, db, url, apiKey } = await startTestService();
const hourMs = 3_600_000;

const statistics = async (query: object = {}, from = client) => (await from("statistics.list", { query })).body;
const hourOf = (time: string) => new Date(Math.floor(Date.parse(time) / hourMs) * hourMs);
let madeAt: string;

before(async () => {
  await client("subscribers.create", { body: { subscriberId: "ada", email: "ada@example.com" } });
  const skipped: StepIn = inApp({ body: "B", skip: { "==": [1, 1] } });
  await createWorkflow(client, "counted", [inApp(), email(), skipped]);
  await createWorkflow(client, "other", [inApp()]);
  for (const [workflowId, subscriberId] of [
    ["counted", "ada"],
    ["counted", "no-address"],
    ["other", "ada"],
  ] as const) {
    const notification = only(await settled(client, await trigger(client, workflowId, subscriberId)));
    madeAt = notification.createdAt!;
  }
  const [item] = await feedOf(client, "ada");
  const body = { messageId: [item!._id!], markAs: "read" as const };
  await client("subscribers.markMessages", { params: { subscriberId: "ada" }, body });
});

describe("statistics", () => {
  test("the same figures are a CSV file: a line an hour, a line for each group, and the total", async () => {
    const read = async (query: string) => {
      const answer = await fetch(`${url}/v1/exports/statistics.csv${query}`, {
        headers: { authorization: `ApiKey ${apiKey}` },
      });
      return { status: answer.status, text: await answer.text() };
    };
    const { text } = await read("?breakdown=true");
    const [head, ...rows] = [...readCsv(text, ",")].map(({ cells }) => cells);
    const cell = (row: string[], name: string) => row[head!.indexOf(name)];
    const { totals, breakdown, data } = await statistics({ breakdown: true });
    const total = rows.find((row) => cell(row, "kind") === "total")!;
    for (const name of Object.keys(totals).filter((one) => typeof totals[one as "sent"] === "number")) {
      assert.equal(cell(total, name), String(totals[name as "sent"]), name);
    }
    assert.equal(cell(total, "skipped.skipped_by_condition"), "2");
    assert.equal(rows.filter((row) => cell(row, "kind") === "hour").length, data.length);
    const ofWorkflow = rows.find((row) => cell(row, "workflowId") === "counted")!;
    const expected = breakdown!.workflows.find(({ workflowId }) => workflowId === "counted")!;
    assert.deepEqual([cell(ofWorkflow, "kind"), cell(ofWorkflow, "sent")], ["workflows", String(expected.sent)]);
    const refused = await read("?granularity=minute");
    assert.equal(refused.status, 422);
    assert.match(refused.text, /granularity/);
  });

  const expected = {
    ...{ sent: 3, captured: 1, delivered: 3, opened: 1, failed: 0, refused: 0, failedAttempts: 0 },
    skipped: { skipped_by_condition: 2, no_email: 1 },
  };

  test("the current hour is counted with the request, and counted hours give the same figures", async () => {
    const { totals, data, granularity } = await statistics();
    const { latency, ...counts } = totals;
    assert.deepEqual([counts, granularity], [expected, "hour"]);
    assert.equal(latency, undefined, "the mailbox is no provider that takes its time");
    assert.ok(data.length === 24 || data.length === 25);
    assert.equal(data.filter(({ sent }) => sent > 0).length, 1);
    for (const isFinal of [false, true]) {
      await countHour(db, hourOf(madeAt), isFinal, new Date());
      const { totals: again } = await statistics();
      assert.deepEqual(again, totals, "counting again replaces what was counted");
    }
    const days = await statistics({
      granularity: "day",
      from: new Date(Date.parse(madeAt) - 86_400_000).toISOString(),
    });
    assert.deepEqual(days.totals, totals);
    assert.ok(days.data.every(({ start }) => start.endsWith("T00:00:00.000Z")));
  });

  test("are filtered by workflow, channel and provider", async () => {
    const sent = async (query: object) => (await statistics(query)).totals.sent;
    assert.equal(await sent({ workflowId: "counted" }), 2);
    assert.equal(await sent({ workflowId: "other" }), 1);
    assert.equal(await sent({ workflowId: "unknown" }), 0);
    for (const query of [{ channel: "email" }, { providerId: "svc-email" }]) {
      const { totals } = await statistics(query);
      assert.deepEqual([totals.sent, totals.captured], [0, 1]);
    }
    assert.equal(await sent({ to: "2020-01-02T00:00:00Z", from: "2020-01-01T00:00:00Z" }), 0);
  });

  test("are broken down by workflow, channel and provider, in the current hour and in counted ones", async () => {
    const { breakdown, totals } = await statistics({ breakdown: "true" });
    const sumOf = (groups: { sent: number }[]) => groups.reduce((sum, { sent }) => sum + sent, 0);
    for (const groups of Object.values(breakdown!)) assert.equal(sumOf(groups), totals.sent);
    assert.deepEqual(
      breakdown!.workflows.map(({ workflowId, name, sent, failed }) => [workflowId, name, sent, failed]),
      [
        ["counted", "counted", 2, 0],
        ["other", "other", 1, 0],
      ],
    );
    const providers = breakdown!.providers.map(({ providerId, channel, sent, captured, failed }) =>
      [providerId, channel, sent, captured, failed].join(" "),
    );
    assert.deepEqual(providers, ["svc in_app 3 0 0", "svc-email email 0 1 0"]);
    assert.equal(breakdown!.channels.find(({ channel }) => channel === "in_app")!.skipped.skipped_by_condition, 2);
    assert.deepEqual((await statistics({ breakdown: "true" }, production)).breakdown, {
      workflows: [],
      channels: [],
      providers: [],
    });
  });

  test("of another environment are not counted", async () => {
    assert.equal((await statistics({}, production)).totals.sent, 0);
  });

  test("ranges that are too long or empty are refused", async () => {
    for (const query of [
      { from: "2026-01-02T00:00:00Z", to: "2026-01-01T00:00:00Z" },
      { from: "2026-01-01T00:00:00Z", to: "2026-03-01T00:00:00Z" },
      { from: "2024-01-01T00:00:00Z", to: "2026-01-01T00:00:00Z", granularity: "day" },
      { from: "soon" },
    ]) {
      const { errors } = errorOf(await client.raw("statistics.list", { query }), "VALIDATION_ERROR");
      assert.deepEqual(Object.keys(errors as object), ["from"], JSON.stringify(query));
    }
  });
});

test("a pass counts hours that have ended, and once more a day later", () => {
  const now = new Date("2026-03-02T10:05:00Z");
  const at = (hoursAgo: number) => new Date(Date.parse("2026-03-02T10:00:00Z") - hoursAgo * hourMs);
  const due = (counted: { hour: Date; is_final: boolean }[]) => findDueHours(now, counted);
  assert.equal(due([]).length, 48);
  assert.deepEqual(due([])[0], { hour: at(1), isFinal: false });
  const all = Array.from({ length: 48 }, (_, index) => ({ hour: at(index + 1), is_final: index > 24 }));
  assert.deepEqual(due(all), [{ hour: at(25), isFinal: true }]);
  assert.deepEqual(due(all.slice(1))[0], { hour: at(1), isFinal: false });
});

test("quantiles are estimated from classes", () => {
  const classes = (counts: Record<number, number>) => Array.from({ length: 11 }, (_, index) => counts[index] ?? 0);
  assert.equal(estimateQuantile(classes({}), 0.5), 0);
  assert.equal(estimateQuantile(classes({ 0: 10 }), 0.5), 50);
  assert.equal(estimateQuantile(classes({ 0: 90, 3: 10 }), 0.95), 750);
  assert.equal(estimateQuantile(classes({ 10: 5 }), 0.95), 300_000);
});

test("messages that people delete later still count", async () => {
  // The tests above have counted the current hour.
  await sql`delete from statistics_progress`.execute(db);
  await sql`delete from statistics_hours`.execute(db);
  await createWorkflow(client, "deleted", [inApp(), email()]);
  const first = await trigger(client, "deleted", { subscriberId: "eve", email: "eve@example.com" });
  await settled(client, first);
  const [item] = await feedOf(client, "eve");
  const body = { messageId: [item!._id!], markAs: "read" as const };
  await client("subscribers.markMessages", { params: { subscriberId: "eve" }, body });
  const query = { workflowId: "deleted" };
  const { latency: _before, ...counts } = (await statistics(query)).totals;
  assert.deepEqual([counts.sent, counts.captured, counts.opened], [1, 1, 1]);
  await client("messages.delete", { params: { messageId: item!._id! } });
  const remaining = async () => {
    const { latency: _after, ...now } = (await statistics(query)).totals;
    return now;
  };
  assert.deepEqual(await remaining(), counts);
  await client("messages.deleteByTransaction", { params: { transactionId: first } });
  assert.deepEqual(await remaining(), counts);
  await countHour(db, hourOf(new Date().toISOString()), true, new Date());
  assert.deepEqual(await remaining(), counts, "also when the hour is counted");
});

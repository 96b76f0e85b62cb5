// Runs that wait for a signal or for an event of a message: what ends the wait, and that it ends once.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Notification, StepIn } from "@tidings/contract";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, email, feedOf, inApp, notificationsOf, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";

const service = await shareService();
const { client, db, environmentId } = service;

const wait = (controlValues: object): StepIn => ({
  name: "Wait",
  stepId: "wait",
  type: "wait",
  controlValues: { amount: 1, unit: "hours", ...controlValues },
});
const told = inApp({ body: "{{ steps.wait.reason }} {{ steps.wait.data.by }}" });

const waiting = (transactionId: string): Promise<Notification> =>
  eventually(async () => {
    const [notification] = await notificationsOf(client, transactionId);
    return notification?.jobs?.some((job) => job.status === "delayed") ? notification : null;
  }, "the wait to begin");

const statuses = ([notification]: Notification[]): string[] => notification!.jobs!.map((job) => job.status);
const signal = async (body: object) => (await client("signals.send", { body: body as never })).body;
const attempt = (body: object) => client.raw("signals.send", { body: body as never });
const waitRows = async () =>
  (await sql`select 1 from run_waits where environment_id = ${environmentId}`.execute(db)).rows.length;

describe("signals", () => {
  test("one of its name goes on with the data, and reaches the run once", async () => {
    await createWorkflow(client, "ack", [wait({ signal: { name: "acknowledged" } }), told]);
    const transactionId = await trigger(client, "ack", ["ada", "bob"]);
    await waiting(transactionId);
    assert.equal((await signal({ name: "other", to: "ada" })).reached, 0);
    const sent = await signal({ name: "acknowledged", to: ["ada", "nobody"], data: { by: "Eve" } });
    assert.equal(sent.reached, 1);
    assert.deepEqual(sent.unknownSubscribers, ["nobody"]);
    await eventually(async () => (await feedOf(client, "ada"))[0]?.content === "signal Eve", "the message");
    assert.equal((await signal({ name: "acknowledged", to: "ada" })).reached, 0);
    assert.equal((await feedOf(client, "bob")).length, 0);
    assert.equal((await signal({ name: "acknowledged", to: { subscriberId: "bob" } })).reached, 1);
    await settled(client, transactionId);
    assert.equal(await waitRows(), 0);
  });

  test("a wait with a key takes only signals with the same", async () => {
    await createWorkflow(client, "keyed", [wait({ signal: { name: "paid", key: "{{ payload.order }}" } }), told]);
    const first = await trigger(client, "keyed", "kim", { order: 1 });
    const second = await trigger(client, "keyed", "kim", { order: 2 });
    await waiting(first);
    await waiting(second);
    assert.equal((await signal({ name: "paid", to: "kim" })).reached, 0);
    assert.equal((await signal({ name: "paid", to: "kim", key: "2" })).reached, 1);
    await settled(client, second);
    assert.deepEqual(statuses(await notificationsOf(client, first)), ["delayed", "pending"]);
    const [one, other] = (
      await client("signals.sendBulk", {
        body: {
          signals: [
            { name: "paid", to: "kim", key: "1" },
            { name: "paid", to: "kim", key: "1" },
          ],
        },
      })
    ).body;
    assert.deepEqual([one!.reached, other!.reached], [1, 0]);
    await settled(client, first);
  });

  test("a wait that looks back takes one of the last minutes, another does not", async () => {
    await createWorkflow(client, "back", [wait({ signal: { name: "seen-it", lookBackMinutes: 10 } }), told]);
    await createWorkflow(client, "no-back", [wait({ signal: { name: "seen-it" } }), told]);
    await client("subscribers.create", { body: { subscriberId: "lea" } });
    assert.equal((await signal({ name: "seen-it", to: "lea", data: { by: "Zoe" } })).reached, 0);
    await settled(client, await trigger(client, "back", "lea"));
    assert.equal((await feedOf(client, "lea"))[0]?.content, "signal Zoe");
    await waiting(await trigger(client, "no-back", "lea"));
  });

  test("the run ends where the author says so", async () => {
    await createWorkflow(client, "stop", [wait({ signal: { name: "stop" }, onEvent: "end" }), inApp()]);
    const transactionId = await trigger(client, "stop", "mia");
    await waiting(transactionId);
    await signal({ name: "stop", to: "mia" });
    const [ended] = await settled(client, transactionId);
    assert.deepEqual(statuses([ended!]), ["completed", "skipped"]);
    const explained = (await client("explain.retrieve", { query: { transactionId, subscriberId: "mia" } })).body;
    assert.match(JSON.stringify(explained), /the wait wait ended the run: the signal stop arrived/);
  });

  test("bad input changes nothing", async () => {
    for (const body of [
      {},
      { name: "a" },
      { name: "a b", to: "ada" },
      { name: "a", to: [] },
      { name: "a", to: "ada", data: "x" },
    ]) {
      assert.equal((await attempt(body)).status, 422, JSON.stringify(body));
    }
    const large = { name: "a", to: "ada", data: { text: "x".repeat(70_000) } };
    assert.equal((await attempt(large)).status, 422);
  });
});

describe("messages", () => {
  test("an in-app message that is read, now or before", async () => {
    await createWorkflow(client, "reads", [
      inApp({ body: "first" }),
      wait({ message: { stepId: "in-app", event: "read" } }),
      inApp({ body: "{{ steps.wait.reason }}" }),
    ]);
    const transactionId = await trigger(client, "reads", "nia");
    await waiting(transactionId);
    const [first] = await feedOf(client, "nia");
    await client("subscriberNotifications.markRead", {
      params: { subscriberId: "nia", notificationId: first!._id },
    } as never);
    await settled(client, transactionId);
    assert.deepEqual((await feedOf(client, "nia")).map(({ content }) => content).sort(), ["first", "message"]);
  });

  test("a timeout, on the test clock", async () => {
    await createWorkflow(client, "late", [
      email(),
      wait({ message: { stepId: "email", event: "clicked" }, amount: 2, unit: "seconds" }),
      told,
    ]);
    await client("subscribers.create", { body: { subscriberId: "ola", email: "ola@example.com" } });
    await settled(client, await trigger(client, "late", "ola"));
    assert.equal((await feedOf(client, "ola"))[0]?.content, "timeout ");
    assert.equal(await waitRows(), 1, "that of the wait that does not look back");
  });
});

// The list of events with their outcomes, over HTTP.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ActivityEvent, NotificationOutcome, StepIn } from "@tidings/contract";
import { notificationOutcomes } from "@tidings/contract";
import { before } from "@tidings/testkit/at-end";
import { errorOf } from "@tidings/testkit/http";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";

const { client, production, url, apiKey } = await shareService();

type Query = NonNullable<Parameters<typeof client<"activity.listEvents">>[1]>["query"];
const list = async (query: Query = {}) => (await client("activity.listEvents", { query })).body;
const idsOf = (events: ActivityEvent[]) => events.map(({ transactionId }) => transactionId);

const wait: StepIn = { name: "Wait", type: "delay", controlValues: { type: "regular", amount: 1, unit: "days" } };
const digest: StepIn = { name: "Digest", type: "digest", controlValues: { type: "regular", amount: 1, unit: "days" } };
const broken: StepIn = { ...inApp({ body: "{{ payload.about | nosuch }}" }), name: "Broken" };
const steps: Record<NotificationOutcome, StepIn[]> = {
  delivered: [inApp()],
  failed: [broken],
  // The subscriber has no address: that is not a failure.
  partly: [inApp(), email(), broken],
  skipped: [inApp({ body: "B", skip: { "==": [1, 1] } })],
  pending: [wait, inApp()],
  canceled: [wait, inApp()],
  merged: [digest, inApp()],
};
const sent = {} as Record<NotificationOutcome, string>;

before(async () => {
  await client("subscribers.create", { body: { subscriberId: "with-address", email: "Found@Example.com" } });
  for (const outcome of notificationOutcomes) await createWorkflow(client, outcome, steps[outcome]);
  await trigger(client, "merged", "ada");
  await eventually(async () => (await list({ workflowIds: ["merged"], outcome: ["pending"] })).data[0], "the digest");
  for (const outcome of notificationOutcomes) sent[outcome] = await trigger(client, outcome, "ada", { about: outcome });
  for (const outcome of ["delivered", "failed", "partly", "skipped", "merged"] as const)
    await settled(client, sent[outcome]);
  await eventually(async () => (await list({ transactionId: sent.canceled })).data[0]?.recipients === 1, "the run");
  await client("events.cancel", { params: { transactionId: sent.canceled } });
});

describe("events", () => {
  test("are listed with counts and a verdict", async () => {
    const [event] = (await list({ transactionId: sent.partly })).data;
    const { id, createdAt, workflow, verdict, ...rest } = event!;
    assert.deepEqual(rest, {
      transactionId: sent.partly,
      payload: '{"about": "partly"}',
      recipients: 1,
      isCapped: false,
      outcomes: { delivered: 0, failed: 0, partly: 1, pending: 0, merged: 0, canceled: 0, skipped: 0 },
      status: "expanded",
      recipient: { subscriberId: "ada" },
    });
    assert.match(verdict, /^In-app message was not sent: .*; email was not sent: subscriber has no email address/);
    assert.deepEqual([workflow.workflowId, workflow.channels.toSorted()], ["partly", ["email", "in_app"]]);
    const verdictFor = async (name: string) => {
      const many = await trigger(client, name, ["ada", "with-address"]);
      await settled(client, many);
      return (await list({ transactionId: many })).data[0]!.verdict;
    };
    assert.equal(await verdictFor("partly"), "2 recipients: 2 partly delivered.");
    assert.equal(await verdictFor("failed"), "2 recipients: 2 failed.");
  });

  test("are found by outcome, here and in the list of notifications", async () => {
    for (const outcome of notificationOutcomes) {
      const { data } = await list({ outcome: [outcome], workflowIds: notificationOutcomes as never });
      assert.ok(idsOf(data).includes(sent[outcome]), outcome);
      assert.ok(data.every(({ outcomes }) => outcomes[outcome] > 0));
      const { body } = await client("notifications.list", { query: { outcome: [outcome], limit: 50 } });
      const transactions = body.data.map(({ transactionId }) => transactionId);
      assert.ok(transactions.includes(sent[outcome]), outcome);
      const others = notificationOutcomes.filter((other) => other !== outcome).map((other) => sent[other]);
      assert.deepEqual(
        transactions.filter((id) => others.includes(id)),
        [],
        outcome,
      );
    }
  });

  test("are found by workflow, channel, person, payload and address", async () => {
    const mailed = await trigger(client, "delivered", "with-address", { order: "Nine-Lives", name: "x".repeat(400) });
    await settled(client, mailed);
    const [shown] = (await list({ transactionId: mailed })).data;
    assert.equal(shown!.payload.length, 300);
    const found: [Query, boolean][] = [
      [{ search: "nine-LIVES" }, true],
      [{ search: "Found@Exam" }, true],
      [{ search: mailed }, true],
      [{ search: mailed.slice(4, 20) }, true],
      [{ search: "nowhere" }, false],
      [{ emails: ["found@example.com"] }, true],
      [{ emails: ["found@example"] }, false],
      [{ subscriberIds: ["with-address", "unknown"] }, true],
      [{ subscriberIds: ["ada"] }, false],
      [{ subscriberIds: ["unknown"] }, false],
      [{ channels: ["in_app"] }, true],
      [{ channels: ["email"], workflowIds: ["delivered"] }, false],
      [{ workflowIds: ["delivered"] }, true],
      [{ workflowIds: [shown!.workflow._id] }, true],
      [{ workflowIds: ["failed"] }, false],
      [{ after: "2020-01-01T00:00:00Z", before: "2999-01-01T00:00:00Z" }, true],
      [{ before: "2020-01-01T00:00:00Z" }, false],
      [{ after: "2999-01-01T00:00:00Z" }, false],
    ];
    for (const [query, isFound] of found) {
      const { data, next } = await list({ ...query, limit: 100 });
      assert.equal(idsOf(data).includes(mailed), isFound, JSON.stringify(query));
      assert.equal(next, null, JSON.stringify(query));
    }
  });

  test("are paged newest first, also while filters are looked for", async () => {
    const all = idsOf((await list({ limit: 100 })).data);
    for (const query of [{}, { outcome: [...notificationOutcomes] }, { search: "a" }] as Query[]) {
      const walked: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await list({ ...query, limit: 2, cursor });
        walked.push(...idsOf(page.data));
        cursor = page.next ?? undefined;
      } while (cursor);
      const expected = query?.search ? idsOf((await list({ ...query, limit: 100 })).data) : all;
      assert.deepEqual(walked, expected, JSON.stringify(query));
    }
  });

  test("bad filters are refused", async () => {
    const cases: [object, string][] = [
      [{ cursor: "x" }, "cursor"],
      [{ cursor: Buffer.from("x".repeat(36)).toString("base64url") }, "cursor"],
      [{ outcome: "lost" }, "outcome.0"],
      [{ limit: 101 }, "limit"],
      [{ search: "x".repeat(256) }, "search"],
      [{ after: "2026-02-02T00:00:00Z", before: "2026-02-01T00:00:00Z" }, "after"],
      [{ after: "yesterday" }, "after"],
    ];
    for (const [query, field] of cases) {
      const { errors } = errorOf(
        await client.raw("activity.listEvents", { query: query as never }),
        "VALIDATION_ERROR",
      );
      assert.deepEqual(Object.keys(errors as object), [field], JSON.stringify(query));
    }
  });

  test("for a workflow that is off are shown with their reason, and found by person, payload and transaction id", async () => {
    await createWorkflow(client, "off", [inApp()], { active: false });
    await client("subscribers.create", { body: { subscriberId: "olga", email: "olga@example.com" } });
    const body = { name: "off", to: "olga", payload: { order: "4711-off" }, transactionId: "order-4711" };
    for (const _ of [1, 2]) {
      const { body: answer } = await client("events.trigger", { body });
      assert.deepEqual([answer.status, answer.transactionId], ["trigger_not_active", "order-4711"]);
    }
    const queries: Query[] = [
      { subscriberIds: ["olga"] },
      { emails: ["olga@example.com"] },
      { search: "olga" },
      { search: "4711-OFF" },
      { transactionId: "order-4711" },
      { workflowIds: ["off"] },
    ];
    for (const query of queries) {
      const { data } = await list(query);
      assert.equal(data.length, 1, JSON.stringify(query));
      const { transactionId, status, verdict, recipients, recipient } = data[0]!;
      assert.deepEqual([transactionId, status, recipients], ["order-4711", "refused", 0]);
      assert.deepEqual([verdict, recipient?.subscriberId], ["Nothing was sent: the workflow was off.", "olga"]);
    }
    const explain = async (subscriberId: string) =>
      (await client("explain.retrieve", { query: { transactionId: "order-4711", subscriberId } })).body;
    const told = await explain("olga");
    assert.deepEqual(
      [told.event.status, told.reached, told.evaluatedNow, told.via.kind, told.steps],
      ["refused", false, false, "workflow_off", []],
    );
    assert.equal(told.verdict, "Nothing was sent: the workflow was off when the event came.");
    assert.equal((await explain("ada")).via.kind, "not_addressed");
    assert.equal((await client("events.cancel", { params: { transactionId: "order-4711" } })).body, false);
    const { body: none } = await client("notifications.list", { query: { transactionId: "order-4711" } });
    assert.deepEqual(none.data, []);

    // The transaction id is still free: the event is sent once the workflow is on, and then counts as accepted.
    await client("workflows.patch", { params: { workflowId: "off" }, body: { active: true } });
    assert.equal((await client("events.trigger", { body })).body.status, "processed");
    await settled(client, "order-4711");
    assert.equal((await explain("olga")).reached, true);
    assert.deepEqual(
      (await list({ transactionId: "order-4711" })).data.map(({ status }) => status),
      ["expanded", "refused"],
    );
    await client("subscribers.delete", { params: { subscriberId: "olga" } });
    assert.deepEqual((await list({ subscriberIds: ["olga"] })).data, []);
  });

  test("of another environment are not shown", async () => {
    assert.deepEqual((await production("activity.listEvents", { query: { search: "about" } })).body.data, []);
  });
});

describe("search keys", () => {
  const searchKeys = ["order", "invoice.number"];
  const workflowId = "ordered";
  const keysOf = async (on = client) =>
    (await on("workflows.retrieve", { params: { workflowId }, query: {} })).body.searchKeys;
  const send = async (payload: object) => {
    const transactionId = await trigger(client, workflowId, "ada", payload);
    await settled(client, transactionId);
    return transactionId;
  };
  let first: string;

  before(async () => {
    await createWorkflow(client, workflowId, [inApp()], { searchKeys });
    first = await send({ order: " A-4711 ", invoice: { number: 917_001_203_040 }, note: "z" });
  });

  test("find events by value, before those that only mention it, and are shown", async () => {
    const mentioned = await send({ order: "A-4712", note: "instead of a-4711" });
    const again = await send({ order: "a-4711" });
    for (const [search, expected] of [
      ["a-4711", [again, first, mentioned]],
      ["917001203040", [first]],
      ["A-4712", [mentioned]],
    ] as const) {
      assert.deepEqual(idsOf((await list({ search })).data), expected, search);
    }
    const walked: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await list({ search: "A-4711", limit: 1, cursor });
      walked.push(...idsOf(page.data));
      cursor = page.next ?? undefined;
    } while (cursor);
    assert.deepEqual(walked, [again, first, mentioned], "page by page, each once");
    const [shown] = (await list({ transactionId: first })).data;
    assert.deepEqual(shown!.searchKey, { key: "order", value: "A-4711" });
    assert.equal((await list({ transactionId: sent.failed })).data[0]!.searchKey, undefined);
    assert.deepEqual(idsOf((await list({ searchValue: "a-4711" })).data), [again, first]);
    assert.deepEqual(idsOf((await list({ searchValue: "A-4711", search: "917001203040" })).data), [first]);
    assert.deepEqual(idsOf((await list({ searchValue: "a-4711", transactionId: first })).data), [first]);
    assert.deepEqual(idsOf((await list({ searchValue: "a-47" })).data), []);
    assert.deepEqual(idsOf((await list({ searchValue: "y".repeat(200) })).data), []);
    // Other filters hold for what was found by value, too.
    assert.deepEqual((await list({ search: "a-4711", workflowIds: ["delivered"] })).data, []);
    assert.deepEqual((await list({ search: "a-4711", subscriberIds: ["with-address"] })).data, []);
    assert.deepEqual((await list({ search: "a-4711", outcome: ["failed"] })).data, []);
    assert.deepEqual(
      idsOf((await list({ search: "917001203040", subscriberIds: ["ada"], outcome: ["delivered"] })).data),
      [first],
    );
    assert.deepEqual((await production("activity.listEvents", { query: { search: "a-4711" } })).body.data, []);
  });

  test("take texts and numbers that may be an identifier", async () => {
    const odd = [
      { order: { id: "deep-1" } },
      { order: true },
      { order: "" },
      { order: "y".repeat(129) },
      { order: null },
    ];
    for (const payload of odd) assert.equal(typeof (await send(payload)), "string");
    const bulk = await client("events.triggerBulk", {
      body: { events: [1, 2].map((number) => ({ name: workflowId, to: "ada", payload: { order: `bulk-${number}` } })) },
    });
    for (const { transactionId } of bulk.body) await settled(client, transactionId!);
    assert.equal((await list({ search: "bulk-2" })).data.length, 1);
    const broadcast = { name: workflowId, payload: { order: "to-all" }, transactionId: "broadcast-of-order" };
    await client("events.broadcast", { body: broadcast });
    assert.deepEqual(idsOf((await list({ search: "TO-ALL" })).data), ["broadcast-of-order"]);
  });

  test("are kept in versions, files, copies and publishes, and bad ones are refused", async () => {
    assert.deepEqual(await keysOf(), searchKeys);
    const params = { workflowId };
    const patched = await client("workflows.patch", { params, body: { searchKeys: ["order", "order"] } });
    assert.deepEqual(patched.body.searchKeys, ["order"]);
    await client("workflows.patch", { params, body: { description: "Other" } });
    assert.deepEqual(await keysOf(), ["order"], "what is left out stays");
    const { body: versions } = await client("workflows.listVersions", { params, query: {} });
    assert.match(versions.data.at(-2)!.summary, /searchKeys/);
    const restored = { workflowId, versionId: versions.data.at(-1)!.id };
    await client("workflows.restoreVersion", { params: restored });
    assert.deepEqual(await keysOf(), searchKeys);
    const { workflow } = (await client("workflows.retrieveVersion", { params: restored })).body;
    assert.deepEqual(workflow.searchKeys, searchKeys);
    const { resources } = (await client("files.export")).body;
    assert.deepEqual(resources.workflows?.find((file) => file.workflowId === workflowId)?.searchKeys, searchKeys);
    assert.equal(resources.workflows?.find((file) => file.workflowId === "delivered")?.searchKeys, undefined);
    const copy = await client("workflows.duplicate", { params, body: {} });
    assert.deepEqual(copy.body.searchKeys, searchKeys);
    const environments = (await client("environments.list")).body;
    const target = environments.find(({ type }) => type === "prod")!._id;
    await production("environments.publish", { params: { targetEnvironmentId: target }, body: {} });
    assert.deepEqual(await keysOf(production), searchKeys);
    for (const [keys, field] of [
      [["a", "b", "c", "d", "e", "f"], "searchKeys"],
      [["a b"], "searchKeys.0"],
      [["a..b"], "searchKeys.0"],
      [[""], "searchKeys.0"],
    ] as const) {
      const refused = await client.raw("workflows.patch", { params, body: { searchKeys: [...keys] } });
      assert.deepEqual(Object.keys(errorOf(refused, "VALIDATION_ERROR").errors as object), [field]);
    }
    const schema = { type: "object", properties: { order: {}, invoice: { properties: { total: {} } } } };
    const { issues } = (await client("workflows.patch", { params, body: { payloadSchema: schema } })).body;
    assert.deepEqual(Object.keys(issues ?? {}), ["searchKeys.1"]);
  });
});

describe("the export", () => {
  const download = async (query: string) => {
    const answer = await fetch(`${url}/v1/exports/activity.csv${query}`, {
      headers: { authorization: `ApiKey ${apiKey}` },
    });
    return { status: answer.status, type: answer.headers.get("content-type"), text: await answer.text() };
  };

  test("has the events of the filters, a line each, without formulas", async () => {
    const transactionId = await trigger(client, "ordered", "ada", { order: "=HYPERLINK(1)" });
    await settled(client, transactionId);
    const { status, type, text } = await download("?search==HYPERLINK(1)");
    assert.deepEqual([status, type], [200, "text/csv; charset=utf-8"]);
    const [head, line, ...more] = text.trimEnd().split("\r\n");
    assert.match(head!, /^"time","transactionId","workflowId",.*"failed",.*"verdict","payload"$/);
    assert.match(line!, new RegExp(`"${transactionId}","ordered","ordered","order","'=HYPERLINK\\(1\\)","ada","1"`));
    assert.deepEqual(more, []);
    const all = (await list({ limit: 100 })).data.length;
    assert.equal((await download("")).text.trimEnd().split("\r\n").length, all + 1);
    assert.equal((await download("?outcome=merged&outcome=canceled")).text.trimEnd().split("\r\n").length, 3);
  });

  test("refuses bad filters before the first byte", async () => {
    const { status, text } = await download("?outcome=lost");
    assert.deepEqual([status, JSON.parse(text).code], [422, "VALIDATION_ERROR"]);
  });
});

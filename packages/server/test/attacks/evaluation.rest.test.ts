// Evaluation of what customers write (templates, conditions, payload schemas, HTML) blocks the process. Each attack
// runs against the real service, together with a normal workflow in another environment: the attacking step fails with
// its reason, the other message is delivered, and the longest blocked time of the process is printed. Times are not
// asserted.
import assert from "node:assert/strict";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { describe, test } from "node:test";
import { before } from "@tidings/testkit/at-end";
import type { Client } from "@tidings/testkit/client";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";

const service = await startTestService();
const { client } = service;
let number = 0;

before(async () => {
  await createWorkflow(service.production, "harmless", [inApp({ body: "Hello {{ payload.name }}" })]);
});

type Job = { status: string; executionDetails: { detail: string; raw: string | null }[] };

const jobsOf = async (who: Client, transactionId: string): Promise<Job[]> => {
  const { body } = await who("notifications.list", { query: { transactionId } });
  return (body as unknown as { data: { jobs: Job[] }[] }).data.flatMap(({ jobs }) => jobs);
};

const areDone = (jobs: Job[], count: number) =>
  jobs.length === count && jobs.every(({ status }) => ["completed", "failed", "skipped", "canceled"].includes(status));

/** Triggers the attack and a neighbour's event behind it; returns the attack's jobs when all are done. */
async function attack(name: string, steps: object[], payload: object = {}, recipients = 5): Promise<Job[]> {
  const workflowId = `attack-${++number}`;
  await createWorkflow(client, workflowId, steps as never);
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const to = Array.from({ length: recipients }, (_, index) => `${workflowId}-${index}`);
  const { body } = await client("events.trigger", { body: { name: workflowId, to, payload } as never });
  const other = await service.production("events.trigger", {
    body: { name: "harmless", to: "neighbour", payload: { name: "Ada" } } as never,
  });
  const neighbour = (other.body as { transactionId: string }).transactionId;
  await eventually(async () => areDone(await jobsOf(service.production, neighbour), 1), "the neighbour's message");
  const count = recipients * steps.length;
  let jobs: Job[] = [];
  await eventually(async () => {
    jobs = await jobsOf(client, (body as { transactionId: string }).transactionId);
    return areDone(jobs, count);
  }, `${count} finished jobs of ${name}`);
  delay.disable();
  process.stdout.write(`# ${name}: longest stand-still ${(delay.max / 1e6).toFixed(0)} ms\n`);
  const [told] = await jobsOf(service.production, neighbour);
  assert.equal(told?.status, "completed");
  return jobs;
}

function assertAllFailed(jobs: Job[], detail: string, reason: RegExp): void {
  for (const { status, executionDetails } of jobs) {
    assert.equal(status, "failed", JSON.stringify(executionDetails));
    const told = executionDetails.find((one) => one.detail === detail);
    assert.ok(told, `${detail} in ${JSON.stringify(executionDetails)}`);
    assert.match(String(told.raw), reason);
  }
}

const notRendered = "Message content could not be rendered";
const tooMuch = /limit exceeded: it takes more work than one step may cause/;
const loop = "{% for i in (1..100000) %}";
const long = { n: `${"a".repeat(80_000)}b${"a".repeat(80_000)}`, h: "a".repeat(340_000) };

describe("templates", () => {
  for (const [name, body, payload] of [
    ["loops in loops", `${loop}${loop}{% endfor %}{% endfor %}`, {}],
    ["a search in every turn", `${loop}{% if payload.h contains payload.n %}x{% endif %}{% endfor %}`, long],
    [
      "a list in itself",
      `{% assign a = 'x' | split: ',' %}${"{% assign a = a | push: a | push: a %}".repeat(40)}{{ a | join }}`,
      {},
    ],
    ["a sorted text in every turn", `${loop}{% assign a = payload.h | split: '' | sort %}{% endfor %}`, long],
    ["dates in every turn", `${loop}{{ 'now' | date: '%A %B', 'Europe/Berlin' }}{% endfor %}`, {}],
  ] as const) {
    test(`${name}: the step fails with its reason, the neighbour is delivered`, async () => {
      assertAllFailed(await attack(name, [inApp({ body })], payload), notRendered, tooMuch);
    });
  }

  test("all templates of a step share one budget, and each step has its own", async () => {
    const half = "{% for i in (1..12000) %}{{ i }}{% endfor %}";
    const jobs = await attack(
      "two halves",
      [inApp({ body: "x", subject: half }), inApp({ body: half, subject: half })],
      {},
      1,
    );
    assert.deepEqual(
      jobs.map(({ status }) => status),
      ["completed", "failed"],
    );
  });

  test("the search of one long text in another takes linear time, and succeeds", async () => {
    const body = "{% if payload.h contains payload.n %}yes{% else %}no{% endif %}";
    const jobs = await attack("one search", [inApp({ body })], long, 1);
    assert.equal(jobs[0]?.status, "completed");
  });
});

test("a batch that makes too much at once leaves the rest to tasks of its own", async () => {
  const body = "{% for i in (1..4500) %}{{ payload.line }}{% endfor %}";
  const jobs = await attack("large contents", [inApp({ body })], { line: "x".repeat(1_000) }, 6);
  assert.ok(jobs.every(({ status }) => status === "completed"));
  const { rows } = await sql<{ transactions: number }>`select count(distinct xmin::text)::int as transactions
    from messages where length(content) = 4500000`.execute(service.db);
  assert.ok(rows[0]!.transactions > 1);
});

describe("conditions", () => {
  const failed = "Step condition could not be evaluated";
  test("one long search succeeds; a search per item of a list fails the step", async () => {
    const skip = { in: [{ var: "payload.n" }, { var: "payload.h" }] };
    const [found] = await attack("condition in", [inApp({ skip })], long, 1);
    assert.equal(found?.status, "completed");
    const items = Array.from({ length: 2_000 }, (_, index) => index);
    const each = { reduce: [{ var: "payload.items" }, { in: [long.n.slice(0, 50_000), long.h.slice(0, 50_000)] }, 0] };
    const jobs = await attack("condition reduce", [inApp({ skip: each })], { items });
    assertAllFailed(jobs, failed, /takes too long/);
  });
});

describe("html", () => {
  test("html nested thousands of levels deep, sanitised or not, fails the step", async () => {
    const body = "{% for i in (1..4000) %}<div>{% endfor %}{% for i in (1..4000) %}</b>{% endfor %}";
    assertAllFailed(await attack("nested html", [inApp({ body })]), notRendered, /nested deeper than 500 levels/);
  });
});

describe("payload schemas", () => {
  const save = (payloadSchema: object) =>
    client.raw("workflows.create", {
      body: { name: "S", workflowId: `schema-${++number}`, steps: [], payloadSchema } as never,
    });
  const faultOf = async (payloadSchema: object): Promise<string> => {
    const { status, body } = await save(payloadSchema);
    assert.equal(status, 422);
    return JSON.stringify(body);
  };
  const trigger = async (payloadSchema: Record<string, unknown>, payload: object) => {
    const workflowId = `schema-${++number}`;
    await createWorkflow(client, workflowId, [inApp()], { payloadSchema, validatePayload: true });
    const { body } = await client.raw("events.triggerBulk", {
      body: { events: [{ name: workflowId, to: "a", payload }] } as never,
    });
    return (body as { error?: string[] }[])[0]?.error?.[0];
  };

  test("an expression that goes back and tries again is matched in linear time", async () => {
    const schema = { properties: { a: { pattern: "^(a+)+$" } } };
    assert.equal(await trigger(schema, { a: "a".repeat(1_000) }), undefined);
    const error = await trigger(schema, { a: `${"a".repeat(100_000)}!` });
    assert.equal(error, 'Payload validation failed: a: must match pattern "^(a+)+$"');
  });

  test("expressions that cannot be used, and schemas that are too large, are refused at save", async () => {
    const lookAhead = { properties: { a: { pattern: "(?=x)a" } } };
    assert.match(await faultOf(lookAhead), /properties\.a\.pattern has an expression that cannot be used.*\(\?=x\)a/);
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`p${index}`, { type: "string" }]));
    assert.match(await faultOf({ properties: many }), /must not be longer than 200000 characters/);
    const deep = Array.from({ length: 100 }).reduce<object>((inner) => ({ not: inner }), {});
    assert.match(await faultOf(deep), /nested deeper than 64 levels/);
  });

  test("references that double with every level refuse the event", async () => {
    const definitions: Record<string, object> = { d0: { type: "object" } };
    for (let level = 1; level < 60; level++) {
      const ref = { $ref: `#/definitions/d${level - 1}` };
      definitions[`d${level}`] = { allOf: [ref, ref] };
    }
    const error = await trigger({ $ref: "#/definitions/d59", definitions }, {});
    assert.equal(error, "Payload validation failed: payload: takes too much work to check against the payloadSchema");
  });

  test("uniqueItems on a large list takes linear time", async () => {
    const list = Array.from({ length: 20_000 }, (_, index) => [index]);
    assert.equal(await trigger({ properties: { list: { uniqueItems: true } } }, { list }), undefined);
  });
});

test("templates as heavy as they may be: saving, listing and publishing them leaves the others their turn", async () => {
  const tags = (n: number) =>
    Array.from(
      { length: 1_500 },
      (_, at) => `{{ payload.name_${n}_${at} | append: "x" | default: "${"y".repeat(60)}" }}`,
    );
  const steps = Array.from({ length: 10 }, (_, n) => inApp({ subject: `Step ${n}`, body: tags(n).join(" words\n") }));
  const delay = monitorEventLoopDelay({ resolution: 5 });
  let turns = 0;
  const timer = setInterval(() => turns++, 5);
  delay.enable();
  const { workflowId } = await createWorkflow(client, "heavy", steps, { validatePayload: true });
  assert.ok(turns >= steps.length, `other work had ${turns} turns`);
  await client("workflows.list", { query: { status: ["ERROR"] } });
  delay.disable();
  clearInterval(timer);
  process.stdout.write(`# ${workflowId}: longest stand-still ${(delay.max / 1e6).toFixed(0)} ms\n`);
});

test("a misspelt name is told among many tags and much text, and in a tag that quotes the end of one", async () => {
  const body = `${"<p>words</p>".repeat(5_000)}{{ subscriber.nme }}${"{{ subscriber.email }} ".repeat(200)}{{ "}}" | append: subscriber.mail }}`;
  const { steps } = await createWorkflow(client, "misspelt", [inApp({ subject: "S", body })]);
  const told = steps[0]?.issues?.controls?.body?.map(({ variableName }) => variableName);
  assert.deepEqual(told?.sort(), ["subscriber.mail", "subscriber.nme"]);
});

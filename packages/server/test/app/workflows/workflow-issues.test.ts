// Issues of steps: errors of the content are stored and reported in `issues` until their cause is removed.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { StepIn, StepIssues } from "@tidings/contract";
import { assertRefused } from "@tidings/testkit/refusals";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, feedOf, inApp } from "@tidings/testkit/verbs";
import { sql } from "kysely";

const service = await startTestService({ TIDINGS_MAX_WAIT_DAYS: "30" });
const { client, production, db } = service;

let number = 0;
/** Issues of the last of these steps, in their own workflow. */
const issuesOf = async (steps: StepIn[], settings: object = {}): Promise<StepIssues | undefined> => {
  const workflow = await createWorkflow(client, `issues-${++number}`, steps, settings);
  return workflow.steps.at(-1)!.issues;
};
const controls = async (steps: StepIn[], settings: object = {}) => (await issuesOf(steps, settings))?.controls;
const delay = (controlValues: Record<string, unknown>): StepIn => ({ name: "Wait", type: "delay", controlValues });

describe("inbox", () => {
  const notConnected = {
    integration: {
      in_app: [
        {
          issueType: "INBOX_NOT_CONNECTED",
          message: "No inbox has asked this environment for its notifications yet",
          severity: "warning",
        },
      ],
    },
  };

  test("an in-app step warns until the first feed is served, and leaves the workflow active; each environment for its own", async () => {
    const made = await createWorkflow(client, "early", [inApp()]);
    assert.deepEqual(made.steps[0]!.issues, notConnected);
    assert.equal(made.status, "ACTIVE");
    const unknown = { params: { subscriberId: "nobody" } };
    await assertRefused(client, "subscribers.listFeed", unknown, { code: "SUBSCRIBER_NOT_FOUND" });
    const read = async () => (await client("workflows.retrieve", { params: { workflowId: "early" } })).body;
    assert.deepEqual((await read()).steps[0]!.issues, notConnected);
    const erring = (await client("workflows.list", { query: { query: "early", status: ["ERROR"] } })).body;
    assert.equal(erring.totalCount, 0);

    await client("subscribers.create", { body: { subscriberId: "ada" } });
    await feedOf(client, "ada");
    const after = await read();
    assert.equal("issues" in after.steps[0]!, false);
    assert.equal(after.status, "ACTIVE");
    const elsewhere = await createWorkflow(production, "early", [inApp()]);
    assert.deepEqual(elsewhere.steps[0]!.issues, notConnected);
  });

  test("later reads of a feed write nothing", async () => {
    const row = () =>
      sql`select inbox_connected_at, xmin::text from environments where identifier = 'development'`.execute(db);
    const before = (await row()).rows[0];
    await feedOf(client, "ada");
    assert.deepEqual((await row()).rows[0], before);
  });
});

describe("integrations", () => {
  test("a channel without an active integration; adding one clears it", async () => {
    const made = await createWorkflow(production, "mail", [email()]);
    assert.deepEqual(made.steps[0]!.issues, {
      integration: {
        email: [
          {
            issueType: "MISSING_INTEGRATION",
            message: "No active integration for the email channel",
            severity: "error",
          },
        ],
      },
    });
    assert.equal(made.status, "ERROR");
    const listed = (await production("workflows.list", { query: { query: "mail", status: ["ERROR"] } })).body;
    assert.equal(listed.workflows[0]!.steps[0]!.issues!.integration!.email!.length, 1);
    await production("integrations.update", { params: { integrationId: "svc-email-default" }, body: { active: true } });
    const { body } = await production("workflows.retrieve", { params: { workflowId: "mail" } });
    assert.deepEqual([body.status, body.steps[0]!.issues], ["ACTIVE", undefined]);
  });
});

describe("missing values", () => {
  const missing = (name: string) => [{ issueType: "MISSING_VALUE", message: `${name} is required`, severity: "error" }];

  test("by step type", async () => {
    assert.deepEqual(await controls([email({})]), { subject: missing("subject"), body: missing("body") });
    assert.deepEqual(await controls([email({ subject: "", body: "x" })]), { subject: missing("subject") });
    assert.deepEqual(await controls([delay({})]), { amount: missing("amount"), unit: missing("unit") });
    const message = "Either a subject or a body is required";
    const either = [{ issueType: "MISSING_VALUE", message, severity: "error" }];
    assert.deepEqual(await controls([inApp({})]), { body: either });
    assert.equal(await controls([inApp({ subject: "only" })]), undefined);
  });

  test("waits longer than the setting allows", async () => {
    const message = "The wait is longer than the allowed 30 days";
    const tooLong = { amount: [{ issueType: "TIER_LIMIT_EXCEEDED", message, severity: "error" }] };
    assert.deepEqual(await controls([delay({ amount: 31, unit: "days" })]), tooLong);
    assert.deepEqual(
      await controls([{ name: "D", type: "digest", controlValues: { amount: 2, unit: "months" } }]),
      tooLong,
    );
    assert.equal(await controls([delay({ amount: 30, unit: "days" })]), undefined);
  });
});

describe("values that do not fit", () => {
  const illegal = (message: string) => [
    { issueType: "ILLEGAL_VARIABLE_IN_CONTROL_VALUE", message, severity: "error" as const },
  ];

  test("a layout that does not exist, until there is one; by identifier, id and slug", async () => {
    const mail = (layoutId: string | null) => email({ subject: "s", body: "b", layoutId });
    const made = await createWorkflow(client, "framed", [mail("frame")]);
    const told = { controls: { layoutId: illegal("Layout frame does not exist in this environment") } };
    assert.deepEqual([made.status, made.steps[0]!.issues], ["ERROR", told]);
    const { body: listed } = await client("workflows.list", { query: { query: "framed" } });
    assert.deepEqual(listed.workflows[0]!.steps[0]!.issues, told);
    const layout = (await client("layouts.create", { body: { layoutId: "frame", name: "Frame" } })).body;
    const read = (await client("workflows.retrieve", { params: { workflowId: "framed" } })).body;
    assert.deepEqual([read.status, read.steps[0]!.issues], ["ACTIVE", undefined]);
    for (const known of [layout._id, layout.slug, null]) assert.equal(await controls([mail(known)]), undefined);
    const elsewhere = await createWorkflow(production, "framed", [mail("frame")]);
    assert.deepEqual(elsewhere.steps[0]!.issues?.controls, told.controls);
  });

  test("invalid addresses are stored and reported as issues; empty ones and templates are valid", async () => {
    const message = (path: string) => `${path} must be a web address, a path that begins with /, or a template`;
    const bad = "not-good-url";
    const values = {
      body: "x",
      avatar: "javascript:x",
      redirect: { url: bad },
      primaryAction: { label: "a", redirect: { url: "//elsewhere.example" } },
      secondaryAction: { label: "b", redirect: { url: "{{ payload.url }}" } },
    };
    const paths = ["avatar", "redirect.url", "primaryAction.redirect.url"];
    assert.deepEqual(
      await controls([inApp(values)]),
      Object.fromEntries(paths.map((path) => [path, illegal(message(path))])),
    );
    const fine = ["", "/home", "https://a.example/{{ payload.id }}", "{% if payload.x %}/a{% else %}/b{% endif %}"];
    for (const url of fine)
      assert.equal(await controls([inApp({ body: "x", avatar: url, redirect: { url } })]), undefined);
  });
});

describe("whether and when a step runs", () => {
  const illegal = (message: string, variableName?: string) => [
    {
      issueType: "ILLEGAL_VARIABLE_IN_CONTROL_VALUE",
      message,
      severity: "error",
      ...(variableName && { variableName }),
    },
  ];
  const unknown = (name: string) => illegal(`${name} is not a variable that can be used here`, name);

  test("rules: operators, names, templates", async () => {
    const skipIssues = async (skip: object, settings: object = {}) =>
      (await controls([inApp({ body: "x", skip })], settings))?.skip;
    assert.deepEqual(await skipIssues({ like: [1, 2] }), illegal("skip uses an unknown operator: like"));
    const two = { "==": [1, 1], "!=": [1, 2] };
    assert.deepEqual(await skipIssues(two), illegal("skip must have one operator per object, not !=, =="));
    assert.deepEqual(await skipIssues({ var: "subscriber.plan" }), unknown("subscriber.plan"));
    assert.deepEqual(await skipIssues({ "!": [{ var: "steps.later.seen" }] }), unknown("steps.later.seen"));
    const closed = { payloadSchema: { type: "object", properties: { a: {} }, additionalProperties: false } };
    assert.deepEqual(await skipIssues({ missing: ["payload.a", "payload.b"] }, closed), unknown("payload.b"));
    const fine = {
      and: [
        { some: [{ var: "payload.items" }, { ">": [{ var: "price" }, "{{ payload.limit }}"] }] },
        { "==": [{ var: ["subscriber.data.plan", "free"] }, "free"] },
        { var: "context.tenant.data.vip" },
      ],
    };
    assert.equal(await skipIssues(fine), undefined);
    const issues = await controls([inApp({ body: "x", skip: { "==": ["{{ nothing }}", "{{ payload"] } })]);
    assert.deepEqual(Object.keys(issues ?? {}), ["skip.==.0", "skip.==.1"]);
  });

  test("cron, dynamic times, look-back windows and keys", async () => {
    const one = async (type: "delay" | "digest" | "throttle", values: object, settings: object = {}) =>
      controls([{ name: "One", type, controlValues: { ...values } }], settings);
    const cron = (text: string) => one("delay", { type: "timed", cron: text });
    assert.deepEqual(await cron("every day"), {
      cron: illegal("cron must have five fields: minute, hour, day, month, weekday"),
    });
    assert.deepEqual(await cron("0 0 31 2 *"), { cron: illegal("cron names a day that never comes") });
    assert.match((await cron("61 * * * *"))!.cron![0]!.message, /minute must be from 0 to 59/);
    assert.equal(await cron("*/5 9-17 * * MON-FRI"), undefined);
    const inThreeMonths = ((new Date().getUTCMonth() + 3) % 12) + 1;
    assert.equal((await cron(`0 0 1 ${inThreeMonths} *`))!.cron![0]!.issueType, "TIER_LIMIT_EXCEEDED");
    const hour = { amount: 1, unit: "hours" };
    const message = "The wait is longer than the allowed 30 days";
    const tooLong = [{ issueType: "TIER_LIMIT_EXCEEDED", message, severity: "error" }];
    assert.deepEqual(await one("digest", { ...hour, lookBackWindow: { amount: 5, unit: "weeks" } }), {
      lookBackWindow: tooLong,
    });
    assert.deepEqual(await one("throttle", { amount: 31, unit: "days" }), { amount: tooLong });
    assert.equal(
      (await one("digest", { ...hour, lookBackWindow: {} }))!.lookBackWindow![0]!.issueType,
      "MISSING_VALUE",
    );
    const closed = { payloadSchema: { type: "object", properties: { at: {} }, additionalProperties: false } };
    const dynamic = (dynamicKey: string) => one("delay", { type: "dynamic", dynamicKey }, closed);
    for (const name of ["payload.at", "at", "subscriber.data.at"]) assert.equal(await dynamic(name), undefined, name);
    assert.deepEqual(await dynamic("payload.to"), { dynamicKey: unknown("payload.to") });
    assert.deepEqual(await dynamic("to"), { dynamicKey: unknown("to") });
    assert.deepEqual(await one("digest", { ...hour, digestKey: "order.id" }, closed), {
      digestKey: unknown("order.id"),
    });
    assert.equal(await one("throttle", { ...hour, throttleKey: "payload.at" }, closed), undefined);
    const listed = {
      items: { type: "array", items: { type: "object", properties: { id: {} }, additionalProperties: false } },
    };
    const lists = { payloadSchema: { type: "object", properties: listed, additionalProperties: false } };
    for (const digestKey of ["items[0].id", "payload.items[0].id", 'items[0]["id"]']) {
      assert.equal(await one("digest", { ...hour, digestKey }, lists), undefined, digestKey);
    }
    for (const throttleKey of ["items[*].id", "items[0", "items[0].no"]) {
      assert.equal((await one("throttle", { ...hour, throttleKey }, lists))!.throttleKey!.length, 1, throttleKey);
    }
  });
});

test("a default that does not fit its own schema is a warning, by its place", async () => {
  const payloadSchema = {
    type: "object",
    properties: {
      count: { type: "integer", default: "one" },
      inner: { type: "object", properties: { at: { type: "string", default: 3 }, fine: { default: [] } } },
    },
  };
  const { body } = await client("workflows.create", {
    body: { name: "Defaults", workflowId: "defaults", steps: [], payloadSchema },
  });
  assert.deepEqual(
    Object.entries((body.issues ?? {}) as Record<string, { severity: string; message: string }>).map(
      ([path, issue]) => [path, issue.severity, issue.message],
    ),
    ["properties.count.default", "properties.inner.properties.at.default"].map((path, index) => [
      `payloadSchema.${path}`,
      "warning",
      `${path} does not fit its own schema: it must be ${["integer", "string"][index]}`,
    ]),
  );
  const invalid = { type: "object", properties: { a: { prefixItems: 5 } } };
  const refusal = await client.raw("workflows.create", {
    body: { name: "Bad", workflowId: "bad", steps: [], payloadSchema: invalid },
  });
  assert.equal(refusal.status, 422, "a keyword of 2020-12 with a wrong value is refused, also without $schema");
});

describe("templates", () => {
  const illegal = (name: string) => ({
    issueType: "ILLEGAL_VARIABLE_IN_CONTROL_VALUE",
    variableName: name,
    message: `${name} is not a variable that can be used here`,
    severity: "error",
  });
  const bodyIssues = async (body: string, settings: object = {}, before: StepIn[] = []) =>
    (await controls([...before, inApp({ body })], settings))?.body;

  test("names outside of the variables, each once, wherever they stand", async () => {
    assert.deepEqual(await bodyIssues("{{ subscriber.firstNam }} {{ foo }} {{ foo }}"), [
      illegal("subscriber.firstNam"),
      illegal("foo"),
    ]);
    assert.deepEqual(await bodyIssues("{% if user.vip %}{% for x in orders %}{{ x.id }}{% endfor %}{% endif %}"), [
      illegal("user.vip"),
      illegal("orders"),
    ]);
    assert.deepEqual(await bodyIssues("{{ 'a' | append: nothing.here }}"), [illegal("nothing.here")]);
    assert.deepEqual(await bodyIssues("{{ t.hello }}"), [illegal("t.hello")]);
    assert.equal(await bodyIssues("{{ t.hello }}", { isTranslationEnabled: true }), undefined);
    const nested = { body: "x", primaryAction: { label: "{{ bar }}" }, data: { deep: [{ a: "{{ baz }}" }] } };
    assert.deepEqual(await controls([inApp(nested)]), {
      "primaryAction.label": [illegal("bar")],
      "data.deep.0.a": [illegal("baz")],
    });
  });

  test("names that may be used", async () => {
    const fine =
      "{{ payload.any.thing[0].goes }} {{ subscriber.data.x.y }} {{ context.project.id }} {{ tenant.data.plan }} " +
      "{{ actor.firstName }} {{ workflow.tags | join: ', ' }} {{ workflow.tags.size }} " +
      "{% assign z = payload.q | default: 'none' %}{{ z }} {% for i in (1..3) %}{{ i }}{{ forloop.index }}{% endfor %}";
    assert.equal(await bodyIssues(fine), undefined);
    assert.deepEqual(await bodyIssues("{{ context.project.name }}"), [illegal("context.project.name")]);
  });

  test("results of earlier steps, not of later or unknown ones", async () => {
    const digest: StepIn = { name: "Digest", type: "digest", controlValues: { amount: 1, unit: "days" } };
    const body = "{% for e in steps.digest.events %}{{ e.payload.x }}{% endfor %}{{ steps.digest.eventCount }}";
    assert.equal(await bodyIssues(`${body} {{ steps.digest.countSummary }}`, {}, [digest]), undefined);
    assert.deepEqual(await bodyIssues("{{ steps.digest.events }}"), [illegal("steps.digest.events")]);
    assert.deepEqual(await bodyIssues("{{ steps.digest.total }}", {}, [digest]), [illegal("steps.digest.total")]);
  });

  test("the payload's schema decides when it is closed", async () => {
    const schema = { type: "object", properties: { order: { type: "object", properties: { id: {} } } } };
    const closed = { payloadSchema: { ...schema, additionalProperties: false } };
    assert.deepEqual(await bodyIssues("{{ payload.order.id }}{{ payload.ordr }}", closed), [illegal("payload.ordr")]);
    assert.equal(await bodyIssues("{{ payload.order.other }}", closed), undefined);
    assert.equal(await bodyIssues("{{ payload.ordr }}", { payloadSchema: schema }), undefined);
    const patterns = { type: "object", patternProperties: { "^x": {} }, additionalProperties: false };
    assert.equal(await bodyIssues("{{ payload.xyz }}", { payloadSchema: patterns }), undefined);
  });

  test("unknown filters and wrong arguments", async () => {
    const fault = (message: string) => [{ issueType: "INVALID_FILTER_ARG_IN_VARIABLE", message, severity: "error" }];
    assert.deepEqual(await bodyIssues("{{ payload.a | shout }}"), fault("undefined filter: shout (line 1, column 1)"));
    assert.deepEqual(await bodyIssues("{{ payload.a | plus }}"), fault("filter plus needs 1 argument"));
    assert.deepEqual(await bodyIssues("{{ payload.a | upcase: 1 }}"), fault("filter upcase takes no arguments"));
    assert.deepEqual(
      await bodyIssues("{{ payload.a | slice: 1, 2, 3 }}"),
      fault("filter slice takes at most 2 arguments"),
    );
    assert.deepEqual(await bodyIssues("{{ payload.a | where }}"), fault("filter where needs at least 1 argument"));
    assert.deepEqual(
      await bodyIssues("{% if payload.a %}{% assign b = payload.a | pluralize: 'item' %}{% endif %}"),
      fault("filter pluralize needs at least 2 arguments"),
    );
    const fine =
      "{{ payload.n | pluralize: 'a', 'b' }}{{ payload.l | toSentence: 'x', 2, 'other' }}{{ payload.d | default: 1, allow_false: true }}";
    assert.equal(await bodyIssues(fine), undefined);
  });

  test("a template that does not parse", async () => {
    const [issue] = (await bodyIssues("Hello {{ payload.name"))!;
    assert.equal(issue!.issueType, "ILLEGAL_VARIABLE_IN_CONTROL_VALUE");
    assert.match(issue!.message, /not closed.*\(line 1, column 7\)/);
    assert.match((await bodyIssues("{% include 'secrets' %}"))![0]!.message, /include/);
  });
});

test("onUnknownOutcome and deadlineSeconds: kept by what does not name them, and part of the version that runs", async () => {
  const steps = [
    { name: "Code", type: "email" as const, controlValues: { subject: "s", body: "b" }, deadlineSeconds: 90 },
  ];
  const body = { name: "Code", workflowId: "code", steps };
  const made = (await client("workflows.create", { body })).body;
  assert.deepEqual([made.onUnknownOutcome, made.steps[0]!.deadlineSeconds], ["may_duplicate", 90]);
  const params = { workflowId: "code" };
  const patched = (await client("workflows.patch", { params, body: { onUnknownOutcome: "may_delay" } })).body;
  assert.deepEqual([patched.onUnknownOutcome, patched.steps[0]!.deadlineSeconds], ["may_delay", 90]);
  const version = await sql<{ definition: { onUnknownOutcome: string; steps: { deadlineSeconds?: number }[] } }>`
    select v.definition from workflows w join workflow_versions v on v.id = w.version_id
    where w.id = ${made._id}`.execute(db);
  const { onUnknownOutcome, steps: stored } = version.rows[0]!.definition;
  assert.deepEqual([onUnknownOutcome, stored[0]!.deadlineSeconds], ["may_delay", 90]);
  const again = {
    ...body,
    origin: made.origin,
    preferences: {},
    steps: [{ ...steps[0]!, deadlineSeconds: undefined }],
  };
  const updated = (await client("workflows.update", { params, body: again })).body;
  assert.deepEqual([updated.onUnknownOutcome, updated.steps[0]!.deadlineSeconds], ["may_delay", undefined]);
});

test("outsideSchedule: hold unless said otherwise, kept by what does not name it", async () => {
  const made = await createWorkflow(client, "schedule", [inApp()]);
  assert.equal(made.outsideSchedule, "hold");
  const params = { workflowId: "schedule" };
  const patched = (await client("workflows.patch", { params, body: { outsideSchedule: "skip" } })).body;
  assert.equal(patched.outsideSchedule, "skip");
  const body = { name: "S", steps: [inApp()], preferences: {}, origin: "svc-cloud" as const };
  assert.equal((await client("workflows.update", { params, body })).body.outsideSchedule, "skip");
  const version = await sql<{ definition: { outsideSchedule: string } }>`
    select v.definition from workflow_versions v join workflows w on w.version_id = v.id
    where w.workflow_id = 'schedule'`.execute(db);
  assert.equal(version.rows[0]!.definition.outsideSchedule, "skip");
  await assertRefused(
    client,
    "workflows.patch",
    { params, body: { outsideSchedule: "drop" } },
    {
      code: "VALIDATION_ERROR",
      errors: { outsideSchedule: ["outsideSchedule must be one of: hold, skip"] },
    },
  );
});

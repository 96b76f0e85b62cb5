// HTTP requests while a workflow is written: what is simulated, what is sent once by hand, and which issues are found.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { StepIn } from "@tidings/contract";
import { newStage } from "@tidings/testkit/clock";
import { errorOf } from "@tidings/testkit/http";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, detailsOf, feedOf, inApp, settled, trigger } from "@tidings/testkit/verbs";

const host = await startReceiver(({ path }) =>
  path === "/missing"
    ? { status: 404, text: "nothing here" }
    : { status: 200, text: '{"plan":"pro","seats":3}', headers: { "set-cookie": "session=1", "x-region": "eu" } },
);
const service = await shareService();
const { client, production } = service;

const schema = { type: "object", properties: { plan: { type: "string" } }, required: ["plan"] };
const request = (controlValues: Record<string, unknown> = {}): StepIn => ({
  name: "Account",
  stepId: "account",
  type: "http_request",
  controlValues: { method: "GET", url: `${host.url}/account`, ...controlValues },
});
const shown = inApp({ body: "{{ steps.account.plan }} {{ steps.account.status }}" });

describe("where nothing may be sent", () => {
  const sample = { status: 200, body: { plan: "sample" } };
  const steps = [request({ responseBodySchema: schema, enforceSchemaValidation: true, sampleResponse: sample }), shown];
  const dryRun = async (workflow: StepIn[]) => {
    const body = { workflow: { name: "Draft", steps: workflow }, to: "ada" };
    return (await client("explain.dryRun", { body })).body.recipients![0]!.steps;
  };

  test("a dry run takes the sample response, and says so", async () => {
    const calls = host.received.length;
    const [asked, message] = await dryRun(steps);
    assert.equal(asked!.outcome, "done");
    assert.match(
      asked!.reason,
      /no request is sent here: the sample response of the step is used, with the status 200/,
    );
    assert.equal(message!.messages[0]!.content, "sample 200");
    const [failing, stopped] = await dryRun([request({ sampleResponse: { status: 503 } }), shown]);
    assert.match(failing!.reason, /would fail: no request is sent here, and its sample response has the status 503/);
    assert.match(stopped!.reason, /step account failed/);
    const [wrong] = await dryRun([
      request({ ...steps[0]!.controlValues, sampleResponse: { body: { plan: 1 } } }),
      shown,
    ]);
    assert.match(wrong!.reason, /does not match the schema: plan must be string/);
    const [bare] = await dryRun([request({ responseBodySchema: schema, enforceSchemaValidation: true })]);
    assert.equal(bare!.outcome, "done");
    const [none] = await dryRun([request({ url: "{{ payload.none }}" })]);
    assert.match(none!.reason, /would fail: url is empty/);
    assert.equal(host.received.length, calls);
  });

  test("an environment on a test clock takes it too, and agrees with the dry run", async () => {
    const stage = await newStage(service, "2030-01-01T00:00:00.000Z");
    await createWorkflow(stage.client, "staged", steps);
    const calls = host.received.length;
    const [notification] = await settled(stage.client, await trigger(stage.client, "staged", "ada"));
    assert.ok(
      detailsOf(notification!, "http_request").includes(
        "No HTTP request sent, the sample response of the step was used",
      ),
    );
    assert.equal((await feedOf(stage.client, "ada"))[0]!.content, "sample 200");
    assert.equal(host.received.length, calls);
  });
});

describe("sent once by hand", () => {
  const send = (stepId: string, body: object = {}, by = client) =>
    by.raw("workflows.sendRequest", { params: { workflowId: "by-hand", stepId }, body: body as never });

  test("the saved step, or one that is not saved, returns the response and the result", async () => {
    const headers = [
      { key: "X-Api-Key", value: "s3cr3t" },
      { key: "X-Name", value: "{{ payload.name }}" },
    ];
    await createWorkflow(client, "by-hand", [request({ headers, responseBodySchema: schema }), shown]);
    const { status, body } = await send("account", { payload: { name: "Ann" } });
    assert.equal(status, 200);
    const {
      request: sent,
      response,
      result,
    } = (body as { data: Record<string, never> }).data as never as {
      request: { method: string; url: string; headers: Record<string, string> };
      response: { status: number; body: unknown; headers: Record<string, string>; durationMs: number };
      result: object;
    };
    assert.deepEqual([sent.method, sent.url], ["GET", `${host.url}/account`]);
    assert.deepEqual([sent.headers["x-api-key"], sent.headers["x-name"]], ["********", "Ann"]);
    assert.deepEqual([response.status, response.body], [200, { plan: "pro", seats: 3 }]);
    assert.deepEqual([response.headers["set-cookie"], response.headers["x-region"]], ["********", "eu"]);
    assert.deepEqual(result, { plan: "pro", status: 200 });
    const got = host.received.at(-1)!;
    assert.deepEqual([got.headers["x-api-key"], got.headers["x-name"]], ["s3cr3t", "Ann"]);

    const draft = { controlValues: { method: "POST", url: `${host.url}/missing`, body: '{"a": "{{ payload.a }}"}' } };
    const { data } = (await send("new-step", { ...draft, payload: { a: '"' } })).body as { data: { error: string } };
    assert.equal(data.error, "it returned 404, nothing here");
    assert.equal(host.received.at(-1)!.body, '{"a":"\\""}');
  });

  test("what cannot be sent has its reason, and a wrong step or role is refused", async () => {
    const errorFor = async (controlValues: object) =>
      ((await send("x", { controlValues })).body as { data: { error: string } }).data.error;
    assert.match(await errorFor({ method: "GET", url: "http://10.0.0.1/" }), /Connections to 10\.0\.0\.1 are refused/);
    assert.match(await errorFor({ method: "GET", url: "" }), /url is empty/);
    errorOf(await send("account", {}, production), "WORKFLOW_NOT_FOUND");
    errorOf(await send("nobody"), "STEP_NOT_FOUND");
    errorOf(await send("account", { subscriberId: "nobody" }), "SUBSCRIBER_NOT_FOUND");
    errorOf(await send("in-app"), "VALIDATION_ERROR");
    errorOf(await send("account", { controlValues: { method: 3 } }), "VALIDATION_ERROR");
    errorOf(await send("account", { payload: "text" }), "VALIDATION_ERROR");
  });
});

test("issues name the control and the fix", async () => {
  const issuesOf = async (controlValues: Record<string, unknown>) => {
    const id = `issues-${count++}`;
    const { steps } = await createWorkflow(client, id, [request(controlValues)]);
    const { controls = {} } = steps[0]!.issues ?? {};
    return Object.entries(controls).flatMap(([path, list]) => list.map((one) => [path, one.message, one.severity]));
  };
  let count = 0;
  const cases: [controls: Record<string, unknown>, path: string, message: RegExp, severity?: string][] = [
    [{ url: "" }, "url", /url is required/],
    [{ url: "example.com/x" }, "url", /must be a web address that begins with https:\/\//],
    [{ url: "ftp://example.com/{{ payload.x }}" }, "url", /must be a web address/],
    [{ url: "http://10.0.0.1/{{ payload.x }}" }, "url", /Requests to 10\.0\.0\.1 are refused: it is a private address/],
    [{ url: "http://[fe80::1]/" }, "url", /a link-local address.*TIDINGS_ALLOW_NETWORKS/],
    [{ headers: [{ key: "a b", value: "1" }] }, "headers.0.key", /has no valid name/],
    [{ headers: [{ key: "", value: "1" }] }, "headers.0.key", /is required/],
    [{ headers: [{ key: "Content-Length", value: "1" }] }, "headers.0.key", /is set by the service/],
    [{ body: "{a: 1}" }, "body", /body is not JSON/],
    [{ body: "{{ payload.x | nonsense }}" }, "body", /undefined filter/],
    [{ responseBodySchema: { type: "nonsense" } }, "responseBodySchema", /is not a valid JSON Schema/],
    [
      { responseBodySchema: { description: "x".repeat(70_000) } },
      "responseBodySchema",
      /must not be longer than 65536 characters/,
    ],
    [
      { responseBodySchema: schema, sampleResponse: { body: { plan: 1 } } },
      "sampleResponse.body",
      /The sample response does not fit: .*plan must be string/,
      "warning",
    ],
  ];
  for (const [controls, path, message, severity = "error"] of cases) {
    const found = await issuesOf(controls);
    assert.deepEqual(
      found.map(([at, , level]) => [at, level]),
      [[path, severity]],
      JSON.stringify([controls, found]),
    );
    assert.match(String(found[0]![1]), message);
  }
  const fine = {
    url: "https://{{ payload.host }}/x",
    body: '{"a": {{ payload.a | json }}}',
    sampleResponse: { body: "{{" },
  };
  assert.deepEqual(await issuesOf(fine), []);
});

// One trace, from the request to the receipt, as a collector of OpenTelemetry gets it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Integration } from "@tidings/contract";
import { authorized, request } from "@tidings/testkit/http";
import { startMailServer } from "@tidings/testkit/mail/smtp";
import { type Span, startCollector } from "@tidings/testkit/servers/collector";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { step, texter } from "@tidings/testkit/servers/webhook-providers";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp, messagesOf, settled } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";

const collector = await startCollector();
const mailServer = await startMailServer();
const content = { outputs: { body: "From the bridge" }, providers: {}, options: { skip: false } };
const bridged = {
  workflowId: "bridged",
  steps: [{ stepId: "hello", type: "in_app", controls: { schema: { type: "object" } } }],
  ...{ payload: {}, preferences: {}, tags: [], severity: "none" },
};
const theirs = await startReceiver(({ path }) => ({
  status: path === "/text" ? 200 : 201,
  text: JSON.stringify(path.includes("action=discover") ? { workflows: [bridged] } : { id: "sms-1", ...content }),
}));
const service = await startTestService({
  OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
  OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=a%20b",
  OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
  OTEL_BSP_SCHEDULE_DELAY: "50",
  OTEL_METRIC_EXPORT_INTERVAL: "500",
});
const { client, db } = service;

const key = "a password for reports";
const mail = (
  await client("integrations.create", {
    body: {
      ...{ channel: "email", providerId: "nodemailer", identifier: "mail", active: true, primary: true },
      credentials: {
        ...{ host: "127.0.0.1", port: String(mailServer.port), user: mailServer.user, password: mailServer.password },
        ...{ from: "hello@example.com", senderName: "Tidings", secure: false },
      },
    } as never,
  })
).body;
const text = await texter(client, "text", `${theirs.url}/text`);
await client("integrations.update", {
  params: { integrationId: text._id! },
  body: { configurations: { inboundWebhookEnabled: true, inboundWebhookSigningKey: key } },
});
await client("webhooks.create", { body: { url: `${theirs.url}/hook`, eventTypes: ["message.sent"] } as never });
await client("bridge.sync", { body: { bridgeUrl: `${theirs.url}/bridge` } } as never);
await createWorkflow(client, "all", [inApp(), email(), step("sms", { body: "Hi" })]);

const traceId = "0af7651916cd43dd8448eb211c80319c";
const parent = "b7ad6b7169203331";
const personal = ["ada@example.com", "+4915112345678", "A very private name"];

async function send(name: string, headers: Record<string, string>, to = "ada"): Promise<string> {
  const recipient = { subscriberId: to, email: personal[0], phone: personal[1], firstName: personal[2] };
  const body = JSON.stringify({ name, to: recipient, payload: { name: personal[2] } });
  const reply = await authorized(service, "/v1/events/trigger", { method: "POST", headers, body });
  assert.equal(reply.status, 201, reply.text);
  return (reply.body as { transactionId: string }).transactionId;
}

const spansOf = (id: string): Span[] => collector.spans.filter((span) => span.traceId === id);
const spanOf = (id: string, name: string) =>
  eventually(() => spansOf(id).find((span) => span.name === name), `the span ${name}`);

async function report({ _environmentId, _id }: Integration, events: object[]): Promise<void> {
  const reply = await request(service, `/v2/inbound-webhooks/delivery-providers/${_environmentId}/${_id}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Basic ${btoa(`x:${key}`)}` },
    body: JSON.stringify(events),
  });
  assert.equal(reply.status, 200, reply.text);
}

test("one trace follows an event from the request through runs, steps, calls, webhooks and receipts", async () => {
  const transactionId = await send("all", { traceparent: `00-${traceId}-${parent}-01`, tracestate: "acme=1" });
  await settled(client, transactionId);
  const messages = await messagesOf(client, transactionId);
  await report(text, [{ messageId: messages.find(({ channel }) => channel === "sms")!._id, status: "delivered" }]);

  const root = await spanOf(traceId, "POST /v1/events/trigger");
  assert.deepEqual([root.parentSpanId, root.kind, root.attributes["http.response.status_code"]], [parent, 2, 201]);
  for (const name of ["send email", "send sms", "receipt sms", "workflow run", "POST webhook"]) {
    assert.equal((await spanOf(traceId, name)).parentSpanId, root.spanId, name);
  }
  const runs = spansOf(traceId).filter(({ name }) => name === "workflow run");
  for (const type of ["in_app", "email", "sms"]) {
    const { parentSpanId, attributes } = await spanOf(traceId, `step ${type}`);
    assert.ok(runs.some(({ spanId }) => spanId === parentSpanId));
    assert.equal(attributes["tidings.step.status"], type === "in_app" ? "completed" : "queued");
  }
  const sent = await spanOf(traceId, "send email");
  assert.equal(sent.kind, 3);
  assert.deepEqual(
    ["messaging.system", "tidings.outcome", "tidings.attempt.number", "tidings.integration.id"].map(
      (name) => sent.attributes[name],
    ),
    ["nodemailer", "accepted", 1, mail._id],
  );
  assert.equal(sent.attributes["messaging.message.id"], messages.find(({ channel }) => channel === "email")!._id);
  assert.equal((await spanOf(traceId, "receipt sms")).attributes["tidings.receipt.status"], "delivered");

  // Their own endpoints get the trace context, other services do not.
  const hook = await eventually(() => theirs.of("/hook")[0], "the webhook");
  const called = (await eventually(() => spansOf(traceId).find(({ name }) => name === "POST webhook"), "its span"))
    .spanId;
  assert.match(String(hook.headers.traceparent), new RegExp(`^00-${traceId}-[\\da-f]{16}-01$`));
  assert.ok(theirs.of("/hook").some(({ headers }) => String(headers.traceparent).includes(called)));
  assert.equal(hook.headers.tracestate, "acme=1");
  assert.equal(theirs.of("/text")[0]!.headers.traceparent, undefined);
});

test("a bridge gets the trace context", async () => {
  const own = "11111111111111111111111111111111";
  await settled(client, await send("bridged", { traceparent: `00-${own}-${parent}-01` }));
  const { spanId } = await spanOf(own, "POST bridge");
  const asked = theirs.received.find(({ path }) => path.includes("action=execute"));
  assert.equal(asked!.headers.traceparent, `00-${own}-${spanId}-01`);
});

test("spans and their resource are of this service, and have neither addresses nor payloads nor secrets", async () => {
  await spanOf(traceId, "receipt sms");
  assert.deepEqual(collector.faults, []);
  assert.equal(collector.received[0]!.headers["x-tenant"], "a b");
  const { "service.name": name, "deployment.environment.name": stage } = collector.resources[0]!;
  assert.deepEqual([name, stage], ["tidings", "test"]);
  const all = JSON.stringify(collector.spans);
  for (const word of [...personal, "key-s3cret", mailServer.password, service.apiKey, key])
    assert.ok(!all.includes(word), word);
});

test("a delivery is one log line with its ids, its outcome and its trace; that of the request has its span", async () => {
  const lines = service.logs.filter(({ msg, trace_id }) => msg === "delivery" && trace_id === traceId);
  const shown = lines.map(({ level, channel, provider, outcome, result }) => [
    level,
    channel,
    provider,
    outcome,
    result,
  ]);
  assert.deepEqual(shown.sort(), [
    [20, "in_app", undefined, undefined, "sent"],
    [30, "email", "nodemailer", "accepted", "sent"],
    [30, "sms", "generic-sms", "accepted", "sent"],
  ]);
  const sent = await spanOf(traceId, "send email");
  const line = lines.find(({ channel }) => channel === "email")!;
  assert.equal(line.span_id, sent.spanId);
  for (const name of ["env", "transactionId", "workflow", "notification", "message", "step", "integration", "attempt"])
    assert.ok(line[name], name);
  assert.ok(!JSON.stringify(lines).includes(personal[0]!));
  const root = await spanOf(traceId, "POST /v1/events/trigger");
  const own = service.logs.find(({ span_id }) => span_id === root.spanId);
  assert.deepEqual([own?.msg, own?.reqId, own?.trace_id], ["request", root.attributes["tidings.request.id"], traceId]);
});

test("a malformed traceparent is ignored, an unrecorded trace is stored and not exported", async () => {
  const zero = "0".repeat(32);
  const bad = [`00-${zero}-${parent}-01`, `ff-${traceId}-${parent}-01`, `00-${traceId}-${parent}-01-x`, "hello"];
  const transactions = await Promise.all(bad.map((traceparent) => send("all", { traceparent }, "bob")));
  const storedOf = async (id: string) =>
    (await sql<{ trace: string }>`select trace_context as trace from events where transaction_id = ${id}`.execute(db))
      .rows[0]!.trace;
  for (const id of transactions) {
    const stored = await storedOf(id);
    assert.match(stored, /^00-[\da-f]{32}-[\da-f]{16}-01$/);
    assert.ok(!stored.includes(traceId) && !stored.includes(zero));
    assert.equal((await spanOf(stored.slice(3, 35), "workflow run")).attributes["tidings.environment.id"] !== "", true);
  }
  const unrecorded = "22222222222222222222222222222222";
  const id = await send("all", { traceparent: `00-${unrecorded}-${parent}-00` }, "eve");
  await settled(client, id);
  assert.match(await storedOf(id), new RegExp(`^00-${unrecorded}-[\\da-f]{16}-00$`));
  assert.deepEqual(spansOf(unrecorded), []);
});

test("metrics are exported as /metrics shows them", async () => {
  const events = await eventually(() => {
    const points = collector.metrics.get("tidings_events_total")?.sum?.dataPoints ?? [];
    return points.find(({ asDouble }) => asDouble === 7);
  }, "seven events");
  assert.deepEqual(events.attributes, [{ key: "status", value: { stringValue: "processed" } }]);
  const { sum } = collector.metrics.get("tidings_events_total")!;
  assert.deepEqual([sum!.aggregationTemporality, sum!.isMonotonic], [2, true]);
  const shown = (await request(service, "/metrics")).text;
  const names = new Set([...shown.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
  assert.deepEqual(
    [...collector.metrics.keys()].filter((name) => !names.has(name)),
    [],
  );
  assert.ok(collector.metrics.get("tidings_http_request_seconds")?.histogram?.dataPoints.length);
  assert.ok(collector.metrics.has("process_cpu_seconds_total") && collector.metrics.has("tidings_queue_depth"));
  assert.deepEqual(collector.faults, []);
});

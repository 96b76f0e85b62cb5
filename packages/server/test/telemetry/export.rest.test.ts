// What loads and exports telemetry: nothing where it is off; in the bundle and its threads; with a collector that is
// down.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { createTestDatabase } from "@tidings/testkit/database";
import { metric } from "@tidings/testkit/metric";
import { temporaryFolder } from "@tidings/testkit/process";
import { startCollector } from "@tidings/testkit/servers/collector";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { startTestService } from "@tidings/testkit/service";
import { connectInbox, createWorkflow, feedOf, inApp, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";

const runFile = promisify(execFile);
const collector = await startCollector();

/**
 * Starts and stops a service with the settings of the environment, and prints which packages of OpenTelemetry it has
 * loaded: a separate program, because a test shares its process with others.
 */
const loadedModules = `
  import { registerHooks } from "node:module";
  import { pino } from "pino";
  const loaded = new Set();
  registerHooks({
    load(url, context, next) {
      const [, name] = /@opentelemetry\\/([a-z-]+)/.exec(url) ?? [];
      if (name) loaded.add(name);
      return next(url, context);
    },
  });
  const { readConfig } = await import("./config.ts");
  const { startService } = await import("./service.ts");
  const service = await startService(readConfig(), pino({ level: "silent" }));
  await service.stop();
  process.stdout.write([...loaded].sort().join(" "));
`;

test("OpenTelemetry is not loaded unless it is configured; prom-client needs its interface", async (context) => {
  const database = await createTestDatabase();
  context.after(() => database.drop());
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = {
    ...{ PATH, NODE_COMPILE_CACHE, DATABASE_URL: database.url, TIDINGS_PORT: "0", TIDINGS_THREADS: "1" },
    ...{ TIDINGS_DASHBOARD: "off", TIDINGS_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64") },
  };
  const cwd = join(import.meta.dirname, "../../src");
  const { stdout } = await runFile(process.execPath, ["--input-type=module", "-e", loadedModules], { env, cwd });
  assert.equal(stdout, "api");
});

test("the bundle exports the spans of all its threads, the last ones when it stops", async (context) => {
  const bulks = 12;
  const program = temporaryFolder(context).run({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_COMPRESSION: "none",
    // Nothing is sent before the stop.
    ...{ OTEL_BSP_SCHEDULE_DELAY: "3600000", OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "8192" },
    TIDINGS_THREADS: "2",
  });
  const { url, apiKey, client } = await program.started();
  await connectInbox(client);
  await createWorkflow(client, "hello", [inApp()]);
  const before = collector.spans.length;
  const traces = Array.from({ length: bulks }, () => randomBytes(16).toString("hex"));
  const replies = await Promise.all(
    traces.map((traceId, number) =>
      fetch(`${url}/v1/events/trigger/bulk`, {
        method: "POST",
        headers: {
          authorization: `ApiKey ${apiKey}`,
          "content-type": "application/json",
          traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
        },
        body: JSON.stringify({ events: [0, 1, 2].map((at) => ({ name: "hello", to: `person-${number}-${at}` })) }),
      }),
    ),
  );
  for (const reply of replies) assert.equal(reply.status, 201, await reply.text());
  await eventually(async () => (await feedOf(client, `person-${bulks - 1}-2`)).length === 1, "the last message");
  const handedOver = metric(await (await fetch(`${url}/metrics`)).text(), "tidings_requests_handed_over_total", {});
  assert.ok(handedOver! > 0, "worker threads have worked on some of them");
  assert.equal(collector.spans.length, before);
  assert.equal(await program.end("SIGTERM"), 0, program.output());
  for (const traceId of traces) {
    const own = collector.spans.filter((span) => span.traceId === traceId);
    assert.equal(own.filter(({ name }) => name === "POST /v1/events/trigger/bulk").length, 1);
    assert.equal(own.filter(({ name }) => name === "workflow run").length, 3);
    assert.equal(own.filter(({ name }) => name === "step in_app").length, 3);
  }
  assert.ok(collector.spans.some(({ name, links }) => name === "workflow batch" && links));
  assert.deepEqual(collector.faults, []);
});

test("a collector that is down changes nothing but one log line, and one when it is back", async () => {
  let isUp = false;
  const broken = await startReceiver(() => (isUp ? { status: 200, text: "{}" } : { status: 400, text: "no" }));
  const service = await startTestService({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${broken.url}/custom/path`,
    ...{ OTEL_BSP_MAX_QUEUE_SIZE: "8", OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "4", OTEL_BSP_SCHEDULE_DELAY: "20" },
  });
  const { client, logs } = service;
  await createWorkflow(client, "hello", [inApp()]);
  for (let number = 0; number < 20; number++) await trigger(client, "hello", "ada");
  assert.equal((await feedOf(client, "ada")).length, 20);
  const linesWith = (text: string) => logs.filter(({ msg }) => String(msg).includes(text));
  await eventually(() => broken.of("/custom/path").length >= 4, "several exports");
  await eventually(() => linesWith("does not accept exports").length > 0, "a line");
  isUp = true;
  await eventually(async () => {
    await trigger(client, "hello", "bob");
    return linesWith("accepts exports again").length > 0;
  }, "the collector to be back");
  assert.equal(linesWith("does not accept exports").length, 1);
  assert.deepEqual(
    [linesWith("does not accept exports")[0]!.level, linesWith("accepts exports again").length],
    [40, 1],
  );
});

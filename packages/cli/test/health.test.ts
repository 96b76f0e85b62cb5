// `tidings health` against a service whose database goes away, a frozen one, none, and another program.
import assert from "node:assert/strict";
import { type AddressInfo, createServer } from "node:net";
import { test } from "node:test";
import { startFreezableProxy } from "@tidings/testkit/proxies/frozen-proxy";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { startTestService } from "@tidings/testkit/service";
import { eventually } from "@tidings/testkit/wait";
import { openTerminal } from "./support.ts";

const other = await startReceiver(() => ({ status: 200, text: "<h1>It works!</h1>" }));
const problems = [{ code: "DATABASE_SLOW", message: "It is slow" }];
const degraded = await startReceiver(() => ({ status: 200, text: JSON.stringify({ status: "degraded", problems }) }));
const service = await startTestService();
const proxy = await startFreezableProxy(service);
const terminal = openTerminal(service);
const { port } = new URL(service.url);
/** As in a container: no address and no key, only the settings of the service. */
const contained = (settings: Record<string, string>) => ({
  env: { TIDINGS_URL: "", TIDINGS_API_KEY: "", ...settings },
});

test("a ready service is found by the settings that it has itself, without a key", async () => {
  const url = `http://127.0.0.1:${port}`;
  for (const host of ["", "0.0.0.0", "127.0.0.1"]) {
    const settings = contained({ TIDINGS_HOST: host, TIDINGS_PORT: port });
    const ready = await terminal.runWith(settings, "health");
    assert.deepEqual(ready, { code: 0, stdout: `The service at ${url} is ready.\n`, stderr: "" });
    const live = await terminal.runWith(settings, "health", "--live");
    assert.equal(live.code, 0);
    assert.match(live.stdout, /^Tidings \d+\.\d+\.\d+ at http:\/\/127\.0\.0\.1:\d+ responds\.\n$/);
  }
  const named = await terminal.runWith(
    { env: { TIDINGS_URL: `${service.url}/`, TIDINGS_PORT: "1" } },
    "health",
    "--json",
  );
  assert.deepEqual(JSON.parse(named.stdout), { status: "ready", url: service.url, problems: [] });
});

test("without its database a service is alive and not ready, and it recovers", async () => {
  await service.database.allowConnections(false);
  const { code, stderr } = await terminal.run("health");
  assert.equal(code, 1);
  assert.equal(stderr, `error The service at ${service.url} is not ready: The database cannot be reached.\n`);
  assert.equal((await terminal.run("health", "--live")).code, 0);
  await service.database.allowConnections(true);
  await eventually(async () => (await terminal.run("health")).code === 0, "readiness");
});

test("a service that does not respond, none, and another program end with 1 and a sentence", async () => {
  proxy.freeze();
  const frozen = await terminal.runWith({ env: { TIDINGS_URL: proxy.url } }, "health", "--live", "--timeout", "0.3");
  proxy.thaw();
  assert.equal(frozen.code, 1);
  assert.equal(frozen.stderr, `error The service did not respond at ${proxy.url}/health within 0.3 seconds.\n`);

  // A port on which nothing listens: one that was free a moment ago.
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const free = String((probe.address() as AddressInfo).port);
  await new Promise((resolve) => probe.close(resolve));
  const none = await terminal.runWith(contained({ TIDINGS_PORT: free }), "health");
  assert.equal(none.code, 1);
  assert.match(
    none.stderr,
    /^error Nothing responds at \S+\/ready \(ECONNREFUSED\): the service is starting, or it has stopped\.\n$/,
  );

  for (const option of [[], ["--live"]]) {
    const { code, stderr } = await terminal.runWith({ env: { TIDINGS_URL: other.url } }, "health", ...option);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /responds with 200, but not as Tidings does: TIDINGS_URL or TIDINGS_PORT names another program/,
    );
  }
});

test("a service with problems that requests survive is ready, and says them", async () => {
  const { code, stdout } = await terminal.runWith({ env: { TIDINGS_URL: degraded.url } }, "health");
  assert.deepEqual([code, stdout], [0, `The service at ${degraded.url} is ready, but: It is slow.\n`]);
});

test("wrong usage is refused", async () => {
  for (const argv of [
    ["health", "now"],
    ["health", "--timeout", "soon"],
    ["health", "--timeout", "0"],
    ["health", "--dead"],
  ])
    assert.equal((await terminal.run(...argv)).code, 64, argv.join(" "));
});

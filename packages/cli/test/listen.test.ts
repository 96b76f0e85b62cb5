// listen: events of webhooks reach an address that the service does not call, signed as the service signs.
import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isSignedWith, startReceiver } from "@tidings/testkit/servers/receiver";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, inApp, trigger } from "@tidings/testkit/verbs";
import { openTerminal } from "./support.ts";

const receiver = await startReceiver(({ path }) => ({ status: path === "/broken" ? 500 : 200 }));
const service = await shareService();
const { client } = service;
const terminal = openTerminal(service);
await createWorkflow(client, "greeting", [inApp({ body: "Hello" })]);

const webhooks = async () => (await client("webhooks.list")).body.length;

test("events are forwarded with their signature, and the webhook of the session is gone in the end", async () => {
  const interrupted = new AbortController();
  const watched = terminal.watch(
    { signal: interrupted.signal },
    ...["listen", "--forward-to", `${receiver.url}/hooks`, "--event", "message.sent", "--secret-file", "hook.secret"],
  );
  await watched.until(() => watched.stderr().includes("Ctrl-C ends"));
  assert.equal(await webhooks(), 1);
  const transactionId = await trigger(client, "greeting", "ada");
  await watched.until(() => receiver.of("/hooks").length > 0);
  const [received] = receiver.of("/hooks");
  const file = join(terminal.folder, "hook.secret");
  const secret = readFileSync(file, "utf8").trim();
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.ok(isSignedWith(secret, received!));
  assert.equal(received!.event.type, "message.sent");
  assert.equal(received!.headers["webhook-id"], received!.event.id);
  assert.ok(received!.body.includes(transactionId));
  await watched.until(() => / message\.sent .* → 200 /.test(watched.stdout()));
  interrupted.abort();
  assert.equal(await watched.code, 0);
  assert.equal(await webhooks(), 0);
  assert.ok(!`${watched.stdout()}${watched.stderr()}`.includes(secret));
});

test("a receiver that fails is shown, and the secret of the file is used again", async () => {
  const interrupted = new AbortController();
  const options = ["--forward-to", `${receiver.url}/broken`, "--secret-file", "hook.secret", "--json"];
  const watched = terminal.watch({ signal: interrupted.signal }, "listen", ...options);
  await watched.until(async () => (await webhooks()) === 1);
  await trigger(client, "greeting", "ada");
  await watched.until(() => watched.stdout().includes('"status":500'));
  const secret = readFileSync(join(terminal.folder, "hook.secret"), "utf8").trim();
  assert.ok(isSignedWith(secret, receiver.of("/broken")[0]!));
  interrupted.abort();
  assert.equal(await watched.code, 0);
});

test("wrong input is refused, and creates no webhook", async () => {
  const cases: [argv: string[], stderr: RegExp][] = [
    [["listen"], /--forward-to <address> is missing/],
    [["listen", "--forward-to", "moon"], /is not an http or https URL/],
    [
      ["listen", "--forward-to", "4000", "--event", "message.eaten"],
      /"message\.eaten" is unknown\. Expected one of message\.sent/,
    ],
  ];
  for (const [argv, stderr] of cases) {
    const ran = await terminal.run(...argv);
    assert.match(ran.stderr, stderr);
    assert.equal(ran.code, 64);
  }
  assert.equal(await webhooks(), 0);
  assert.ok(!existsSync(join(terminal.folder, "moon")));
});

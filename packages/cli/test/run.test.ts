// trigger, signal, explain, tail, cancel and retract against a service.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp } from "@tidings/testkit/verbs";
import { keyOf, openTerminal } from "./support.ts";

const service = await shareService();
const { client } = service;
const terminal = openTerminal(service);
await createWorkflow(client, "order-shipped", [
  inApp({ body: "Order {{ payload.id }}" }),
  email({ subject: "Order {{ payload.id }}", body: "<p>Shipped</p>" }),
]);
await createWorkflow(client, "slow", [
  { name: "Wait", type: "delay", controlValues: { amount: 1, unit: "days" } },
  inApp({ body: "Late" }),
]);
await client("subscribers.create", { body: { subscriberId: "ada", email: "ada@example.com" } });
await client("subscribers.create", { body: { subscriberId: "bob" } });

type Triggered = { transactionId: string; ended?: boolean };

test("trigger sends, and --wait tells what was sent and why the rest was not", async () => {
  writeFileSync(join(terminal.folder, "payload.json"), '{"id": 7}');
  const sent = await terminal.run("trigger", "order-shipped", "--to", "ada", "--payload", "@payload.json", "--wait");
  assert.equal(sent.code, 0, sent.stdout + sent.stderr);
  assert.match(sent.stdout, /^accepted txn_/);
  assert.match(sent.stdout, /\n {2}sent {5}email .*\n.*"Order 7" to ada@example\.com/);
  const partly = await terminal.run("trigger", "order-shipped", "--to", "bob", "--payload", '{"id": 8}', "--wait");
  assert.match(partly.stdout, /bob: /);
  assert.match(partly.stdout, /email .*email address/i);
  const piped = await terminal.runWith(
    { input: '{"id": 9}' },
    "trigger",
    "order-shipped",
    "--to",
    "ada",
    "--payload",
    "@-",
    "--json",
  );
  assert.equal(JSON.parse(piped.stdout).status, "processed");
});

test("a dry run sends nothing, and a run that waits is not ended", async () => {
  const dry = await terminal.run("trigger", "order-shipped", "--to", "ada", "--dry-run");
  assert.equal(dry.code, 0, dry.stdout + dry.stderr);
  assert.match(dry.stdout, /Nothing was sent\.\n$/);
  const unaddressed = await terminal.run("trigger", "order-shipped", "--to", "moon", "--dry-run");
  assert.match(unaddressed.stdout, /^moon \(new\): [\s\S]*skipped +email/);
  assert.equal(unaddressed.code, 0, "no step would fail: moon has no address");
  const waiting = await terminal.json<Triggered>("trigger", "slow", "--to", "ada", "--wait", "--timeout", "1");
  assert.equal(waiting.ended, false);
  const explained = await terminal.run("explain", waiting.transactionId, "ada");
  assert.match(explained.stdout, /waiting +wait/);
  const canceled = await terminal.run("cancel", waiting.transactionId);
  assert.match(canceled.stdout, /^canceled txn_/);
  assert.match((await terminal.run("cancel", waiting.transactionId)).stdout, /Nothing was waiting/);
  assert.match((await terminal.run("explain", waiting.transactionId, "bob")).stdout, /Nothing was sent/);
});

test("signal reaches the runs that wait for it, and names those it cannot reach", async () => {
  const awaited = { name: "paid", key: "{{ payload.id }}" };
  await createWorkflow(client, "invoice", [
    {
      ...{ name: "Paid", stepId: "paid", type: "wait" },
      controlValues: { type: "regular", amount: 1, unit: "days", signal: awaited },
    },
    inApp({ body: "Thank you: {{ steps.paid.data.amount }}" }),
  ]);
  for (const person of ["ada", "bob"]) {
    const ran = await terminal.json<Triggered>(
      ...["trigger", "invoice", "--to", person, "--payload", '{"id": 7}', "--wait", "--timeout", "1"],
    );
    assert.equal(ran.ended, false);
  }
  const send = (...argv: string[]) => terminal.run("signal", "paid", ...argv);
  const other = await send("--to", "ada", "--key", "8");
  assert.equal(other.code, 0);
  assert.equal(other.stdout, "Nothing continues: no run of this subscriber waits for paid with the key 8.\n");
  const data = ["--key", "7", "--data", '{"amount": 20}'];
  const sent = await send("--to", "ada", "--to", "bob", "--to", "moon", ...data);
  assert.equal(sent.code, 0);
  assert.equal(sent.stdout, "unknown moon\nreached 2 runs\n");
  const again = await terminal.json<{ reached: number }>("signal", "paid", "--to", "ada", ...data);
  assert.equal(again.reached, 0);
  const nobody = await send("--to", "moon");
  assert.equal(nobody.code, 1);
  assert.match(nobody.stderr, /No one was reached: moon is unknown\.\n→ A signal does not create subscribers/);
});

test("retract shows what can be undone, retracts the event, and says what happened", async () => {
  const { transactionId } = await terminal.json<Triggered>("trigger", "order-shipped", "--to", "bob", "--wait");
  const preview = await terminal.run("retract", transactionId, "--preview");
  assert.match(preview.stdout, /^1 recipient\n/);
  assert.match(preview.stdout, /in_app +1 +removed\n/);
  const done = await terminal.run("retract", transactionId, "--reason", "wrong order");
  assert.equal(done.code, 0, done.stderr);
  assert.match(done.stdout, /^retracted for 1 recipient\n[\s\S]*in_app +1 +removed\n/);
  const again = await terminal.json<{ reason: string; status: string }>("retract", transactionId, "--reason", "again");
  assert.deepEqual([again.reason, again.status], ["wrong order", "completed"], "nothing is done twice");
});

test("wrong input is refused with what to do, and exit codes tell it from a refusal of the service", async () => {
  const cases: [argv: string[], code: number, stderr: RegExp][] = [
    [["trigger"], 64, /The workflow is missing/],
    [["trigger", "order-shipped"], 64, /--to <subscriber>, --topic <key> or --audience <id> is missing/],
    [["trigger", "a", "b", "--to", "ada"], 64, /"b" is one argument too many/],
    [["trigger", "a", "--to", "ada", "--wait", "--dry-run"], 64, /not both/],
    [["trigger", "a", "--to", "ada", "--payload", "{"], 1, /--payload is not JSON[\s\S]*@file\.json/],
    [["trigger", "a", "--to", "ada", "--payload", "[1]"], 1, /has to be a JSON object/],
    [["trigger", "a", "--to", "ada", "--payload", "@moon.json"], 1, /moon\.json cannot be read \(ENOENT\)/],
    [["trigger", "moon", "--to", "ada"], 1, /Workflow moon not found/],
    [["trigger", "slow", "--to", "ada", "--wait", "--timeout", "x"], 64, /"x" is not a number from 1 to 86400/],
    [["explain", "txn"], 64, /The subscriber is missing/],
    [["explain", "moon", "ada"], 1, /moon not found/],
    [["signal"], 64, /The name of the signal is missing/],
    [["signal", "paid"], 64, /--to <subscriber> is missing/],
    [["signal", "not a name", "--to", "ada"], 1, /name/],
    [["signal", "paid", "--to", "ada", "--data", "[1]"], 1, /has to be a JSON object/],
    [["cancel"], 64, /The transaction id is missing/],
    [["retract"], 64, /The transaction id is missing/],
    [["retract", "a"], 64, /--reason <text> is missing/],
    [["retract", "a", "--reason", "r", "--correction-subject", "s"], 64, /--correction <text> is missing/],
    [["retract", "moon", "--reason", "r"], 1, /Event with transaction id moon not found/],
  ];
  for (const [argv, code, stderr] of cases) {
    const ran = await terminal.run(...argv);
    assert.match(ran.stderr, stderr, argv.join(" "));
    assert.equal(ran.code, code, argv.join(" "));
  }
});

test("production is asked for before an event is sent", async () => {
  const production = openTerminal({ url: service.url, apiKey: await keyOf(service.production) });
  const refused = await production.run("trigger", "order-shipped", "--to", "ada");
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /this needs a confirmation\.\n→ Add --yes\./);
  const confirmed = await production.run("trigger", "order-shipped", "--to", "ada", "--yes");
  assert.match(confirmed.stderr, /not found/, "production has no workflows");
});

test("tail shows events as they come in, and ends when it is interrupted", async () => {
  const interrupted = new AbortController();
  const watched = terminal.watch({ signal: interrupted.signal }, "tail", "--workflow", "order-shipped");
  await watched.until(() => watched.stderr().includes("Ctrl-C ends"));
  // The stream is open a moment after the note: events are sent until one of them is shown.
  await watched.until(async () => {
    await terminal.run("trigger", "order-shipped", "--to", "ada", "--payload", '{"id": 1}');
    return /order-shipped → ada: .*txn_/.test(watched.stdout());
  });
  interrupted.abort();
  assert.equal(await watched.code, 0);
  assert.ok(!watched.stdout().includes("slow"));
});

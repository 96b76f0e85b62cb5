// `tidings backtest` and `tidings plan --backtest` against a real service: a folder is changed, tried on what happened,
// and limited.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { before } from "@tidings/testkit/at-end";
import { startTestService } from "@tidings/testkit/service";
import { connectInbox, createWorkflow, inApp, settled, trigger } from "@tidings/testkit/verbs";
import { sql } from "kysely";
import { newId } from "../../../server/src/lib/ids.ts";
import { openTerminal } from "../support.ts";

const service = await startTestService();
const { client, db } = service;
const terminal = openTerminal(service);
const order = join(terminal.folder, "files/workflows/order/workflow.yaml");

const run = async (code: number, ...argv: string[]) => {
  const ran = await terminal.run(...argv);
  assert.equal(ran.code, code, `${argv.join(" ")}: ${ran.stdout}${ran.stderr}`);
  return ran;
};
const backtest = (code: number, ...argv: string[]) => run(code, "backtest", "--dir", "files", ...argv);
const limit = (text: string) => writeFileSync(join(terminal.folder, "limits.yaml"), text);
const edit = (from: string | RegExp, to: string) => writeFileSync(order, readFileSync(order, "utf8").replace(from, to));
const countBacktests = async () => (await client("backtests.list")).body.data.length;

before(async () => {
  await connectInbox(client);
  const { workflowId } = await createWorkflow(client, "order", [
    inApp({ subject: "On its way", body: "Order {{ payload.total }}" }),
  ]);
  assert.equal(workflowId, "order");
  await run(0, "pull", "--dir", "files");
});

test("a period without events says so, and how to name another", async () => {
  edit("On its way", "Sent");
  const { stderr } = await backtest(1);
  assert.match(stderr, /no notification between[\s\S]*--days/);
  edit("Sent", "On its way");
  assert.equal(await countBacktests(), 0);
});

test("options that do not fit are refused before anything is asked", async () => {
  assert.match((await backtest(64, "--days", "32")).stderr, /--days: "32" is not a number from 1 to 31/);
  assert.match((await backtest(64, "--days", "1.5")).stderr, /whole number/);
  assert.match((await backtest(64, "--from", "yesterday")).stderr, /--from: "yesterday" is not a time/);
  assert.match((await backtest(64, "--to", "2026-05-01")).stderr, /--to needs --from/);
  assert.match((await backtest(64, "--from", "2026-05-02", "--to", "2026-05-01")).stderr, /is not after/);
  assert.match((await backtest(64, "--from", "2026-05-02", "--days", "3")).stderr, /exclude each other/);
  assert.match((await run(64, "plan", "--dir", "files", "--days", "3")).stderr, /--days needs --backtest/);
  assert.match((await run(64, "backtest", "files")).stderr, /one argument too many/);
  assert.match((await run(1, "backtest", "--dir", "nowhere")).stderr, /tidings\.yaml/);
  assert.match((await backtest(1, "--threshold", "none.yaml")).stderr, /none\.yaml cannot be read/);
  limit("maxSilencedPerson: 1\n");
  assert.match(
    (await backtest(1, "--threshold", "limits.yaml")).stderr,
    /limits\.yaml:1:1.*did you mean maxSilencedPeople/,
  );
});

test("a changed text is counted, and limits decide the exit code", async () => {
  const ids: string[] = [];
  for (const one of ["ada", "bob", "cleo", "dora"])
    for (const total of [5, 50]) ids.push(await trigger(client, "order", one, { total }));
  for (const id of ids) await settled(client, id);

  edit("On its way", "Sent");
  const told = await backtest(0);
  assert.match(told.stdout, /8 notifications of 4 people, \d{4}-/);
  assert.match(told.stdout, /8 messages would have different content/);
  assert.match(told.stdout, /channel +before +after +effects\nin-app +8 +8 +content 8/);
  assert.match(told.stdout, /order +8 +8 +4 +content 8/);
  assert.match(told.stdout, new RegExp(`${service.url}/backtests/[0-9a-f-]{36}`));
  assert.match(told.stderr, /Backtest [0-9a-f-]{36} of 8 notifications has begun/);

  limit("maxRemovedPercent: 0\nmaxRenderFailures: 0\n");
  assert.match((await backtest(0, "--threshold", "limits.yaml")).stdout, /✓ All limits are kept/);
  limit("maxRemovedPercent: 0\nworkflows:\n  order:\n    maxDifferingPeople: 3\n");
  const exceeded = await backtest(1, "--threshold", "limits.yaml");
  assert.match(exceeded.stdout, /✗ order maxDifferingPeople: 4, and at most 3 is allowed/);
  limit("workflows:\n  ordr:\n    maxDifferingPeople: 3\n");
  const before = await countBacktests();
  assert.match((await backtest(1, "--threshold", "limits.yaml")).stderr, /ordr[\s\S]*Did you mean order\?/);
  assert.equal(await countBacktests(), before);
});

test("as JSON it is one value, with the report and the limits", async () => {
  limit("maxDifferingPeople: 3\n");
  const { stdout } = await backtest(1, "--threshold", "limits.yaml", "--json");
  const json = JSON.parse(stdout);
  assert.equal(json.environment, "development");
  assert.equal(json.backtest.report.totals.effects.content, 8);
  assert.deepEqual(json.thresholds, {
    isKept: false,
    exceeded: [{ limit: "maxDifferingPeople", workflowId: null, most: 3, found: 4 }],
  });
});

test("a plan is tried too: exit code 2 with changes, 1 beyond a limit, and nothing to try without changes", async () => {
  limit("maxDifferingPeople: 4\n");
  const kept = await run(2, "plan", "--dir", "files", "--backtest", "--threshold", "limits.yaml");
  assert.match(kept.stdout, /~ workflow order[\s\S]*8 messages would have different content[\s\S]*✓ All limits/);
  limit("maxDifferingPeople: 0\n");
  await run(1, "plan", "--dir", "files", "--backtest", "--threshold", "limits.yaml");
  const json = await terminal.json<{ changes: unknown[]; backtest: { status: string } }>(
    ...["plan", "--dir", "files", "--backtest", "--days", "1"],
  );
  assert.equal(json.changes.length, 1);
  assert.equal(json.backtest.status, "completed");
  edit("Sent", "On its way");
  const before = await countBacktests();
  const same = await run(0, "plan", "--dir", "files", "--backtest");
  assert.match(same.stderr, /nothing to backtest/);
  assert.equal(await countBacktests(), before);
  edit("On its way", "Sent");
});

test("files that are not valid are refused with their place, and store nothing", async () => {
  const before = await countBacktests();
  edit("Sent", "'Sent {{ payload.total | nosuch }}'");
  const { stderr } = await backtest(1);
  assert.match(stderr, /workflows\/order\/.*nosuch/);
  edit("'Sent {{ payload.total | nosuch }}'", "Sent");
  edit("name:", "nam:");
  assert.match((await backtest(1)).stderr, /workflows\/order\/workflow\.yaml:\d+:\d+.*nam/);
  edit("nam:", "name:");
  assert.equal(await countBacktests(), before);
});

/** One that waits for its turn without end: no task of it exists. */
async function insertRunning(): Promise<string> {
  const id = newId();
  const { _id } = (await client("environments.list")).body.find(({ apiKeys }) => apiKeys)!;
  await sql`insert into backtests (environment_id, id, name, status, period_from, period_to, notifications, change,
    created_by, created_at) values (${_id}, ${id}, 'Other', 'running', now() - interval '1 day', now(), 10,
    ${JSON.stringify({ workflows: [], budgets: null, preferences: {}, order: {}, layouts: {}, ignored: [] })}, 'Olga', now())`.execute(
    db,
  );
  return id;
}

test("while another one runs, it is named with the way to end it", async () => {
  const id = await insertRunning();
  const { stderr } = await backtest(1);
  assert.match(stderr, new RegExp(`Backtest ${id} is running[\\s\\S]*tidings api POST /v2/backtests/${id}/cancel`));
  await run(0, "api", "POST", `/v2/backtests/${id}/cancel`);
  await backtest(0);
});

test("Ctrl-C cancels the backtest in the service", async () => {
  const interrupted = new AbortController();
  const told = await db.transaction().execute(async (lock) => {
    // A replay reads this table, and nothing else in this test does: it cannot end before it is canceled.
    await sql`lock table retracted_messages in access exclusive mode`.execute(lock);
    const watched = terminal.watch({ signal: interrupted.signal }, "backtest", "--dir", "files");
    await watched.until(() => /has begun/.test(watched.stderr()));
    interrupted.abort();
    assert.equal(await watched.code, 1);
    return watched.stderr();
  });
  assert.match(told, /The backtest was canceled\. Nothing of it is kept\./);
  const [id] = /[0-9a-f-]{36}/.exec(told)!;
  const { body } = await client("backtests.list");
  assert.ok(body.data.every(({ _id }) => _id !== id));
  // The page that was in progress ends without a trace, and the next backtest is not refused.
  await backtest(0);
});

test("a test clock is named with the way to remove it", async () => {
  await run(0, "clock", "set", "2027-01-01T00:00:00Z");
  assert.match((await backtest(1)).stderr, /test clock[\s\S]*tidings clock off/);
  await run(0, "clock", "off");
});

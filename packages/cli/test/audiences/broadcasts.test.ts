// `tidings audiences` and `tidings broadcasts` against a real service: from a rule to the results of a broadcast.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startTestService } from "../../../server/test/support/service.ts";
import { createWorkflow, inApp } from "../../../server/test/support/verbs.ts";
import { eventually } from "../../../server/test/support/wait.ts";
import { openTerminal } from "../support.ts";

const service = await startTestService();
const terminal = openTerminal(service);
const { client } = service;

const run = async (code: number, ...argv: string[]) => {
  const ran = await terminal.run(...argv);
  assert.equal(ran.code, code, `${argv.join(" ")}: ${ran.stdout}${ran.stderr}`);
  return ran;
};
const runAudiences = (code: number, ...argv: string[]) => run(code, "audiences", ...argv);
const runBroadcasts = (code: number, ...argv: string[]) => run(code, "broadcasts", ...argv);
const rule = JSON.stringify({ "==": [{ var: "subscriber.data.plan" }, "pro"] });

for (const [subscriberId, plan] of Object.entries({ ada: "pro", bob: "free", cleo: "pro" }))
  await client("subscribers.create", { body: { subscriberId, firstName: subscriberId, data: { plan } } });

test("an audience is created, counted, explained, kept as a list and deleted", async () => {
  await runAudiences(64);
  await runAudiences(64, "count");
  assert.match((await runAudiences(0, "list")).stdout, /No audiences/);
  const unknown = await runAudiences(1, "create", "pro", "--rule", '{"==": [{"var": "subscriber.plan"}, "pro"]}');
  assert.match(unknown.stderr, /subscriber\.data\.plan/);
  const created = await runAudiences(0, "create", "pro", "--name", "Pro customers", "--rule", rule);
  assert.match(created.stdout, /pro Pro customers \(a rule\)\n.*subscriber\.data\.plan is "pro"/);
  assert.match((await runAudiences(0, "show", "pro")).stdout, /"var": "subscriber\.data\.plan"/);
  assert.match((await runAudiences(0, "count", "pro")).stdout, /^2 people\n$/);
  assert.deepEqual(await terminal.json("audiences", "count", "pro"), { people: 2, isEstimated: false });
  assert.match((await runAudiences(0, "people", "pro")).stdout, /ada[\s\S]*cleo/);
  assert.match((await runAudiences(0, "explain", "pro", "ada")).stdout, /yes .*subscriber\.data\.plan/);
  assert.match((await runAudiences(0, "explain", "pro", "bob")).stdout, /no .*subscriber\.data\.plan.*"free"/);
  assert.match((await runAudiences(1, "explain", "pro", "zoe")).stderr, /zoe/);
  assert.match((await runAudiences(0, "snapshot", "pro", "pro-today")).stdout, /pro-today .*a fixed list/);
  assert.match((await runAudiences(0, "list", "--query", "today")).stdout, /pro-today/);
  await runAudiences(0, "delete", "pro-today");
  assert.match((await runAudiences(1, "show", "pro-today")).stderr, /not found/);
});

test("people of a fixed audience come from a CSV file, and unknown ones are named", async () => {
  await runAudiences(0, "create", "guests");
  writeFileSync(join(terminal.folder, "guests.csv"), 'name;subscriberId\n"A; B";bob\nCleo;cleo\nZoe;zoe\n');
  const added = await runAudiences(1, "add", "guests", "ada", "--csv", "guests.csv");
  assert.match(added.stdout, /3 added\.\n1 without a subscriber: zoe/);
  assert.match((await runAudiences(0, "remove", "guests", "bob", "cleo")).stdout, /2 removed/);
  assert.deepEqual(await terminal.json("audiences", "count", "guests"), { people: 1, isEstimated: false });
  writeFileSync(join(terminal.folder, "wrong.csv"), "id\nada\n");
  assert.match((await runAudiences(1, "add", "guests", "--csv", "wrong.csv")).stderr, /no column subscriberId/);
  assert.match((await runAudiences(1, "add", "guests", "--csv", "none.csv")).stderr, /ENOENT/);
  await runAudiences(64, "add", "guests");
});

test("a file with the id of a fixed audience is refused", async () => {
  await run(0, "init", "files");
  const folder = join(terminal.folder, "files");
  mkdirSync(join(folder, "audiences"));
  writeFileSync(join(folder, "audiences/guests.yaml"), `name: Guests\nrule: ${rule}\n`);
  const refused = await run(1, "plan", "--dir", "files");
  assert.match(refused.stderr, /audiences\/guests\.yaml:1:1.*is a fixed audience, whose people are in no file/);
});

test("a broadcast is checked, refused without a word, sent, followed and counted", async () => {
  await createWorkflow(client, "release", [inApp({ body: "Version {{ payload.version }} is here" })]);
  const draft = ["create", "Spring", "--workflow", "release", "--audience", "pro", "--exclude", "guests"];
  const options = ["--payload", '{"version": "4"}', "--per-minute", "60000"];
  await runBroadcasts(64, ...draft, "--everyone");
  const { _id: id } = await terminal.json<{ _id: string }>("broadcasts", ...draft, ...options);
  assert.match((await runBroadcasts(0, "list", "--status", "draft")).stdout, /Spring +draft/);
  assert.match((await runBroadcasts(0, "show", id)).stdout, /Spring: draft\n {2}to pro without guests/);
  assert.match((await runBroadcasts(0, "check", id)).stdout, /✓ 1 person/);
  assert.match((await runBroadcasts(0, "test", id, "bob")).stdout, /^bob {2}\S+/);
  assert.match((await runBroadcasts(1, "send", id)).stderr, /Send it to 1 person .*confirmation/);
  const sent = await runBroadcasts(0, "send", id, "--yes", "--wait");
  assert.match(sent.stdout, /✓ 1 person[\s\S]*Spring: completed\n {2}to pro without guests\n {2}1 of 1 person/);
  assert.match((await runBroadcasts(0, "results", id)).stdout, /^1 person\n[\s\S]*sent +1/);
  assert.match((await runBroadcasts(1, "pause", id)).stderr, /completed/);

  const empty = await terminal.json<{ _id: string }>("broadcasts", "create", "Nothing yet");
  const refused = await runBroadcasts(1, "send", empty._id, "--yes");
  assert.match(refused.stdout, /✗ .*audience/);
  assert.match(refused.stderr, /Nothing was sent/);
});

test("a paced broadcast is paused, resumed and stopped", async () => {
  const slow = ["--workflow", "release", "--everyone", "--per-minute", "1"];
  const { _id: id } = await terminal.json<{ _id: string }>("broadcasts", "create", "Slow", ...slow);
  await runBroadcasts(0, "send", id, "--yes");
  await eventually(async () => {
    const { status } = (await client("broadcasts.retrieve", { params: { broadcastId: id } })).body;
    return status === "running" || null;
  }, "it runs");
  assert.match((await runBroadcasts(0, "pause", id)).stdout, /Slow: paused/);
  assert.match((await runBroadcasts(0, "resume", id)).stdout, /Slow: running/);
  assert.match((await runBroadcasts(0, "stop", id)).stdout, /Slow: stopped/);
  assert.match((await runBroadcasts(1, "resume", id)).stderr, /stopped/);
});

test("approval: another person approves it, and rejecting returns it", async () => {
  const { environmentId } = (await client("files.export")).body;
  await client("environments.update", { params: { environmentId }, body: { broadcastApproval: true } });
  const draft = ["--workflow", "release", "--audience", "pro"];
  const { _id: id } = await terminal.json<{ _id: string }>("broadcasts", "create", "Asked", ...draft);
  assert.match((await runBroadcasts(0, "send", id, "--yes")).stdout, /waits for the approval/);
  assert.match((await runBroadcasts(1, "approve", id)).stderr, /another person/);
  const returned = await runBroadcasts(0, "reject", id, "--note", "Wrong week");
  assert.match(returned.stdout, /Asked: draft[\s\S]*returned: Wrong week/);
});

// `tidings audiences` and `tidings broadcasts` against a real service: from a rule to the results of a broadcast.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Broadcast } from "@tidings/contract";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { openTerminal } from "../support.ts";

const service = await shareService();
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

test("a draft is changed field by field, previewed and deleted", async () => {
  type Draft = Pick<Broadcast, "_id" | "name" | "content" | "audience" | "time" | "pace" | "expiresAt">;
  const draft = ["create", "Autumn", "--workflow", "release", "--audience", "pro", "--payload", '{"version": "5"}'];
  const local = ["--local", "2099-03-02T09:00", "--timezone", "Asia/Tokyo", "--spread-hours", "2"];
  const created = await terminal.json<Draft>("broadcasts", ...draft, ...local, "--per-minute", "100");
  const id = created._id;
  const time = { kind: "local", date: "2099-03-02", localTime: "09:00", timezone: "Asia/Tokyo", spreadHours: 2 };
  assert.deepEqual([created.time, created.pace], [time, { perMinute: 100 }]);
  const change = (...options: string[]) => terminal.json<Draft>("broadcasts", "update", id, ...options);

  const first = await change("--name", "Winter", "--payload", '{"version": "6"}', "--exclude", "guests");
  assert.equal(first.name, "Winter");
  assert.deepEqual(first.content, { workflowId: "release", payload: { version: "6" } });
  assert.deepEqual(first.audience, { include: ["pro"], exclude: ["guests"] });
  assert.deepEqual([first.time, first.pace], [time, { perMinute: 100 }]);
  const second = await change("--timezone", "Europe/Berlin", "--spread-hours", "0", "--per-minute", "0");
  const { spreadHours: _, ...unspread } = time;
  assert.deepEqual([second.time, second.pace], [{ ...unspread, timezone: "Europe/Berlin" }, {}]);
  const third = await change("--now", "--everyone", "--expires", "2099-01-01T00:00:00.000Z");
  assert.deepEqual(
    [third.time, third.audience],
    [{ kind: "now" }, { include: [], exclude: ["guests"], everyone: true }],
  );
  assert.equal(third.expiresAt, "2099-01-01T00:00:00.000Z");
  assert.equal((await change("--expires", "never")).expiresAt, null);

  assert.match((await runBroadcasts(64, "update", id)).stderr, /Say what to change/);
  assert.match((await runBroadcasts(64, "update", id, "--timezone", "Asia/Tokyo")).stderr, /--timezone is for/);
  assert.match((await runBroadcasts(64, "update", id, "--now", "--at", "2099-01-01")).stderr, /one of --now/);
  const shown = await runBroadcasts(0, "preview", id, "bob");
  assert.match(shown.stdout, /^bob bob\n {2}in_app: .*\n[\s\S]*Version 6 is here/);
  const sample = (await runBroadcasts(0, "preview", id)).stdout;
  assert.match(sample, /^bob bob$/m);
  assert.match(sample, /^cleo cleo$/m);
  assert.match((await runBroadcasts(1, "preview", id, "zoe")).stderr, /zoe/);
  assert.match((await runBroadcasts(0, "delete", id)).stdout, /is deleted from/);
  assert.match((await runBroadcasts(1, "show", id)).stderr, /not found/);
});

test("the people of an outcome are listed, and get a draft of their own", async () => {
  const draft = ["create", "News", "--workflow", "release", "--audience", "pro"];
  const { _id: id } = await terminal.json<{ _id: string }>("broadcasts", ...draft);
  assert.match((await runBroadcasts(1, "people", id)).stderr, /draft/);
  await runBroadcasts(0, "send", id, "--yes", "--wait");
  await eventually(async () => {
    const { body } = await client("broadcasts.retrieveResults", { params: { broadcastId: id } });
    return body.outcomes.sent === 2;
  }, "both messages");
  const listed = await runBroadcasts(0, "people", id, "--outcome", "sent", "--limit", "1");
  assert.match(listed.stdout, /(ada|cleo)[\s\S]*There are more/);
  const people = await terminal.json<{ subscriberId: string }[]>("broadcasts", "people", id, "--outcome", "not_opened");
  assert.deepEqual(people.map(({ subscriberId }) => subscriberId).sort(), ["ada", "cleo"]);
  assert.match((await runBroadcasts(0, "people", id, "--outcome", "clicked")).stdout, /No people/);
  assert.match((await runBroadcasts(1, "people", id, "--outcome", "ignored")).stderr, /outcome/);
  const again = await terminal.json<Broadcast>("broadcasts", "resend", id, "--outcome", "sent");
  assert.deepEqual([again.name, again.status, again.resendOf], ["News (again)", "draft", id]);
  const [audienceId] = again.audience.include;
  assert.equal((await terminal.json<{ people: number }>("audiences", "count", audienceId!)).people, 2);
  await runBroadcasts(0, "resend", id);
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

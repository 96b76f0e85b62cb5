// doctor, dead-letters, integrations, mail, clock, open and completion against a service.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { startScriptedMail } from "@tidings/testkit/mail/scripted-mail";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, settled, trigger } from "@tidings/testkit/verbs";
import { commands } from "../src/commands/index.ts";
import { mailPage } from "../src/mail-page.ts";
import { startDns } from "./dns.ts";
import { keyOf, openTerminal } from "./support.ts";

const smtp = await startScriptedMail(() => null);
const service = await startTestService();
const { client, production } = service;
const terminal = openTerminal(service);
const productionTerminal = openTerminal({ url: service.url, apiKey: await keyOf(production) });

type Finding = { subject: string; level: string; text: string; fix?: string };
type Diagnosis = { faults: number; warnings: number; findings: Finding[] };
const levelOf = ({ findings }: Diagnosis, subject: string) => findings.find((one) => one.subject === subject)?.level;

test("doctor finds nothing wrong with a new service, and says what to do about the rest", async () => {
  const well = await terminal.run("doctor");
  assert.equal(well.code, 0, well.stdout);
  assert.match(well.stdout, /^ok {10}service: version /);
  assert.match(well.stdout, /0 errors, 0 warnings\.\n$/);

  const bad = { host: "127.0.0.1", port: smtp.port, secure: false, ignoreTls: true, requireTls: false };
  const credentials = {
    ...bad,
    from: "shop@mail.example.com",
    senderName: "Shop",
    user: "shop",
    password: "s3cret-word",
  };
  const create = (identifier: string, from: string) =>
    production("integrations.create", {
      body: {
        providerId: "nodemailer",
        channel: "email",
        identifier,
        active: true,
        credentials: { ...credentials, from },
      },
    });
  await create("smtp", "shop@mail.example.com");
  await create("other", "Shop <shop@silent.example.com>");
  await createWorkflow(production, "mail", [email()]);
  for (const name of ["ada", "bob"])
    await settled(production, await trigger(production, "mail", { subscriberId: name, email: `${name}@example.com` }));

  const dns = await startDns({
    "mail.example.com": "v=spf1 -all",
    "silent.example.com": null,
    "_dmarc.silent.example.com": null,
  });
  const answering = await startDns({ "mail.example.com": "v=spf1 -all" });
  const ill = await productionTerminal.run("doctor", "--dns", dns);
  assert.equal(ill.code, 1, ill.stdout);
  assert.match(ill.stdout, /error +integration smtp: [\s\S]*→ Correct its credentials/);
  assert.match(ill.stdout, /warning +dead letters: 2\n +→ tidings dead-letters ls/);
  assert.match(
    ill.stdout,
    /warning +DMARC of mail\.example\.com: no record at _dmarc\.mail\.example\.com\n +→ Add a TXT record/,
  );
  assert.match(ill.stdout, /not checked SPF of silent\.example\.com: the DNS server did not respond \(ETIMEOUT\)/);
  assert.ok(!ill.stdout.includes("s3cret-word"));
  const diagnosis = await productionTerminal.json<Diagnosis>("doctor", "--dns", answering);
  assert.equal(levelOf(diagnosis, "SPF of mail.example.com"), "ok");
  assert.equal(levelOf(diagnosis, "TLS"), "ok");
  assert.equal(levelOf(diagnosis, "clock"), "ok");
  assert.equal((await terminal.run("doctor", "--dns", "moon moon")).code, 64);
});

test("integrations are listed without secrets, and checked with their providers", async () => {
  const listed = await productionTerminal.run("integrations", "ls");
  assert.match(listed.stdout, /email +smtp +nodemailer .*active/);
  const checked = await productionTerminal.run("integrations", "check", "smtp");
  assert.equal(checked.code, 1);
  assert.match(checked.stdout, /^error smtp: /);
  assert.equal((await terminal.run("integrations", "check")).code, 0);
  assert.match((await terminal.run("integrations", "check", "moon")).stderr, /There is no integration "moon"/);
  for (const { stdout } of [listed, checked, await productionTerminal.run("integrations", "ls", "--json")])
    assert.ok(!stdout.includes("s3cret-word"));
});

test("dead letters are listed and sent again", async () => {
  const listed = await productionTerminal.run("dead-letters", "ls");
  assert.match(listed.stdout, /^id +given up +workflow [\s\S]*mail +ada +\w+ +auth/);
  const { deadLetters } = await productionTerminal.json<{ deadLetters: { id: string }[] }>(
    "dead-letters",
    "ls",
    "--limit",
    "1",
  );
  assert.equal(deadLetters.length, 1);
  assert.equal(
    (await productionTerminal.run("dead-letters", "replay", "--yes")).code,
    64,
    "all of them only when asked",
  );
  assert.match((await productionTerminal.run("dead-letters", "replay", "--all")).stderr, /needs a confirmation/);
  const one = await productionTerminal.run("dead-letters", "replay", deadLetters[0]!.id, "--yes");
  assert.match(one.stdout, /^1 sent again, 20 a second\./);
  const again = await productionTerminal.run("dead-letters", "replay", deadLetters[0]!.id, "--yes");
  assert.equal(again.code, 1);
  const rest = await productionTerminal.json<{ replayed: number }>(
    "dead-letters",
    "replay",
    "--provider",
    "nodemailer",
    "--per-second",
    "5",
    "--yes",
  );
  assert.ok(rest.replayed >= 1);
  assert.match((await terminal.run("dead-letters", "ls")).stdout, /No dead letters/);
  assert.equal((await terminal.run("dead-letters", "bury")).code, 64);
  assert.match((await terminal.run("dead-letters", "ls", "--channel", "pigeon")).stderr, /channel/);
});

test("captured messages are read, and a code is waited for", async () => {
  await createWorkflow(client, "login", [
    email({ subject: "Log in", body: "<p>Your code is {{ payload.code }}.</p>" }),
  ]);
  assert.match(
    (await terminal.run("mail", "code", "cleo@example.com")).stderr,
    /No captured message for "cleo@example\.com"/,
  );
  const waiting = terminal.run("mail", "code", "cleo@example.com", "--wait", "20");
  await trigger(client, "login", { subscriberId: "cleo", email: "cleo@example.com" }, { code: "112233" });
  const { stdout, code } = await waiting;
  assert.deepEqual([stdout, code], ["112233\n", 0]);
  await settled(
    client,
    await trigger(client, "login", { subscriberId: "dan", email: "dan@example.com" }, { code: "445566" }),
  );
  assert.match((await terminal.run("mail", "ls")).stdout, /email +dan@example\.com +Log in[\s\S]*cleo/);
  assert.ok(!(await terminal.run("mail", "ls", "cleo")).stdout.includes("dan"));
  assert.match((await terminal.run("mail", "open", "dan", "--text")).stdout, /Your code is 445566/);
  const opened = (await terminal.run("mail", "open")).stdout.trim().split("\n").at(-1)!;
  assert.ok(existsSync(opened));
  assert.match(readFileSync(opened, "utf8"), /<iframe sandbox="" title="Message" srcdoc="[^"]*445566/);
  const page = mailPage({ subject: "</title><script>", html: `"><script>alert(1)</script>` }, { hasImages: false });
  assert.match(page, /Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:;/);
  assert.match(page, /<iframe sandbox="" title="Message" srcdoc="&quot;&gt;&lt;script&gt;alert/);
  assert.ok(!page.includes("<script"));
  assert.equal(mailPage({ html: "" }, { hasImages: true }).includes("img-src data: https: http:"), true);
  assert.match((await terminal.run("mail", "open", "moon")).stderr, /No captured message is for "moon"/);
  assert.equal((await terminal.run("mail", "code")).code, 64);
  assert.equal((await terminal.run("mail", "ls", "--after", "soon")).code, 64);
});

test("the clock is moved, and stands when the command ends", async () => {
  assert.match((await terminal.run("clock", "show")).stdout, /\(real time\)/);
  assert.match(
    (await terminal.run("clock", "set", "2026-03-02T09:00:00Z")).stdout,
    /^2026-03-02T09:00:00\.000Z \(test clock, standing\)/,
  );
  assert.match((await terminal.run("clock", "advance", "1d2h")).stdout, /^2026-03-03T11:00:00/);
  assert.equal((await terminal.json<{ now: string }>("clock", "advance", "1mo")).now, "2026-04-03T11:00:00.000Z");
  assert.match((await terminal.run("clock", "set", "2026-01-01T00:00:00Z")).stderr, /cannot move back/);
  for (const given of ["", "soon", "1500ms", "0s"])
    assert.equal((await terminal.run("clock", "advance", given)).code, 64, given);
  assert.equal((await terminal.run("clock", "set", "soon")).code, 64);
  assert.equal((await terminal.run("clock", "stop")).code, 64);
  assert.match((await terminal.run("clock", "off")).stdout, /\(real time\)/);
  assert.equal((await productionTerminal.run("clock", "set", "2026-03-02T09:00:00Z")).code, 1);
});

test("open prints the address, and completion knows every command", async () => {
  assert.equal((await terminal.run("open", "activity")).stdout, `${service.url}/activity\n`);
  assert.equal((await terminal.run("open", "javascript:x")).code, 64);
  const bash = (await terminal.run("completion", "bash")).stdout;
  for (const name of Object.keys(commands)) assert.ok(bash.includes(` ${name}) words=`), name);
  const shown = spawnSync(
    "bash",
    ["-c", `${bash}\nCOMP_WORDS=(tidings clock a); COMP_CWORD=2; _tidings; echo "\${COMPREPLY[@]}"`],
    {
      encoding: "utf8",
    },
  );
  assert.equal(shown.stdout.trim(), "advance");
  assert.match((await terminal.run("completion", "zsh")).stdout, /^#compdef tidings\n[\s\S]*'tail:Show events/);
  assert.match((await terminal.run("completion", "fish")).stdout, /-a tail -d 'Show events as they arrive'/);
  assert.equal((await terminal.run("completion", "powershell")).code, 64);
});

test("keys are created with a scope, changed and revoked; a key that reads can be logged in with", async () => {
  const made = await terminal.run(
    "keys",
    "create",
    "--name",
    "Reports",
    "--scope",
    "read",
    "--expires",
    "90d",
    "--json",
  );
  assert.equal(made.code, 0, made.stderr);
  const { id, key, expiresAt, scope, owner } = JSON.parse(made.stdout);
  assert.deepEqual([scope, owner], ["read", null]);
  assert.ok(Math.abs(Date.parse(expiresAt) - Date.now() - 90 * 86_400_000) < 60_000);
  const listed = await terminal.run("keys", "ls");
  assert.match(listed.stdout, new RegExp(`${id} +Reports +read +\\S+ \\S+ +never +${expiresAt.slice(0, 10)}`));
  assert.ok(!listed.stdout.includes(key));
  const who = await terminal.runWith({ env: { TIDINGS_API_KEY: key } }, "whoami");
  assert.match(who.stdout, /^Development \(/);
  const refused = await terminal.runWith({ env: { TIDINGS_API_KEY: key } }, "env", "set", "A", "b");
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /This API key may only read\. environmentVariables\.create needs scope full/);

  const change = ["--operation", "workflows.list", "--operation", "files.export", "--network", "10.0.0.0/8"];
  const changed = await terminal.run("keys", "update", id, ...change, "--expires", "never", "--json");
  const view = JSON.parse(changed.stdout);
  assert.deepEqual([view.scope, view.operations], ["operations", ["workflows.list", "files.export"]]);
  assert.deepEqual([view.allowedNetworks, view.expiresAt], [["10.0.0.0/8"], null]);
  assert.equal(
    JSON.parse((await terminal.run("keys", "update", id, "--network", "any", "--json")).stdout).allowedNetworks,
    null,
  );

  const wrong: [string[], RegExp][] = [
    [["create", "--scope", "read"], /--name is missing/],
    [["create", "--name", "x", "--scope", "write"], /scope must be one of: full, send, read, operations/],
    [
      ["create", "--name", "x", "--scope", "read", "--operation", "workflows.list"],
      /--operation is for the scope operations/,
    ],
    [["create", "--name", "x", "--operation", "workflow.list"], /did you mean workflows\.list\?/],
    [["create", "--name", "x", "--expires", "soon"], /"soon" is not a duration/],
    [["update", id], /Say what to change/],
    [["update"], /The id of the key is missing/],
    [["revoke", "moon"], /API key with id moon not found/],
  ];
  for (const [argv, stderr] of wrong) {
    const ran = await terminal.run("keys", ...argv);
    assert.notEqual(ran.code, 0, argv.join(" "));
    assert.match(ran.stderr, stderr);
  }
  const plain = await terminal.run("keys", "create", "--name", "Plain");
  assert.match(plain.stdout, /^tdg_\S+\n$/, "the key alone, for a pipe");
  assert.match((await terminal.run("keys", "revoke", id)).stdout, /is revoked/);
  const left = JSON.parse((await terminal.run("keys", "ls", "--json")).stdout) as { id: string; name: string | null }[];
  assert.ok(!left.some((one) => one.id === id));
});

test("workflows, environments and keys are listed, and any request can be sent", async () => {
  const listed = await terminal.run("workflows", "ls");
  assert.match(listed.stdout, /^workflow +name +state +steps +last event\n[\s\S]*\nlogin +login +active +email/);
  assert.match((await terminal.run("environments", "ls")).stdout, /\* {2}development +Development +dev\n/);
  const keys = await terminal.run("environments", "keys");
  assert.match(keys.stdout, /^ +id +name +scope +created +last used +expires\n\* {2}\S+/);
  assert.ok(!keys.stdout.includes(service.apiKey), "a key is never printed");
  const one = await terminal.run("api", "get", "/v2/workflows/login");
  assert.equal(JSON.parse(one.stdout).workflowId, "login");
  const made = await terminal.run("api", "POST", "/v2/topics", "--body", '{"key": "raw", "name": "Raw"}', "--json");
  assert.equal(JSON.parse(made.stdout).body.key, "raw");
  const refused = await terminal.run("api", "GET", "/v2/workflows/moon");
  assert.equal(refused.code, 1);
  assert.match(refused.stdout + refused.stderr, /moon not found[\s\S]*the service returned 404/);
  assert.equal((await terminal.run("api", "GET", "//evil.example/v1/x")).code, 64);
  assert.equal((await terminal.run("api", "FETCH", "/v1/environments")).code, 64);
  assert.match(
    (await productionTerminal.run("api", "DELETE", "/v2/topics/raw")).stderr,
    /DELETE \/v2\/topics\/raw in Production/,
  );
  assert.deepEqual(await terminal.run("--quiet", "whoami"), { code: 0, stdout: "", stderr: "" });
  const debug = await terminal.run("whoami", "--debug");
  assert.match(debug.stderr, /^GET http:\S+\/v1\/environments 200 in \d+ ms\n/);
  assert.ok(!debug.stderr.includes(service.apiKey));
});

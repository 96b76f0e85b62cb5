// Workflows as files: every command against a real service.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { FilesPlan } from "@tidings/contract";
import { createClient } from "@tidings/testkit/client";
import { shareService } from "@tidings/testkit/service";
import { parse } from "yaml";
import { writeResources } from "../src/files/write-resources.ts";
import { openEnvironment, readTree, writeTree } from "./files-support.ts";

const service = await shareService();
const first = await openEnvironment(service, "First");
const client = createClient({ baseUrl: service.url, apiKey: first.apiKey });
const hello = "workflows/hello/workflow.yaml";

const edit = (root: string, file: string, change: (text: string) => string) =>
  writeFileSync(join(root, file), change(readFileSync(join(root, file), "utf8")));

describe("from nothing to an environment", () => {
  test("init, validate, plan, apply, plan", async () => {
    const { folder } = first;
    const init = await first.run("init");
    assert.equal(init.code, 0, init.stderr);
    assert.equal((await first.run("init")).code, 1);
    const valid = await first.run("validate");
    assert.equal(valid.code, 0, valid.stdout);
    const plan = await first.run("plan");
    assert.equal(plan.code, 2, plan.stderr);
    assert.match(plan.stdout, /\+ workflow hello \(Hello\) created\n {4}New workflow: in-app → delay → email/);
    assert.match(plan.stdout, /First: 1 created, 0 unchanged\./);
    const apply = await first.run("apply");
    assert.equal(apply.code, 0, apply.stderr);
    const after = await first.run("plan");
    assert.equal(after.code, 0, after.stdout);
    assert.match(after.stdout, /No changes/);
    // The example is as a pull leaves it: same meaning, so its comments stay.
    const before = readTree(folder);
    assert.equal((await first.run("pull")).code, 0);
    const pulled = readTree(folder);
    assert.deepEqual({ ...pulled, ...before }, pulled, "no file of the example was changed");
    assert.deepEqual(await first.json("plan").then((json) => (json as FilesPlan).drift), []);
    assert.match(readFileSync(join(folder, ".gitignore"), "utf8"), /^\.tidings\/state\.json$/m);
    assert.ok(JSON.parse(readFileSync(join(folder, ".tidings/schema/workflow.json"), "utf8")).properties.steps);
    const refused = await first.run("trigger", "hello", "--to", "ada");
    assert.match(refused.stderr, /name: is required/, "the payload that the example asks for");
    assert.equal(refused.code, 1);
    const sent = await first.run("trigger", "hello", "--to", "ada", "--payload", '{"name": "Ada"}');
    assert.match(sent.stdout, /^accepted (\S+)\ntidings explain \1 ada\n$/, sent.stderr);
  });

  test("a plan shows the lines of a text that change", async () => {
    const mail = "workflows/hello/mail.email.html";
    edit(first.folder, mail, (text) => text.replace("Welcome.", "Welcome aboard."));
    const { stdout } = await first.run("plan");
    assert.match(
      stdout,
      /The email step mail: the text changes\n {6}mail\n {6}- <p>Welcome\.<\/p>\n {6}\+ <p>Welcome aboard\.<\/p>\n/,
    );
    edit(first.folder, mail, (text) => text.replace("Welcome aboard.", "Welcome."));
  });

  test("a saved plan is applied as it is, and only when nothing changed since", async () => {
    const { folder } = first;
    edit(folder, hello, (text) => text.replace("name: Hello", "name: Saved"));
    assert.equal((await first.run("plan", "--out", "a.plan")).code, 2);
    edit(folder, hello, (text) => text.replace("name: Saved", "name: Later"));
    await client("topics.create", { body: { key: "between", name: "Between" } });
    const refused = await first.run("apply", "a.plan");
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /First has changed since the plan was created. Nothing was applied/);
    rmSync(join(folder, "a.plan"));
    edit(folder, hello, (text) => text.replace("name: Later", "name: Saved"));
    await first.run("plan", "--out", "b.plan");
    edit(folder, hello, (text) => text.replace("name: Saved", "name: Later"));
    assert.equal((await first.run("apply", "b.plan")).code, 0);
    assert.equal((await client("workflows.retrieve", { params: { workflowId: "hello" } })).body.name, "Saved");
    const other = await openEnvironment(service, "Other");
    const wrong = await other.runWith({ cwd: folder }, "apply", "b.plan");
    assert.match(wrong.stderr, /The plan was created for first, and this is other/);
    edit(folder, hello, (text) => text.replace("name: Later", "name: Saved"));
    rmSync(join(folder, "b.plan"));
  });

  test("a pull does not overwrite what was changed here, unless it is told to", async () => {
    const { folder } = first;
    await client("workflows.patch", { params: { workflowId: "hello" }, body: { name: "By hand" } });
    const plan = (await first.json("plan")) as FilesPlan;
    assert.deepEqual(plan.drift, [{ type: "workflow", id: "hello", kind: "changed", isOverwritten: true }]);
    assert.match((await first.run("plan")).stdout, /workflow hello was changed: this plan reverts it/);
    const refused = await first.run("pull");
    assert.equal(refused.code, 1);
    assert.match(
      refused.stderr,
      /Changed here since the last pull[\s\S]*workflows\/hello\/workflow\.yaml\n→ [\s\S]*--force/,
    );
    assert.match(readFileSync(join(folder, hello), "utf8"), /name: Saved/);
    const forced = await first.run("pull", "--force");
    assert.equal(forced.code, 0, forced.stderr);
    assert.match(readFileSync(join(folder, hello), "utf8"), /^# yaml-language-server: .*\nname: By hand\n/);
    // As pulled, it is written again without a question, and removed when it is gone.
    await client("workflows.patch", { params: { workflowId: "hello" }, body: { name: "Again" } });
    assert.equal((await first.run("pull")).code, 0);
    await client("workflows.delete", { params: { workflowId: "hello" } });
    writeTree(folder, { "workflows/mine/workflow.yaml": "name: Mine\nsteps: []\n" });
    const gone = await first.run("pull");
    assert.match(gone.stdout, /removed {2}workflows\/hello\/mail\.email\.html[\s\S]*only here {2}workflow\/mine/);
    assert.deepEqual(
      Object.keys(readTree(folder)).filter((name) => name.startsWith("workflows")),
      ["workflows/mine/workflow.yaml"],
    );
  });

  test("without the state of this machine, as on a build server, the service remembers what was applied last", async () => {
    const ci = await openEnvironment(service, "Ci");
    const there = createClient({ baseUrl: service.url, apiKey: ci.apiKey });
    const of = (name: string) => ({ [`workflows/${name}/workflow.yaml`]: `name: ${name}\nsteps: []\n` });
    writeTree(ci.folder, { "tidings.yaml": "version: 1\n", ...of("a"), ...of("b"), ...of("gone") });
    const stateless = async (...argv: string[]) => {
      rmSync(join(ci.folder, ".tidings"), { recursive: true, force: true });
      return ci.run(...argv);
    };
    assert.deepEqual((await ci.json<FilesPlan>("plan")).drift, [], "nothing was applied yet");
    assert.equal((await stateless("apply")).code, 0);
    for (let at = 0; at < 6; at++)
      await there("workflows.create", { body: { workflowId: `other-${at}`, name: "O", steps: [] } });
    await there("workflows.patch", { params: { workflowId: "a" }, body: { name: "By hand" } });
    await there("workflows.delete", { params: { workflowId: "gone" } });
    const { stdout } = await stateless("plan");
    assert.match(
      stdout,
      /In Ci, since files were applied last \(.* UTC\):\n {2}! workflow a was changed: this plan reverts it\n/,
    );
    assert.match(stdout, /! workflow gone was deleted: this plan reverts it\n\n/);
    assert.match(stdout, / {2}= 6 workflows stay: they are not in the files; --prune deletes them\n/);
    assert.ok(!stdout.includes("other-1"), "many are counted");
    assert.equal((await stateless("apply")).code, 0);
    assert.deepEqual(JSON.parse((await stateless("plan", "--json")).stdout).drift, []);
  });

  test("a folder that is gone is a deletion only with --prune, and runs are told", async () => {
    const { folder } = first;
    writeTree(folder, { "workflows/hello/workflow.yaml": "name: Hello\nsteps: []\n" });
    assert.equal((await first.run("apply")).code, 0);
    rmSync(join(folder, "workflows/mine"), { recursive: true });
    const plan = await first.run("plan");
    assert.equal(plan.code, 0);
    assert.match(plan.stdout, /= workflow mine stays: it is not in the files; --prune deletes it/);
    const pruned = await first.run("plan", "--prune");
    assert.equal(pruned.code, 2);
    assert.match(pruned.stdout, /- workflow mine \(Mine\) deleted/);
    assert.equal((await first.run("apply", "--prune")).code, 0);
    assert.equal((await client.raw("workflows.retrieve", { params: { workflowId: "mine" } })).status, 404);
  });
});

describe("what is wrong with a file", () => {
  const faults: [name: string, files: Record<string, string>, expected: RegExp][] = [
    [
      "unknown member",
      { "workflows/w/workflow.yaml": "name: W\nsteps:\n  - stepId: a\n    type: sms\n    colour: red\n" },
      /workflows\/w\/workflow\.yaml:5:5 {2}steps\.0\.colour is not a known member/,
    ],
    [
      "unknown control",
      {
        "workflows/w/workflow.yaml":
          "name: W\nsteps:\n  - stepId: a\n    type: sms\n    controlValues: { body: Hi, colour: red }\n",
      },
      /workflow\.yaml:5:32 {2}steps\.0\.controlValues\.colour is not a known member of a step of type sms/,
    ],
    [
      "misspelt member",
      { "workflows/w/workflow.yaml": "name: W\nactve: true\nsteps: []\n" },
      /workflow\.yaml:2:1 {2}actve is not a known member; did you mean active\?/,
    ],
    [
      "no member at all",
      { "workflows/w/workflow.yaml": "name: W\nzzzzzz: true\nsteps: []\n" },
      /zzzzzz is not a known member; known are name, description, tags, active, /,
    ],
    [
      "misspelt control",
      {
        "workflows/w/workflow.yaml":
          "name: W\nsteps:\n  - stepId: a\n    type: email\n    controlValues: { subjct: Hi }\n",
      },
      /controlValues\.subjct is not a known member of a step of type email; did you mean subject\?/,
    ],
    ["version of the format", { "tidings.yaml": "version: 2\n" }, /tidings\.yaml:1:1 {2}version must be 1\n/],
    [
      "a stepId twice, of two types",
      {
        "workflows/w/workflow.yaml": "name: W\nsteps:\n  - stepId: a\n    type: sms\n  - stepId: a\n    type: email\n",
        "workflows/w/a.sms.txt": "Hi\n",
        "workflows/w/b.email.html": "Hi\n",
      },
      /^error workflows\/w\/workflow\.yaml:5:5 {2}steps\.1\.stepId: another step is called a\nFaults: 1\.\n$/,
    ],
    [
      "wrong indentation, with texts beside it",
      {
        "workflows/w/workflow.yaml": "name: W\nsteps:\n  - stepId: a\n   type: sms\n",
        "workflows/w/a.sms.txt": "Hi\n",
      },
      /^error workflows\/w\/workflow\.yaml:\d+:\d+ {2}(?!is the text)(?:(?!a\.sms).)*\n(?:(?!a\.sms)[\s\S])*$/,
    ],
    [
      "another extension",
      { "workflows/w/workflow.yml": "name: W\nsteps: []\n", "workflows/w/a.sms.txt": "Hi\n" },
      /^error workflows\/w\/workflow\.yaml:1:1 {2}is missing: rename workflows\/w\/workflow\.yml\nFaults: 1\.\n$/,
    ],
    [
      "unknown variable behind a wrong filter, in its own file",
      {
        "workflows/w/workflow.yaml": "name: W\nsteps:\n  - stepId: a\n    type: sms\n",
        "workflows/w/a.sms.txt": "Hello subscriber.nme\n{{ payload.name | nonsense }}\n  {{ subscriber.nme }}\n",
      },
      /a\.sms\.txt:2:\d+ {2}.*undefined filter[\s\S]*a\.sms\.txt:3:6 {2}.*subscriber\.nme is not a variable/,
    ],
    ["no YAML", { "workflows/w/workflow.yaml": "name: W\nsteps: [\n" }, /workflow\.yaml:\d:\d/],
    [
      "a member twice",
      { "workflows/w/workflow.yaml": "name: W\nname: V\nsteps: []\n" },
      /workflow\.yaml:2:1 {2}Map keys/,
    ],
    [
      "template syntax, in its own file",
      {
        "workflows/w/workflow.yaml": "name: W\nsteps:\n  - stepId: a\n    type: sms\n",
        "workflows/w/a.sms.txt": "Hello\n{{ payload.name | nonsense }}\n",
      },
      /workflows\/w\/a\.sms\.txt:2:\d+ {2}.*undefined filter/,
    ],
    [
      "unknown variable",
      {
        "workflows/w/workflow.yaml":
          "name: W\nsteps:\n  - stepId: a\n    type: sms\n    controlValues:\n      body: Hi {{ subscriber.nme }}\n",
      },
      /workflow\.yaml:6:7 {2}.*subscriber\.nme is not a variable/,
    ],
    [
      "condition",
      {
        "workflows/w/workflow.yaml":
          "name: W\nsteps:\n  - stepId: a\n    type: sms\n    controlValues:\n      body: Hi\n      skip: { nonsense: 1 }\n",
      },
      /workflow\.yaml:7:7 {2}.*skip/,
    ],
    [
      "layout that no file has",
      {
        "layouts/l/layout.yaml": "name: L\nbody: '{{content}}'\n",
        "workflows/w/workflow.yaml":
          "name: W\nsteps:\n  - stepId: a\n    type: email\n    controlValues: { subject: S, body: B, layoutId: m }\n",
      },
      /workflow\.yaml:5:43 {2}.*Layout m does not exist/,
    ],
    [
      "layout without content",
      { "layouts/l/layout.yaml": "name: L\n", "layouts/l/layout.html": "<p></p>\n" },
      /layout\.html:1:1 {2}body: The body must contain \{\{content\}\}/,
    ],
    [
      "text without a step",
      { "workflows/w/workflow.yaml": "name: W\nsteps: []\n", "workflows/w/a.email.html": "<p>\n" },
      /workflows\/w\/a\.email\.html:1:1 {2}is the text of a step that workflow\.yaml does not have/,
    ],
    [
      "no identifier",
      { "workflows/a b/workflow.yaml": "name: W\nsteps: []\n" },
      /workflows\/a b:1:1 {2}is not an identifier/,
    ],
    ["no file", { "workflows/w/README.md": "" }, /workflows\/w\/workflow\.yaml:1:1 {2}is missing/],
    [
      "broken JSON of texts",
      { "workflows/w/workflow.yaml": "name: W\nsteps: []\n", "workflows/w/translations/de.json": '{\n  "a": [\n}\n' },
      /translations\/de\.json:\d+:\d+/,
    ],
    [
      "too large",
      { "workflows/w/workflow.yaml": `name: W\nsteps: []\n#${"x".repeat(10_000_000)}\n` },
      /has 1000\d+ bytes, and at most 2097152 are read/,
    ],
    ["many aliases", { "workflows/w/workflow.yaml": `name: W\nsteps: []\nx: ${bomb()}\n` }, /workflow\.yaml:\d+:\d+/],
  ];

  function bomb(): string {
    const lines = ["&a [x,x,x,x,x,x,x,x,x]"];
    for (let level = 1; level < 9; level++) {
      const [name, previous] = [String.fromCharCode(97 + level), String.fromCharCode(96 + level)];
      lines.push(`\ny${level}: &${name} [${Array(9).fill(`*${previous}`).join(",")}]`);
    }
    return lines.join("");
  }

  for (const [name, files, expected] of faults) {
    test(name, async () => {
      const cwd = join(first.folder, "faults", name.replaceAll(" ", "-"));
      writeTree(cwd, { "tidings.yaml": "version: 1\n", ...files });
      const ran = await first.runWith({ cwd }, "validate");
      assert.equal(ran.code, 1, ran.stdout);
      assert.match(ran.stdout + ran.stderr, expected);
      assert.equal((await first.runWith({ cwd, env: { TIDINGS_URL: "http://127.0.0.1:9" } }, "validate")).code, 1);
    });
  }

  test("one broken workflow stops all of an apply", async () => {
    const cwd = join(first.folder, "broken");
    writeTree(cwd, {
      "tidings.yaml": "version: 1\n",
      "workflows/fine/workflow.yaml": "name: Fine\nsteps: []\n",
      "workflows/broken/workflow.yaml": "name: Broken\npayloadSchema:\n  type: nonsense\nsteps: []\n",
    });
    const ran = await first.runWith({ cwd }, "apply");
    assert.equal(ran.code, 1);
    assert.match(ran.stderr, /workflows\/broken\/workflow\.yaml:2:1 {2}payloadSchema is not a valid JSON Schema/);
    assert.equal((await client.raw("workflows.retrieve", { params: { workflowId: "fine" } })).status, 404);
  });
});

describe("a workflow that the service calls broken", () => {
  const mail = (layoutId: string) =>
    `name: W\nsteps:\n  - stepId: mail\n    type: email\n    controlValues: { subject: S, body: B, layoutId: ${layoutId} }\n`;

  test("is neither planned nor applied nor published without a word, and the doctor names it", async () => {
    const issues = await openEnvironment(service, "Issues");
    const cwd = join(issues.folder, "project");
    const run = (...argv: string[]) => issues.runWith({ cwd }, ...argv);
    writeTree(cwd, { "tidings.yaml": "version: 1\n", "workflows/w/workflow.yaml": mail("nope") });
    const valid = await run("validate");
    assert.equal(valid.code, 0);
    assert.match(valid.stdout, /Layouts were not checked because the folder layouts\//);
    const told = /workflows\/w\/workflow\.yaml:5:43 {2}steps\.0\.controlValues\.layoutId: Layout nope does not exist/;
    for (const command of [["plan", "--out", "x.plan"], ["apply"]]) {
      const refused = await run(...command);
      assert.equal(refused.code, 1, refused.stdout);
      assert.match(refused.stdout, told);
      assert.match(
        refused.stderr,
        /The plan has 1 error: .*Nothing was changed\.\n→ Correct them, or add --allow-issues/,
      );
    }
    const json = await run("plan", "--json");
    assert.equal(json.code, 1);
    assert.deepEqual(
      (JSON.parse(json.stdout) as FilesPlan).issues.map(({ id, field, isBlocking }) => [id, field, isBlocking]),
      [["w", "resources.workflows.0.steps.0.controlValues.layoutId", true]],
    );
    assert.equal(readTree(cwd)["x.plan"], undefined, "a plan that is refused is not saved");
    assert.match((await run("doctor", "--offline")).stdout, /ok +workflows: none has an error/);
    assert.equal((await run("plan", "--allow-issues")).code, 2);
    const allowed = await run("apply", "--allow-issues");
    assert.equal(allowed.code, 0, allowed.stderr);
    const doctor = await run("doctor", "--offline");
    assert.equal(doctor.code, 1);
    assert.match(doctor.stdout, /error +workflow w: Layout nope does not exist in this environment\n[\s\S]*1 error, /);
    const target = await openEnvironment(service, "Issues target");
    const published = await target.run("publish", "issues", "issues-target");
    assert.equal(published.code, 1);
    assert.match(published.stdout, /error workflow w {2}steps\.0\.controlValues\.layoutId: Layout nope/);
    assert.equal((await target.run("publish", "issues", "issues-target", "--allow-issues")).code, 0);
  });

  test("a layout of the same files is no fault, and a missing integration is told and not refused", async () => {
    const { folder, runWith, apiKey } = await openEnvironment(service, "No mail");
    const there = createClient({ baseUrl: service.url, apiKey });
    const mailbox = (await there("integrations.list")).body.find(
      ({ identifier }) => identifier === "svc-email-default",
    )!;
    await there("integrations.update", { params: { integrationId: mailbox._id! }, body: { active: false } });
    const cwd = join(folder, "project");
    writeTree(cwd, {
      "tidings.yaml": "version: 1\n",
      "workflows/w/workflow.yaml": mail("l"),
      "layouts/l/layout.yaml": "name: L\nbody: '{{content}}'\n",
    });
    const plan = await runWith({ cwd }, "plan");
    assert.equal(plan.code, 2, plan.stderr);
    assert.match(
      plan.stdout,
      /warning workflows\/w\/workflow\.yaml:4:5 {2}steps\.0\.type: No active integration for the email/,
    );
    assert.equal((await runWith({ cwd }, "apply")).code, 0);
  });
});

test("texts that tools of YAML 1.1 take for another type are quoted", () => {
  const words = ["yes", "no", "on", "off", "y", "N", "true", "0x1f", "1_000", "12:30", "~"];
  const payloadSchema = { type: "object", properties: { state: { enum: words } } };
  const texts = writeResources({ workflows: [{ workflowId: "w", name: "No", payloadSchema, steps: [] }] });
  const yaml = texts.get("workflow/w")!.get("workflows/w/workflow.yaml")!;
  assert.match(yaml, /^name: "No"$/m);
  for (const version of ["1.1", "1.2"] as const)
    assert.deepEqual(parse(yaml, { version }).payloadSchema.properties.state.enum, words, version);
});

describe("hostile names", () => {
  test("what a service sends cannot be written outside the folder", () => {
    const step = (stepId: string) => ({ stepId, type: "sms" as const, controlValues: { body: "x" } });
    const of = (workflowId: string, stepId: string, locale = "de") => ({
      workflows: [{ workflowId, name: "x", steps: [step(stepId)], translations: { [locale]: {} } }],
    });
    for (const bad of ["../evil", "..", "a/b", "a\\b", "/etc/passwd", "", "a..b", "x\0"]) {
      assert.throws(() => writeResources(of(bad, "a")), /cannot name a file/, bad);
      assert.throws(() => writeResources(of("a", bad)), /cannot name a file/, bad);
      assert.throws(() => writeResources(of("a", "a", bad)), /cannot name a file/, bad);
      assert.throws(() => writeResources({ layouts: [{ layoutId: bad, name: "x" }] }), /cannot name a file/);
    }
  });

  test("a symbolic link is neither followed nor replaced", async () => {
    const outside = join(first.folder, "outside");
    const cwd = join(first.folder, "links");
    writeTree(outside, { "workflow.yaml": "name: W\nsteps: []\n" });
    writeTree(cwd, { "tidings.yaml": "version: 1\n" });
    mkdirSync(join(cwd, "workflows"));
    symlinkSync(outside, join(cwd, "workflows/hello"));
    for (const command of [["validate"], ["plan"], ["pull", "--force"]]) {
      const ran = await first.runWith({ cwd }, ...command);
      assert.equal(ran.code, 1);
      assert.match(ran.stderr, /workflows\/hello is a symbolic link/);
    }
    rmSync(join(cwd, "workflows"), { recursive: true });
    assert.deepEqual(Object.keys(readTree(cwd)), ["tidings.yaml"], "what is refused writes nothing");
    symlinkSync(outside, join(cwd, ".tidings"));
    assert.match((await first.runWith({ cwd }, "pull")).stderr, /\.tidings is a symbolic link/);
    assert.deepEqual(readTree(outside), { "workflow.yaml": "name: W\nsteps: []\n" });
  });
});

describe("between environments, and for code", () => {
  test("publish shows the plan, asks in production, and copies workflows and layouts", async () => {
    writeTree(first.folder, {
      "layouts/main/layout.yaml": "name: Main\n",
      "layouts/main/layout.html": "{{content}}\n",
    });
    assert.equal((await first.run("apply")).code, 0);
    const second = await openEnvironment(service, "Second");
    const dry = await second.run("publish", "first", "second", "--dry-run");
    assert.equal(dry.code, 2, dry.stderr);
    assert.match(dry.stdout, /\+ layout main \(Main\) created/);
    assert.equal((await second.run("publish", "first", "second")).code, 0);
    assert.equal((await second.run("publish", "first", "second", "--dry-run")).code, 0);
    assert.match((await second.run("publish", "first", "moon")).stderr, /no login for the environment "moon"/);
    assert.equal((await second.run("publish", "first")).code, 64);
    const listed = (await service.production("environments.list")).body;
    const production = listed.find(({ apiKeys }) => apiKeys)!;
    const env = { TIDINGS_API_KEY: production.apiKeys!.at(-1)!.key };
    const asked = await first.runWith({ env }, "publish", "first", production.identifier);
    assert.match(asked.stderr, /Publish 2 created in Production: this needs a confirmation\.\n→ Add --yes/);
    assert.equal((await first.runWith({ env }, "publish", "first", production.identifier, "--yes")).code, 0);
    const applied = await first.runWith({ env }, "apply", "--prune");
    assert.match(applied.stdout + applied.stderr, /this needs a confirmation|No changes/);
  });

  test("types of payloads compile, and schemas are printed", async () => {
    const cwd = join(first.folder, "types");
    writeTree(cwd, {
      "tidings.yaml": "version: 1\n",
      "workflows/order/workflow.yaml":
        "name: Order\npayloadSchema:\n  type: object\n  required: [id]\n  additionalProperties: false\n  properties:\n" +
        "    id: { type: string }\n    state: { enum: [open, sent] }\n    lines: { type: array, items: { type: [number, 'null'] } }\nsteps: []\n",
      "workflows/plain/workflow.yaml": "name: Plain\nsteps: []\n",
    });
    const { stdout } = await first.runWith({ cwd }, "types");
    assert.match(
      stdout,
      /"order": \{\n {4}id: string;\n {4}state\?: "open" \| "sent";\n {4}lines\?: \(number \| null\)\[\];\n {2}\};/,
    );
    assert.match(stdout, /"plain": Record<string, unknown>;/);
    assert.equal((await first.runWith({ cwd }, "types", "--out", "payloads.ts")).code, 0);
    assert.equal(readFileSync(join(cwd, "payloads.ts"), "utf8"), stdout);
    const printed = await first.runWith({ cwd }, "schema", "workflow");
    assert.equal(JSON.parse(printed.stdout).additionalProperties, false);
    assert.equal((await first.runWith({ cwd }, "schema")).code, 0);
    assert.equal((await first.runWith({ cwd }, "schema", "nonsense")).code, 64);
    assert.match((await first.runWith({ cwd: join(cwd, "workflows") }, "plan")).stderr, /There is no tidings\.yaml/);
  });
});

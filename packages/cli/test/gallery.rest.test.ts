// Every template of the gallery, written as files and tested with its scenario against a real service.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gallery } from "@tidings/contract/gallery";
import { startTestService } from "@tidings/testkit/service";
import { openTerminal } from "./support.ts";

const service = await startTestService({ TIDINGS_MAX_ENVIRONMENTS: "8" });
const terminal = openTerminal(service);

test("the scenario of every template passes", async () => {
  for (const { name } of gallery) {
    const added = await terminal.run("init", "all", "--from", name);
    assert.equal(added.code, 0, added.stdout + added.stderr);
  }
  assert.ok(existsSync(join(terminal.folder, "all/layouts/brand/layout.html")));
  const valid = await terminal.run("validate", "--dir", "all");
  assert.equal(valid.code, 0, valid.stdout + valid.stderr);
  const scenarios = gallery.map(({ name }) => `all/scenarios/${name}.yaml`);
  const ran = await terminal.run("test", "--dir", "all", ...scenarios);
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  assert.match(ran.stdout, new RegExp(`${gallery.length} passed, 0 failed`));
});

test("a template that is there already is not overwritten, and an unknown name lists the names", async () => {
  const path = join(terminal.folder, "own/workflows/invoice/workflow.yaml");
  assert.equal((await terminal.run("init", "own", "--from", "invoice")).code, 0);
  writeFileSync(path, "# changed\n");
  const again = await terminal.run("init", "own", "--from", "invoice");
  assert.notEqual(again.code, 0);
  assert.match(again.stderr, /workflows\/invoice\/\S+ exists already\. Nothing was written\./);
  assert.equal(readFileSync(path, "utf8"), "# changed\n");
  const unknown = await terminal.run("init", "other", "--from", "newsletter");
  assert.notEqual(unknown.code, 0);
  assert.match(unknown.stderr, /no template "newsletter"[\s\S]*welcome, verify-address, .*incident/);
  assert.equal(existsSync(join(terminal.folder, "other")), false);
});

test("the brand is a file: pulled, changed, planned, refused with its line, applied", async () => {
  const { client } = service;
  await client("brand.update", { body: { name: "Acme", colors: { primary: "#0b5fff" } } });
  const path = join(terminal.folder, "branded/brand.yaml");
  assert.equal((await terminal.run("init", "branded", "--from", "mention")).code, 0);
  const pulled = await terminal.run("pull", "--dir", "branded");
  assert.equal(pulled.code, 0, pulled.stdout + pulled.stderr);
  assert.match(readFileSync(path, "utf8"), /name: Acme\n/);
  writeFileSync(path, 'name: Globex\nlogoUrl: "javascript:alert(1)"\n');
  const refused = await terminal.run("plan", "--dir", "branded");
  assert.equal(refused.code, 1);
  assert.match(refused.stdout + refused.stderr, /brand\.yaml:2:\d+.*must be a web address/);
  writeFileSync(path, "name: Globex\n");
  assert.equal((await terminal.run("plan", "--dir", "branded")).code, 2);
  const applied = await terminal.run("apply", "--dir", "branded");
  assert.equal(applied.code, 0, applied.stdout + applied.stderr);
  assert.deepEqual((await client("brand.retrieve")).body.own, { name: "Globex" });
  assert.equal((await terminal.run("plan", "--dir", "branded")).code, 0);
});

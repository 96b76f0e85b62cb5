// Every template of the gallery, written as files and tested with its scenario against a real service.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gallery } from "@tidings/contract/gallery";
import { startTestService } from "../../server/test/support/service.ts";
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
  assert.match(again.stderr, /workflows\/invoice\/workflow\.yaml exists already\. Nothing was written\./);
  assert.equal(readFileSync(path, "utf8"), "# changed\n");
  const unknown = await terminal.run("init", "other", "--from", "newsletter");
  assert.notEqual(unknown.code, 0);
  assert.match(unknown.stderr, /no template "newsletter"[\s\S]*welcome, verify-address, .*incident/);
  assert.equal(existsSync(join(terminal.folder, "other")), false);
});

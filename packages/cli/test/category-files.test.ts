// Categories as a file: pulled, planned, applied and pruned against a real service.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { openTerminal } from "./support.ts";

const service = await shareService();
const terminal = openTerminal(service);

test("categories are a file: in order, used by workflows, pruned with a word about choices", async () => {
  const { client } = service;
  const dir = ["--dir", "grouped"];
  const path = join(terminal.folder, "grouped/categories.yaml");
  await client("categories.create", { body: { categoryId: "news", name: "News", channels: { sms: false } } });
  await client("categories.create", { body: { categoryId: "offers", name: "Offers" } });
  assert.equal((await terminal.run("init", "grouped", "--from", "mention")).code, 0);
  assert.equal((await terminal.run("pull", ...dir)).code, 0);
  const head = "# yaml-language-server: $schema=.tidings/schema/categories.json\n";
  const order = "# In the order in which subscribers see them.\n";
  const news = "  news:\n    name: News\n    channels:\n      sms: false\n";
  const pulled = `${head}${order}categories:\n${news}  offers:\n    name: Offers\n`;
  assert.equal(readFileSync(path, "utf8"), pulled);
  assert.doesNotMatch((await terminal.run("plan", ...dir)).stdout, /category/);

  const workflow = join(terminal.folder, "grouped/workflows/mention/workflow.yaml");
  const settings = readFileSync(workflow, "utf8");
  writeFileSync(workflow, settings.replace(/^name:/m, "categoryId: security\nname:"));
  const missing = await terminal.run("plan", ...dir);
  assert.match(missing.stdout, /workflow\.yaml:\d+:\d+.*no category security: add it to the files/);
  writeFileSync(path, `categories:\n  security:\n    name: Security\n    required: yes please\n${news}`);
  assert.match((await terminal.run("plan", ...dir)).stderr, /categories\.yaml:4:\d+.*required must be/);
  writeFileSync(path, `categories:\n  security:\n    name: Security\n    required: true\n${news}`);
  const plan = await terminal.run("plan", ...dir);
  assert.match(
    plan.stdout,
    /\+ category security \(Security\) created\n {4}New category\n {4}Subscribers see .* security, news, offers\n/,
  );
  assert.match(plan.stdout, /= category offers stays: it is not in the files; --prune deletes it/);
  assert.equal((await terminal.run("apply", ...dir)).code, 0);
  const list = async () => (await client("categories.list")).body.categories.map(({ categoryId }) => categoryId);
  assert.deepEqual(await list(), ["security", "news", "offers"]);
  assert.equal((await terminal.run("plan", ...dir)).code, 0);
  const tested = await terminal.run("test", ...dir);
  assert.equal(tested.code, 0, tested.stdout + tested.stderr);

  await client("subscribers.create", { body: { subscriberId: "ada" } });
  const choice = { categoryId: "offers", channels: { email: false } };
  await createWorkflow(client, "sale", [inApp({ body: "Hi" })], { categoryId: "offers" });
  await client("subscribers.updatePreferences", { params: { subscriberId: "ada" }, body: choice });
  await client("workflows.delete", { params: { workflowId: "sale" } });
  const pruned = await terminal.run("plan", "--prune", ...dir);
  assert.match(
    pruned.stdout,
    /- category offers .*deleted\n {4}It is deleted, and with it the choices that 1 subscriber/,
  );
  writeFileSync(path, `categories:\n${news}`);
  const used = await terminal.run("plan", "--prune", ...dir);
  assert.match(used.stdout, /= category security stays: workflow mention is in it/);
  assert.equal((await terminal.run("apply", "--prune", ...dir)).code, 0);
  assert.deepEqual(await list(), ["news", "security"]);
});

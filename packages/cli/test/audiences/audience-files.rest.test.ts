// Audiences as files: planned, applied, pulled, pruned and published against a real service.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createClient } from "@tidings/testkit/client";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { openEnvironment, readTree, writeTree } from "../files-support.ts";

const service = await shareService();
const member = (id: string, list = "audiences") => ({ in: [id, { var: list }] });

const pro = `# People who pay.
name: Pro customers
description: The Pro plan
rule:
  "==":
    - var: subscriber.data.plan
    - pro
`;
const quiet = `name: Quiet
rule:
  and:
    - in: [pro, { var: audiences }]
    - in: [beta, { var: topics }]
`;

test("audiences are files: planned in words, applied, pulled, pruned", async () => {
  const terminal = await openEnvironment(service, "Audience files");
  const client = createClient({ baseUrl: service.url, apiKey: terminal.apiKey });
  await terminal.run("pull");
  const folder = terminal.folder;
  writeTree(folder, { "audiences/quiet.yaml": quiet, "audiences/pro.yaml": pro.replace("rule", "rules") });
  const shape = await terminal.run("plan");
  assert.match(shape.stderr, /audiences\/pro\.yaml:4:1.*rules/);
  rmSync(join(folder, "audiences/pro.yaml"));
  const lacking = await terminal.run("plan");
  assert.match(lacking.stderr, /audiences\/quiet\.yaml:\d+:\d+.*rule reads the unknown audience pro/);
  writeTree(folder, { "audiences/pro.yaml": pro.replace("subscriber.data.plan", "subscriber.plan") });
  const unknown = /audiences\/pro\.yaml:\d+:\d+.*unknown field subscriber\.plan; did you mean subscriber\.data\.plan/;
  assert.match((await terminal.run("validate")).stdout, unknown);
  assert.match((await terminal.run("plan")).stderr, unknown);

  writeTree(folder, { "audiences/pro.yaml": pro });
  const plan = await terminal.run("plan");
  assert.match(plan.stdout, /warning audiences\/quiet\.yaml:\d+:\d+.*The environment has no topic beta/);
  assert.match(
    plan.stdout,
    /\+ audience pro \(Pro customers\) created\n {4}New audience: subscriber\.data\.plan is "pro"\n/,
  );
  const applied = await terminal.run("apply");
  assert.equal(applied.code, 0, applied.stdout + applied.stderr);
  assert.equal((await terminal.run("plan")).code, 0);
  const pulled = await terminal.run("pull");
  assert.equal(pulled.code, 0, pulled.stderr);
  assert.equal(readTree(folder)["audiences/pro.yaml"], pro);

  writeTree(folder, { "audiences/pro.yaml": pro.replace("- pro", "- gold").replace("Pro customers", "Gold") });
  const changed = await terminal.run("plan");
  assert.match(changed.stdout, /The name becomes “Gold”, was “Pro customers”/);
  assert.match(changed.stdout, /It has other people: subscriber\.data\.plan is "gold"; before: .* is "pro"/);

  writeTree(folder, {
    "audiences/pro.yaml": `${pro.slice(0, pro.indexOf("rule"))}rule: { in: [quiet, { var: audiences }] }\n`,
  });
  const circle = await terminal.run("plan");
  assert.match(circle.stderr, /audiences\/pro\.yaml:\d+:\d+.*rule reads itself: pro → quiet → pro/);

  rmSync(join(folder, "audiences/pro.yaml"));
  assert.match((await terminal.run("plan", "--prune")).stdout, /= audience pro stays: audience quiet uses it/);
  writeTree(folder, { "audiences/quiet.yaml": pro });
  await createWorkflow(client, "tips", [inApp({ body: "Hi", skip: { "!": member("pro") } })]);
  assert.match((await terminal.run("plan", "--prune")).stdout, /= audience pro stays: workflow tips uses it/);
  await client("workflows.delete", { params: { workflowId: "tips" } });
  assert.match((await terminal.run("plan", "--prune")).stdout, /- audience pro .*deleted\n {4}It is deleted/);
  assert.equal((await terminal.run("apply", "--prune")).code, 0);
  const { audiences } = (await client("files.export")).body.resources;
  assert.deepEqual(
    audiences?.map(({ audienceId }) => audienceId),
    ["quiet"],
  );
});

test("audiences are published with their workflows, and the publish can be undone", async () => {
  const source = await openEnvironment(service, "Audience source");
  const target = await openEnvironment(service, "Audience target");
  const [from, to] = [source, target].map(({ apiKey }) => createClient({ baseUrl: service.url, apiKey }));
  await source.run("pull");
  writeTree(source.folder, { "audiences/pro.yaml": pro, "audiences/quiet.yaml": quiet });
  assert.equal((await source.run("apply")).code, 0);
  await createWorkflow(from!, "tips", [inApp({ body: "Hi", skip: { "!": member("quiet") } })]);
  const me = async (client: typeof from) => (await client!("files.export")).body.environmentId;
  const params = { targetEnvironmentId: await me(to) };
  const sourceEnvironmentId = await me(from);

  const { resources } = (await to!("environments.diff", { params, body: { sourceEnvironmentId } })).body;
  const find = (type: string, id: string) =>
    resources.find(({ resourceType, sourceResource }) => resourceType === type && sourceResource?.id === id);
  assert.deepEqual(find("audience", "pro")?.sentences, ['New audience: subscriber.data.plan is "pro"']);
  assert.equal(find("workflow", "tips")?.dependencies?.[0]?.reason, "AUDIENCE_REQUIRED");
  const publish = async (...ids: string[][]) => {
    const some = ids.map(([resourceType, resourceId]) => ({ resourceType, resourceId }));
    return (await to!("environments.publish", { params, body: { sourceEnvironmentId, resources: some as never } }))
      .body;
  };
  const alone = await publish(["workflow", "tips"]);
  assert.equal(alone.results[0]?.failed[0]?.error, "Audience quiet is not in the target environment");
  const nested = await publish(["workflow", "tips"], ["audience", "quiet"]);
  assert.match(JSON.stringify(nested.results), /Audience pro is not in the target environment/);
  const { publishId, summary } = await publish(["workflow", "tips"], ["audience", "quiet"], ["audience", "pro"]);
  assert.equal(summary.successful, 3);
  const again = (await to!("environments.diff", { params, body: { sourceEnvironmentId } })).body;
  assert.ok(!again.resources.some(({ resourceType }) => resourceType === "audience"));

  const undo = { params: { environmentId: params.targetEnvironmentId, publishId: publishId! }, body: {} };
  const restored = (await to!("environments.restorePublish", undo)).body;
  assert.deepEqual(
    restored.resources.map(({ action }) => action),
    ["deleted", "deleted", "deleted"],
  );
  assert.deepEqual((await to!("files.export")).body.resources.audiences, []);
});

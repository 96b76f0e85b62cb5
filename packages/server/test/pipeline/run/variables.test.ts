// Variables of an environment in content and conditions, in every process, and secrets that stay out of both.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { StepIn } from "@tidings/contract";
import { atEnd } from "@tidings/testkit/at-end";
import { startTestService, startWorker } from "@tidings/testkit/service";
import { createWorkflow, detailsOf, email, feedOf, inApp, settled, trigger } from "@tidings/testkit/verbs";
import { sql } from "kysely";
import { sealText } from "../../../src/lib/sealed.ts";
import { createSecrets } from "../../../src/lib/secrets.ts";
import { openVariables } from "../../../src/pipeline/run/variables.ts";

const encryptionKey = Buffer.alloc(32, 7).toString("base64");
// The worker ends before the service, which drops the database.
let stopWorker = async () => {};
atEnd(() => stopWorker());
const service = await startTestService({ TIDINGS_ROLE: "api", TIDINGS_ENCRYPTION_KEY: encryptionKey });
const { client, production, db } = service;
stopWorker = (await startWorker(service, encryptionKey)).stop;
const [dev] = (await client("environments.list", {})).body.map(({ _id }) => _id);

const set = async (key: string, value: string, isSecret = false) => {
  const values = [{ _environmentId: dev!, value }];
  const params = { variableKey: key };
  const reply = await client.raw("environmentVariables.update", { params, body: { isSecret, values } });
  if (reply.status === 404) await client("environmentVariables.create", { body: { key, isSecret, values } });
};
const contentOf = async (workflowId: string, to: string) => {
  await settled(client, await trigger(client, workflowId, to));
  return (await feedOf(client, to))[0]?.content;
};

test("content and conditions read a variable, and another environment has its own", async () => {
  await set("BASE_URL", "https://dev.example.com");
  await set("PLAN", "paid");
  const skipped = inApp({ body: "skipped", skip: { "==": [{ var: "env.PLAN" }, "paid"] } });
  const mail = email({ subject: "{{ env.PLAN }}", body: "<p>{{ env.BASE_URL }}/x</p>", editorType: "html" });
  const steps: StepIn[] = [{ ...inApp({ body: "At {{ env.BASE_URL }}/x" }), stepId: "one" }, skipped, mail];
  await createWorkflow(client, "everywhere", steps);
  const to = { subscriberId: "ada", email: "ada@example.com" };
  const transactionId = await trigger(client, "everywhere", to);
  await settled(client, transactionId);
  assert.deepEqual(
    (await feedOf(client, "ada")).map(({ content }) => content),
    ["At https://dev.example.com/x"],
  );
  const [captured] = (await client("captured.list", { query: { transactionId } })).body.data;
  assert.equal(captured!.subject, "paid");
  assert.match(captured!.html!, /https:\/\/dev\.example\.com\/x/);
  await createWorkflow(production, "elsewhere", [inApp({ body: "[{{ env.BASE_URL }}]" })]);
  await settled(production, await trigger(production, "elsewhere", "bob"));
  assert.equal((await feedOf(production, "bob"))[0]?.content, "[]");
});

test("a change reaches every process, and a variable that did not change is not read again", async () => {
  await set("WORD", "one");
  const pause: StepIn = { name: "Wait", type: "delay", controlValues: { type: "regular", amount: 1, unit: "seconds" } };
  const told = inApp({ body: "{{ env.WORD }}" });
  // The first run ends in the process that takes requests, the second in the one that works.
  await createWorkflow(client, "at-once", [told]);
  await createWorkflow(client, "later", [pause, told]);
  const both = () => Promise.all([contentOf("at-once", "now"), contentOf("later", "then")]);
  assert.deepEqual(await both(), ["one", "one"]);
  // Past the API, so that no version says that it changed.
  await sql`update environment_variables set value = 'unseen' where key = 'WORD'`.execute(db);
  assert.deepEqual(await both(), ["one", "one"]);
  await set("WORD", "two");
  assert.deepEqual(await both(), ["two", "two"]);
});

test("a secret in content is empty, and the job says why", async () => {
  const secret = "s3cret-canary";
  await set("TOKEN", secret, true);
  // It would be true if a condition saw the secret.
  const skip = { "!!": [{ var: "env.TOKEN" }] };
  await createWorkflow(client, "leaky", [inApp({ body: "[{{ env.TOKEN }}{{ env['TOKEN'] }}{{ env | json }}]", skip })]);
  const [notification] = await settled(client, await trigger(client, "leaky", "eve"));
  assert.match((await feedOf(client, "eve"))[0]!.content!, /^\[\{.*BASE_URL.*\}\]$/);
  assert.ok(detailsOf(notification!, "in_app").includes("A secret variable was left empty, it may not be in content"));
  assert.match(JSON.stringify(notification), /env\.TOKEN can be used only in HTTP requests/);
  assert.ok(!JSON.stringify([notification, await feedOf(client, "eve"), service.logs]).includes(secret));
});

test("secrets open with every key of the rotation, together with what must be masked", () => {
  const key = (version: number) => ({ version, key: Buffer.alloc(32, version) });
  const stored = sealText(createSecrets([key(1)]), "old");
  const sealed = { OLD: stored, NEW: sealText(createSecrets([key(2), key(1)]), "new") };
  const opened = openVariables(createSecrets([key(2), key(1)]), { plain: { OPEN: "yes" }, sealed });
  assert.deepEqual(opened, { env: { OPEN: "yes", OLD: "old", NEW: "new" }, secretValues: ["old", "new"] });
});

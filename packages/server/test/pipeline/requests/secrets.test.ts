// Secret variables in HTTP requests: the host gets them, and nothing else shows them.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { StepIn } from "@tidings/contract";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, feedOf, inApp, settled, trigger } from "@tidings/testkit/verbs";
import { sql } from "kysely";

const secret = 'p@ss "w0rd" & more';

test("a secret reaches the host, and no answer, log or row has it, even where the host sends it back", async () => {
  const host = await startReceiver(({ path, headers }) =>
    path.startsWith("/fails")
      ? { status: 400, text: `no ${headers["x-token"]}` }
      : { status: 200, text: JSON.stringify({ echo: headers["x-token"], [String(headers["x-token"])]: 1 }) },
  );
  const { client, db, logs } = await startTestService({ TIDINGS_LOG_LEVEL: "debug" });
  const [environment] = (await client("environments.list", {})).body;
  await client("environmentVariables.create", {
    body: { key: "TOKEN", isSecret: true, values: [{ _environmentId: environment!._id, value: secret }] },
  });
  const request = (stepId: string, path: string): StepIn => ({
    name: stepId,
    stepId,
    type: "http_request",
    controlValues: {
      method: "POST",
      url: `${host.url}${path}?of={{ env.TOKEN | url_encode }}`,
      headers: [{ key: "X-Token", value: "{{ env.TOKEN }}" }],
      body: '{ "inside": "{{ env.TOKEN }}" }',
      continueOnFailure: true,
    },
  });
  await createWorkflow(client, "secrets", [
    request("works", "/works"),
    request("fails", "/fails"),
    inApp({ body: "[{{ env.TOKEN }}] {{ steps.works.body.echo }} {{ steps.fails.body }}" }),
  ]);
  const transactionId = await trigger(client, "secrets", "ada");
  await settled(client, transactionId);
  const [works] = host.received;
  assert.deepEqual([works!.headers["x-token"], JSON.parse(works!.body)], [secret, { inside: secret }]);
  assert.equal(new URL(works!.path, host.url).searchParams.get("of"), secret);
  assert.equal((await feedOf(client, "ada"))[0]!.content, "[] ******** no ********");

  const params = { workflowId: "secrets", stepId: "works" };
  const answers = [
    await client("notifications.list", { query: { transactionId } }),
    await client("explain.retrieve", { query: { transactionId, subscriberId: "ada" } }),
    await client("explain.dryRun", { body: { name: "secrets", to: "ada" } }),
    await client("workflows.sendRequest", { params, body: {} }),
    await client("workflows.retrieve", { params: { workflowId: "secrets" } }),
    await client("environmentVariables.list", { query: {} }),
  ];
  const { rows } = await sql`
    select jobs::text from jobs union all select events::text from events union all select messages::text from messages
    union all select environment_variables::text from environment_variables
    union all select audit_log::text from audit_log`.execute(db);
  const shown = JSON.stringify([answers.map(({ body }) => body), rows, logs]);
  for (const form of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
    for (const text of [form, JSON.stringify(form).slice(1, -1), JSON.stringify(JSON.stringify(form)).slice(3, -3)])
      assert.ok(!shown.includes(text), text);
});

// Alerts end to end: a provider goes down and comes back, and people hear of it once each time.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { alertsOf, minutes, startAlertService } from "../../support/alerts.ts";
import { startReceiver } from "../../support/receiver.ts";
import { createWorkflow, email, trigger } from "../../support/verbs.ts";
import { eventually } from "../../support/wait.ts";
import { mailer, person } from "../../support/webhook-providers.ts";

let isDown = false;
const internet = await startReceiver(({ path }) => (path === "/down" && isDown ? { status: 500 } : { status: 200 }));
const { service, pass } = await startAlertService();
const { client, db } = service;
await createWorkflow(client, "mail", [email()]);

test("a provider that is down opens an alert, one message to each target, and one when it responds again", async () => {
  const main = await mailer(client, "main", `${internet.url}/down`);
  const rule = (
    await client("alertRules.create", {
      body: {
        name: "Provider down",
        kind: "integration_failing",
        parameters: { forSeconds: 60 },
        targets: [{ type: "webhook", url: `${internet.url}/hook` }],
      },
    })
  ).body;
  isDown = true;
  await trigger(client, "mail", person("ada"));
  await eventually(async () => {
    const { rows } = await sql<{ failing_since: Date }>`select * from integration_health where failures >= 1`.execute(db);
    assert.equal(rows.length, 1);
  });
  await sql`update integration_health set failures = 5, state = 'open', opened_at = now()`.execute(db);
  const start = Date.now();
  await pass(new Date(start));
  assert.deepEqual(await alertsOf(client), []);
  await pass(new Date(start + minutes(1.5)));
  const [alert] = await alertsOf(client);
  assert.equal(alert!.subject.id, main._id);
  await eventually(() => assert.equal(internet.of("/hook").length, 1));
  console.log(alert, internet.of("/hook")[0]!.body, rule);
});

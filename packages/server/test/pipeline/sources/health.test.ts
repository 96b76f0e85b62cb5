// What operators see of a source whose database is away: its state, the metrics and an alert; and when it is back.
import assert from "node:assert/strict";
import { test } from "node:test";
import { outboxSql } from "@tidings/contract";
import { createTestDatabase } from "@tidings/testkit/database";
import { metric } from "@tidings/testkit/metric";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { alertsOf, minutes, removeRules, startAlertService } from "../../support/alerts.ts";
import { subjectsOf, withClient } from "./shop.ts";

const { service, pass } = await startAlertService();
const { client } = service;

test("a source that fails is reported, and one that works again is not", async (context) => {
  await removeRules(client);
  await createWorkflow(client, "shipped", [inApp({ subject: "Order {{ payload.order }}", body: "Shipped" })]);
  const customer = await createTestDatabase({ isEmpty: true });
  context.after(() => customer.drop());
  await withClient(customer.url, (one) => one.query(outboxSql()));
  const { body: source } = await client("sources.create", { body: { name: "Orders", url: customer.url } });
  const params = { sourceId: source.id };
  context.after(() => client("sources.delete", { params }));
  const { body: rule } = await client("alertRules.create", {
    body: { name: "Sources", kind: "source_failing", parameters: { forMinutes: 5 } },
  });
  const figures = async () => {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    return ["failing", "waiting", "lag_seconds"].map((name) =>
      metric(text, `tidings_source_${name}`, { source: source.id }),
    );
  };
  const stateIs = (state: string) =>
    eventually(async () => {
      const { body } = await client("sources.retrieve", { params });
      return body.state === state ? body : null;
    }, `the state ${state}`);
  await eventually(async () => String(await figures()) === "0,0,0", "the first measurement");

  await customer.allowConnections(false);
  const { lastError, failingSince } = await stateIs("failing");
  assert.ok(lastError && failingSince);
  assert.deepEqual(await figures(), [1, 0, 0]);
  const ofRule = async () => {
    const found = await alertsOf(client, { ruleId: rule._id });
    return found.map(({ status, subject, path }) => [status, subject.type, subject.id, path]);
  };
  await pass(new Date(Date.parse(failingSince) + minutes(5) - 1));
  assert.deepEqual(await ofRule(), []);
  await pass(new Date(Date.parse(failingSince) + minutes(5)));
  assert.deepEqual(await ofRule(), [["open", "source", source.id, `/sources/${source.id}`]]);

  await customer.allowConnections(true);
  await withClient(customer.url, (one) => one.query(`select tidings.trigger('shipped', 'ada', '{"order": 1}')`));
  await eventually(async () => (await subjectsOf(client, "ada")).length === 1, "what was committed meanwhile");
  await stateIs("healthy");
  await pass(new Date(Date.parse(failingSince) + minutes(6)));
  await pass(new Date(Date.parse(failingSince) + minutes(60)));
  assert.deepEqual(await ofRule(), [["resolved", "source", source.id, `/sources/${source.id}`]]);
  await eventually(async () => String(await figures()) === "0,0,0", "the last measurement");
  // A paused source has no figures: it is meant to be behind.
  await client("sources.update", { params, body: { paused: true } });
  assert.deepEqual(await figures(), [null, null, null]);
});

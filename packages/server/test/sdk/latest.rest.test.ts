// The newest published SDK has functions for the inbox of a subscriber that the one of sdk.test.ts lacks: they are
// called here, and its own checks of requests and responses have to accept what they see.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Operation, operations } from "@tidings/contract";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, inApp, settled, trigger } from "@tidings/testkit/verbs";
import { NovuCore } from "novu-api-latest/core.js";
import { environmentVariablesCreate } from "novu-api-latest/funcs/environmentVariablesCreate.js";
import { environmentVariablesDelete } from "novu-api-latest/funcs/environmentVariablesDelete.js";
import { environmentVariablesList } from "novu-api-latest/funcs/environmentVariablesList.js";
import { environmentVariablesRetrieve } from "novu-api-latest/funcs/environmentVariablesRetrieve.js";
import { environmentVariablesUpdate } from "novu-api-latest/funcs/environmentVariablesUpdate.js";
import { environmentVariablesUsage } from "novu-api-latest/funcs/environmentVariablesUsage.js";
import { subscribersNotificationsArchive } from "novu-api-latest/funcs/subscribersNotificationsArchive.js";
import { subscribersNotificationsArchiveAll } from "novu-api-latest/funcs/subscribersNotificationsArchiveAll.js";
import { subscribersNotificationsArchiveAllRead } from "novu-api-latest/funcs/subscribersNotificationsArchiveAllRead.js";
import { subscribersNotificationsCompleteAction } from "novu-api-latest/funcs/subscribersNotificationsCompleteAction.js";
import { subscribersNotificationsCount } from "novu-api-latest/funcs/subscribersNotificationsCount.js";
import { subscribersNotificationsDelete } from "novu-api-latest/funcs/subscribersNotificationsDelete.js";
import { subscribersNotificationsDeleteAll } from "novu-api-latest/funcs/subscribersNotificationsDeleteAll.js";
import { subscribersNotificationsList } from "novu-api-latest/funcs/subscribersNotificationsList.js";
import { subscribersNotificationsMarkAllAsRead } from "novu-api-latest/funcs/subscribersNotificationsMarkAllAsRead.js";
import { subscribersNotificationsMarkAsRead } from "novu-api-latest/funcs/subscribersNotificationsMarkAsRead.js";
import { subscribersNotificationsMarkAsSeen } from "novu-api-latest/funcs/subscribersNotificationsMarkAsSeen.js";
import { subscribersNotificationsMarkAsUnread } from "novu-api-latest/funcs/subscribersNotificationsMarkAsUnread.js";
import { subscribersNotificationsRevertAction } from "novu-api-latest/funcs/subscribersNotificationsRevertAction.js";
import { subscribersNotificationsSnooze } from "novu-api-latest/funcs/subscribersNotificationsSnooze.js";
import { subscribersNotificationsUnarchive } from "novu-api-latest/funcs/subscribersNotificationsUnarchive.js";
import { subscribersNotificationsUnsnooze } from "novu-api-latest/funcs/subscribersNotificationsUnsnooze.js";
import { workflowsGet } from "novu-api-latest/funcs/workflowsGet.js";
import { workflowsStepsRetrieve } from "novu-api-latest/funcs/workflowsStepsRetrieve.js";

const service = await shareService({ TIDINGS_VOCABULARY: "novu" });
const core = new NovuCore({ serverURL: service.url, secretKey: service.apiKey, retryConfig: { strategy: "none" } });

type Outcome<T> = { ok: true; value: T } | { ok: false; error: Error };
async function accepted<T>(call: PromiseLike<Outcome<T>>): Promise<T> {
  const outcome = await call;
  if (!outcome.ok) throw outcome.error;
  return outcome.value;
}

test("the newest SDK accepts the answer of every function for the inbox of a subscriber", async () => {
  const { client } = service;
  const subscriberId = "ada";
  const primaryAction = { label: "Open", redirect: { url: "https://example.com" } };
  await createWorkflow(client, "hello", [inApp({ subject: "Hi", body: "Ho", primaryAction, data: { a: "1" } })], {
    severity: "high",
  });
  for (const _ of [1, 2]) await settled(client, await trigger(client, "hello", subscriberId));

  const list = () => accepted(subscribersNotificationsList(core, { subscriberId, severity: ["high"], limit: 10 }));
  const { result: page } = await list();
  assert.deepEqual([page.data.length, page.hasMore], [2, false]);
  const notificationId = page.data[0]!.id;
  const counts = await accepted(subscribersNotificationsCount(core, subscriberId, '[{"read":false},{"read":true}]'));
  assert.deepEqual(
    counts.result.map(({ count }) => count),
    [2, 0],
  );

  const item = { subscriberId, notificationId };
  const marks = [
    [subscribersNotificationsMarkAsRead, { isRead: true }],
    [subscribersNotificationsMarkAsUnread, { isRead: false }],
    [subscribersNotificationsArchive, { isArchived: true }],
    [subscribersNotificationsUnarchive, { isArchived: false }],
  ] as const;
  for (const [mark, expected] of marks) {
    const { result } = await accepted(mark(core, item));
    assert.deepEqual({ ...result, ...expected }, result);
  }
  const snoozeUntil = new Date(Date.now() + 3_600_000);
  const snoozed = await accepted(
    subscribersNotificationsSnooze(core, {
      subscriberId,
      notificationId,
      snoozeSubscriberNotificationDto: { snoozeUntil },
    }),
  );
  assert.equal(snoozed.result.isSnoozed, true);
  assert.equal((await accepted(subscribersNotificationsUnsnooze(core, item))).result.isSnoozed, false);
  const action = { subscriberId, notificationId, actionType: "primary" } as const;
  const completed = await accepted(subscribersNotificationsCompleteAction(core, action));
  assert.equal(completed.result.primaryAction?.isCompleted, true);
  await accepted(subscribersNotificationsRevertAction(core, action));

  await accepted(subscribersNotificationsMarkAsSeen(core, { notificationIds: [notificationId] }, subscriberId));
  await accepted(subscribersNotificationsMarkAllAsRead(core, { data: '{"a":"1"}' }, subscriberId));
  assert.ok((await list()).result.data.every(({ isRead }) => isRead));
  await accepted(subscribersNotificationsArchiveAllRead(core, {}, subscriberId));
  assert.deepEqual((await list()).result.data, []);
  await accepted(subscribersNotificationsArchiveAll(core, {}, subscriberId));
  await accepted(subscribersNotificationsDelete(core, item));
  await accepted(subscribersNotificationsDeleteAll(core, {}, subscriberId));
});

test("the newest SDK accepts a workflow in code whose steps have no control values, and links without an address", async () => {
  const { client } = service;
  const types = ["email", "in_app", "sms", "push", "chat", "digest", "delay", "custom"];
  const steps = types.map((type) => ({ stepId: `${type}-step`, type, controls: { schema: { type: "object" } } }));
  const workflow = { workflowId: "in-code", steps, payload: {}, preferences: {}, tags: [], severity: "none" };
  const bridge = await startReceiver(() => ({ status: 200, text: JSON.stringify({ workflows: [workflow] }) }));
  await client("bridge.sync", { body: { bridgeUrl: bridge.url } });
  const { result } = await accepted(workflowsGet(core, "in-code"));
  assert.deepEqual(
    result.steps.map(({ type }) => type),
    types,
  );
  await accepted(workflowsStepsRetrieve(core, "in-code", "email-step"));
  const link = { redirect: { target: "_self" } };
  await createWorkflow(client, "bare-links", [inApp({ body: "x", ...link, primaryAction: { label: "Go", ...link } })]);
  await accepted(workflowsGet(core, "bare-links"));
});

test("the newest SDK creates, reads, changes and deletes variables of an environment", async () => {
  const { client } = service;
  const environmentId = (await client("environments.list", {})).body.find(({ apiKeys }) => apiKeys)!._id;
  const values = [{ environmentId, value: "https://example.com" }];
  const given = { key: "BASE_URL", type: "string" as const, isSecret: false, values };
  const { result: created } = await accepted(environmentVariablesCreate(core, given));
  assert.deepEqual([created.key, created.isSecret, created.values], ["BASE_URL", false, values]);
  const { result: bare } = await accepted(environmentVariablesCreate(core, { key: "bare_key" }));
  assert.deepEqual(bare.values, [{ environmentId, value: "" }]);
  const { result: found } = await accepted(environmentVariablesList(core, "base"));
  assert.deepEqual(found, [created]);
  const secret = { isSecret: true, values: [{ environmentId, value: "s3cret" }] };
  const { result: changed } = await accepted(environmentVariablesUpdate(core, secret, "BASE_URL"));
  assert.deepEqual([changed.isSecret, changed.values], [true, [{ environmentId, value: "********" }]]);
  assert.deepEqual((await accepted(environmentVariablesRetrieve(core, "BASE_URL"))).result, changed);
  await createWorkflow(client, "linked", [inApp({ body: "{{ env.BASE_URL }}" })]);
  const { result: usage } = await accepted(environmentVariablesUsage(core, "BASE_URL"));
  assert.deepEqual(usage.workflows, [{ name: "linked", workflowId: "linked" }]);
  await accepted(environmentVariablesDelete(core, "bare_key"));
  const { ok } = await environmentVariablesRetrieve(core, "bare_key");
  assert.equal(ok, false);
});

test("every function of the newest SDK is an operation, or is refused with the way to do it here", async () => {
  const folder = join(import.meta.dirname, "../../../../node_modules/novu-api-latest/funcs");
  const withoutNames = (path: string) => path.replaceAll(/\{\w+\}/g, "{}");
  const served = new Set(
    (Object.values(operations) as Operation[]).map(({ method, path }) => `${method} ${withoutNames(path)}`),
  );
  let refused = 0;
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".js"))) {
    const text = readFileSync(join(folder, file), "utf8");
    const [, path = ""] = /pathToFunc\)\("([^"]+)"/.exec(text)!;
    const [, method = ""] = /method: "([A-Z]+)"/.exec(text)!;
    if (served.has(`${method} ${withoutNames(path)}`)) continue;
    const answer = await fetch(`${service.url}${path.replaceAll(/\{\w+\}/g, "x")}`, { method });
    const { code, message } = (await answer.json()) as { code: string; message: string };
    assert.deepEqual([answer.status, code], [410, "NOT_SUPPORTED"], file);
    assert.match(message, /^Not supported: .+; instead, /, file);
    refused++;
  }
  assert.ok(refused > 30, String(refused));
});

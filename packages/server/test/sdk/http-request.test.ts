// The newest published SDK creates, reads and updates a workflow with an HTTP request, and its own checks accept what
// they see.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { shareService } from "@tidings/testkit/service";
import { feedOf, settled, trigger } from "@tidings/testkit/verbs";
import { NovuCore } from "novu-api-latest/core.js";
import { workflowsCreate } from "novu-api-latest/funcs/workflowsCreate.js";
import { workflowsGet } from "novu-api-latest/funcs/workflowsGet.js";
import { workflowsStepsRetrieve } from "novu-api-latest/funcs/workflowsStepsRetrieve.js";
import { workflowsUpdate } from "novu-api-latest/funcs/workflowsUpdate.js";
import type { HttpRequestStepUpsertDto } from "novu-api-latest/models/components/httprequeststepupsertdto.js";

const host = await startReceiver(() => ({ status: 200, text: '{"plan":"pro"}' }));
const service = await shareService({ TIDINGS_VOCABULARY: "novu" });
const core = new NovuCore({ serverURL: service.url, secretKey: service.apiKey, retryConfig: { strategy: "none" } });

type Outcome<T> = { ok: true; value: T } | { ok: false; error: Error };
async function accepted<T>(call: PromiseLike<Outcome<T>>): Promise<T> {
  const outcome = await call;
  if (!outcome.ok) throw outcome.error;
  return outcome.value;
}

test("the newest SDK creates, reads and updates a workflow with an HTTP request, which runs", async () => {
  const controlValues = {
    method: "POST" as const,
    url: `${host.url}/accounts`,
    headers: [{ key: "X-Source", value: "{{ payload.source }}" }],
    body: '{"id": "{{ subscriber.subscriberId }}"}',
    responseBodySchema: { type: "object", properties: { plan: { type: "string" } } },
    enforceSchemaValidation: true,
    continueOnFailure: false,
  };
  const step: HttpRequestStepUpsertDto = { name: "Account", stepId: "account", type: "http_request", controlValues };
  const shown = {
    name: "In-app",
    type: "in_app" as const,
    controlValues: { body: "{{ steps.account.plan }} {{ steps.account.status }}" },
  };
  const workflow = { name: "Trial", workflowId: "trial", active: true, steps: [step, shown] };
  const { result: created } = await accepted(workflowsCreate(core, workflow));
  const { result: read } = await accepted(workflowsGet(core, "trial"));
  const [found, next] = read.steps;
  assert.deepEqual(found, created.steps[0]);
  assert.ok(found!.type === "http_request" && next!.type === "in_app");
  assert.deepEqual(found.controls.values, controlValues);
  assert.equal(found.issues?.controls, undefined);
  const { result: own } = await accepted(workflowsStepsRetrieve(core, "trial", "account"));
  assert.equal((own as { type: string }).type, "http_request");
  const variables = JSON.stringify(next.variables);
  assert.match(variables, /"account":\{.*"plan":\{"type":"string"\}.*"status"/);

  await settled(service.client, await trigger(service.client, "trial", "ada", { source: "sdk" }));
  assert.equal((await feedOf(service.client, "ada"))[0]!.content, "pro 200");
  assert.deepEqual([host.received[0]!.body, host.received[0]!.headers["x-source"]], ['{"id":"ada"}', "sdk"]);

  // Older workflows have a body of pairs.
  const body = [{ key: "id", value: "{{ subscriber.subscriberId }}" }];
  const changed = { ...step, id: found.id, controlValues: { ...controlValues, method: "PUT" as const, body } };
  const { result: updated } = await accepted(
    workflowsUpdate(core, { name: "Trial", origin: read.origin, preferences: {}, steps: [changed] } as never, "trial"),
  );
  const [after] = updated.steps;
  assert.ok(after!.type === "http_request");
  assert.equal(after.id, found.id);
  assert.deepEqual(after.controls.values, { ...controlValues, method: "PUT", body });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { StepIn, WorkflowUpdate } from "@tidings/contract";
import { faultsOf, refused } from "@tidings/testkit/refusals";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, email, feedOf, inApp, settled, trigger } from "@tidings/testkit/verbs";
import { sql } from "kysely";

const service = await shareService();
const { client, db, environmentId } = service;

const update = async (workflowId: string, steps: StepIn[], changes: Partial<WorkflowUpdate> = {}) => {
  const body: WorkflowUpdate = { name: workflowId, steps, preferences: {}, origin: "svc-cloud", ...changes };
  return (await client("workflows.update", { params: { workflowId }, body })).body;
};
const patch = async (workflowId: string, body: Record<string, unknown>) =>
  (await client("workflows.patch", { params: { workflowId }, body })).body;
const versionsOf = async (workflowId: string) =>
  (
    await sql<{
      count: number;
    }>`select count(*) as count from workflow_versions v join workflows w on w.id = v.workflow_id
      where w.workflow_id = ${workflowId} and w.environment_id = ${environmentId}`.execute(db)
  ).rows[0]!.count;

test("steps keep their identity by _id, else by stepId; those not named are gone; the list is the order", async () => {
  const { steps } = await createWorkflow(client, "kept", [
    { ...inApp(), stepId: "one" },
    { ...email(), stepId: "two" },
    { ...inApp(), stepId: "three" },
  ]);
  const [one, two] = steps.map(({ _id }) => _id);
  const updated = await update("kept", [
    { ...email({ subject: "Changed", body: "B" }), stepId: "two" },
    { ...inApp(), name: "New" },
    { ...inApp(), _id: one, stepId: "renamed", name: "Renamed" },
  ]);
  assert.deepEqual(
    updated.steps.map(({ stepId, name }) => [stepId, name]),
    [
      ["two", "Email"],
      ["new", "New"],
      ["renamed", "Renamed"],
    ],
  );
  assert.equal(updated.steps[0]!._id, two);
  assert.equal(updated.steps[2]!._id, one);
  assert.equal(updated.steps[0]!.controls.values.subject, "Changed");
  assert.equal(new Set([...updated.steps.map(({ _id }) => _id), ...steps.map(({ _id }) => _id)]).size, 4);
});

test("a stored step is kept by one entry only", async () => {
  const { steps } = await createWorkflow(client, "contested", [{ ...inApp(), stepId: "one" }]);
  const stored = steps[0]!._id;
  // The second entry carries the old stepId of the step that the first entry names by _id.
  const updated = await update("contested", [
    { ...inApp(), stepId: "one", name: "By stepId" },
    { ...inApp(), _id: stored, stepId: "moved", name: "By id" },
    { ...inApp(), _id: stored, stepId: "copy", name: "Copied" },
  ]);
  assert.equal(updated.steps[1]!._id, stored);
  assert.equal(new Set(updated.steps.map(({ _id }) => _id)).size, 3);
});

test("a generated step id does not collide with one that is kept", async () => {
  const { steps } = await createWorkflow(client, "crowded", [{ ...email(), name: "Mail" }]);
  const updated = await update("crowded", [
    { ...email(), name: "Mail" },
    { ...email(), _id: steps[0]!._id, name: "Mail" },
  ]);
  assert.deepEqual(
    updated.steps.map(({ stepId }) => stepId),
    ["mail-1", "mail"],
  );
});

test("an update leaves settings that are not given, and preferences member by member", async () => {
  const on = { all: { enabled: true, readOnly: false } };
  const payloadSchema = { type: "object", properties: {} };
  await createWorkflow(client, "settings", [inApp()], {
    ...{ description: "Kept", tags: ["kept"], severity: "low", payloadSchema },
    preferences: { user: { all: { enabled: false } }, workflow: on },
  });
  const updated = await update("settings", [inApp()], { name: "Other" });
  assert.deepEqual(
    [updated.name, updated.description, updated.tags, updated.active, updated.severity, updated.payloadSchema],
    ["Other", "Kept", ["kept"], true, "low", payloadSchema],
  );
  assert.equal(updated.preferences.user!.all!.enabled, false);
  const cleared = await update("settings", [inApp()], { payloadSchema: null, preferences: { user: null } });
  assert.deepEqual([cleared.payloadSchema, cleared.payloadExample], [null, null]);
  assert.equal(cleared.preferences.user, null);
  assert.equal(cleared.preferences.default.all!.readOnly, false);
});

test("an update needs name, steps, preferences and origin", async () => {
  await createWorkflow(client, "complete", [inApp()]);
  const before = await versionsOf("complete");
  assert.deepEqual(await faultsOf(client, "workflows.update", { params: { workflowId: "complete" }, body: {} }), {
    name: ["name is required"],
    steps: ["steps is required"],
    preferences: ["preferences is required"],
    origin: ["origin is required"],
  });
  assert.equal(await versionsOf("complete"), before);
});

test("the identifier stays, unless the workflow is defined in code", async () => {
  await createWorkflow(client, "fixed-id", [inApp()]);
  await createWorkflow(client, "occupied", [inApp()]);
  const body = { name: "N", steps: [inApp()], preferences: {}, origin: "svc-cloud", workflowId: "new-id" };
  const params = { workflowId: "fixed-id" };
  assert.deepEqual(await faultsOf(client, "workflows.update", { params, body }), {
    workflowId: ["workflowId cannot be changed"],
  });
  assert.equal((await update("fixed-id", [inApp()], { workflowId: "fixed-id" })).workflowId, "fixed-id");
  const external = { ...body, origin: "external", workflowId: "occupied" };
  await refused(client, "workflows.update", { params, body: external }, "WORKFLOW_ID_TAKEN");
  const renamed = await update("fixed-id", [inApp()], { origin: "external", workflowId: "from-code" });
  assert.deepEqual([renamed.workflowId, renamed.origin], ["from-code", "external"]);
  await refused(client, "workflows.retrieve", { params }, "WORKFLOW_NOT_FOUND");
});

test("a patch changes what it names, nothing else", async () => {
  const before = await createWorkflow(client, "patched", [inApp()], { description: "D", tags: ["a"] });
  const after = await patch("patched", { active: false, severity: "high", tags: ["b", "c"] });
  const { updatedAt: _then, status: _before, versionId: _first, ...rest } = before;
  const { updatedAt: _now, status, versionId: _second, ...changed } = after;
  assert.equal(status, "INACTIVE");
  assert.deepEqual(changed, { ...rest, active: false, severity: "high", tags: ["b", "c"] });
  const same = await patch("patched", {});
  assert.deepEqual([same.active, same.tags, same.description], [false, ["b", "c"], "D"]);
  const renamed = await patch("patched", { name: "New name", description: "", workflowId: "ignored" });
  assert.deepEqual([renamed.name, renamed.workflowId, renamed.description], ["New name", "patched", ""]);
  const input = { params: { workflowId: "patched" }, body: { tags: [""], active: "yes" } };
  assert.deepEqual(await faultsOf(client, "workflows.patch", input), {
    active: ["active must be a boolean"],
    "tags.0": ["tags.0 must not be empty"],
  });
});

for (const id of ["workflows.update", "workflows.patch", "workflows.delete"] as const) {
  test(`${id} of an unknown workflow is 404, but a bad body is reported first`, async () => {
    const good = { name: "N", steps: [], preferences: {}, origin: "svc-cloud" };
    const body = id === "workflows.delete" ? undefined : good;
    const params = { workflowId: "missing" };
    await refused(client, id, { params, body }, "WORKFLOW_NOT_FOUND");
    if (body) await faultsOf(client, id, { params, body: { ...body, name: 5 } });
    // A workflow of another environment is not found.
    await createWorkflow(service.production, `prod-${id}`, [inApp()]);
    await refused(client, id, { params: { workflowId: `prod-${id}` }, body }, "WORKFLOW_NOT_FOUND");
  });
}

test("each save is a version: an event keeps the one it started with", async () => {
  await createWorkflow(client, "versions", [inApp({ body: "old" })]);
  await settled(client, await trigger(client, "versions", "reader"));
  await update("versions", [inApp({ body: "new" })]);
  await settled(client, await trigger(client, "versions", "reader"));
  assert.deepEqual(
    (await feedOf(client, "reader")).map(({ content }) => content),
    ["new", "old"],
  );
  assert.equal(await versionsOf("versions"), 2);
});

test("changes at the same time follow each other instead of mixing", async () => {
  await createWorkflow(client, "busy", [inApp()]);
  const changes = Array.from({ length: 8 }, (_, index) =>
    index % 2 === 0 ? patch("busy", { tags: [`t${index}`] }) : patch("busy", { description: `d${index}` }),
  );
  await Promise.all(changes);
  const { body } = await client("workflows.retrieve", { params: { workflowId: "busy" } });
  assert.match(body.tags![0]!, /^t\d$/);
  assert.match(body.description!, /^d\d$/);
  assert.equal(await versionsOf("busy"), 9);
});

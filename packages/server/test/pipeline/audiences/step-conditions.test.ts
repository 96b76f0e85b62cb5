// Audiences in the conditions of steps: skip rules and branches, in runs, dry runs and explanations, and the issues of
// conditions that name audiences that do not exist.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { StepIn } from "@tidings/contract";
import { shareService } from "@tidings/testkit/service";
import { connectInbox, createWorkflow, feedOf, inApp, notificationsOf, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { newId } from "../../../src/lib/ids.ts";

const { client, db } = await shareService();
const [environment] = (await client("environments.list")).body.filter(({ apiKeys }) => apiKeys);
await connectInbox(client);

async function createRule(audienceId: string, rule: object | null): Promise<void> {
  await sql`insert into audiences (environment_id, id, audience_id, name, rule, created_at, updated_at)
    values (${environment!._id}, ${newId()}, ${audienceId}, ${audienceId}, ${rule && JSON.stringify(rule)}, now(), now())
  `.execute(db);
}

async function createAudience(audienceId: string, ...subscriberIds: string[]): Promise<void> {
  await createRule(audienceId, null);
  if (subscriberIds.length === 0) return;
  await client("audiences.addMembers", { params: { audienceId }, body: { subscriberIds } });
}

await client("subscribers.createBulk", {
  body: { subscribers: ["ada", "bob"].map((subscriberId) => ({ subscriberId })) },
});
await createAudience("vip", "ada");
await createAudience("beta", "ada", "bob");

const isIn = (audienceId: string) => ({ in: [audienceId, { var: "audiences" }] });
const skipped = (skip: object): StepIn => inApp({ body: "Hello", skip });

async function statusesOf(transactionId: string): Promise<string[]> {
  const [notification] = await settled(client, transactionId);
  return notification!.jobs!.map(({ status }) => status);
}

const reasonOf = async (transactionId: string, subscriberId: string): Promise<string> =>
  JSON.stringify((await client("explain.retrieve", { query: { transactionId, subscriberId } })).body);

test("a step runs only for the people of an audience, and the explanation says so", async () => {
  await createWorkflow(client, "for-vip", [skipped({ "!": [isIn("vip")] })]);
  const forAda = await trigger(client, "for-vip", "ada");
  assert.deepEqual(await statusesOf(forAda), ["completed"]);
  const forBob = await trigger(client, "for-vip", "bob");
  assert.deepEqual(await statusesOf(forBob), ["skipped"]);
  assert.match(
    await reasonOf(forBob, "bob"),
    /it runs only when the subscriber is in the audience \\"vip\\", and the subscriber was not in it/,
  );
});

test("a step is skipped for the people of an audience, with other parts of its condition", async () => {
  const rule = { and: [{ contains: [{ var: "audiences" }, "vip"] }, { "==": [{ var: "payload.plan" }, "pro"] }] };
  await createWorkflow(client, "not-for-vip", [skipped(rule)]);
  const pro = await trigger(client, "not-for-vip", "ada", { plan: "pro" });
  assert.deepEqual(await statusesOf(pro), ["skipped"]);
  assert.match(
    await reasonOf(pro, "ada"),
    /it is skipped when the subscriber is in the audience \\"vip\\" and payload.plan is \\"pro\\", and the subscriber was in \\"vip\\"/,
  );
  assert.deepEqual(await statusesOf(await trigger(client, "not-for-vip", "ada", { plan: "free" })), ["completed"]);
});

test("a branch takes the arm of an audience; a batch of people is decided person by person", async () => {
  const branch: StepIn = {
    name: "Branch",
    type: "branch",
    stepId: "who",
    controlValues: {
      arms: [
        { id: "vip", condition: isIn("vip") },
        { id: "beta", condition: isIn("beta") },
      ],
    },
  };
  const toArm = (arm: string): StepIn => ({ ...inApp({ body: `for ${arm}` }), arm: `who/${arm}` });
  await createWorkflow(client, "branched", [branch, toArm("vip"), toArm("beta"), toArm("else")]);
  await client("subscribers.create", { body: { subscriberId: "cleo" } });
  const transactionId = await trigger(client, "branched", ["ada", "bob", "cleo"]);
  await settled(client, transactionId);
  const bodies = await Promise.all(
    ["ada", "bob", "cleo"].map(async (id) =>
      (await feedOf(client, id)).map(({ content }) => content).find((text) => /^for /.test(String(text))),
    ),
  );
  assert.deepEqual(bodies, ["for vip", "for beta", "for else"]);
  assert.match(
    await reasonOf(transactionId, "bob"),
    /the subscriber is in the audience \\"beta\\", and the subscriber was in/,
  );
});

test("a change of an audience counts for the next step that starts", async () => {
  await createAudience("moving");
  const wait: StepIn = {
    name: "Wait",
    type: "wait",
    stepId: "wait",
    controlValues: { signal: { name: "go" }, amount: 1, unit: "hours" },
  };
  await createWorkflow(client, "later", [wait, skipped({ "!": [isIn("moving")] })]);
  const transactionId = await trigger(client, "later", "bob");
  const isWaiting = async () => (await notificationsOf(client, transactionId))[0]?.jobs?.[0]?.status === "delayed";
  await eventually(isWaiting, "the wait for the signal");
  await client("audiences.addMembers", { params: { audienceId: "moving" }, body: { subscriberIds: ["bob"] } });
  await client("signals.send", { body: { name: "go", to: "bob" } as never });
  assert.deepEqual(await statusesOf(transactionId), ["completed", "completed"]);
});

test("an audience that follows a rule, also after a step that changes the subscriber", async () => {
  await createRule("gold", { "==": [{ var: "subscriber.data.level" }, "gold"] });
  const raise: StepIn = { name: "Raise", type: "update_subscriber", controlValues: { data: '{ "level": "gold" }' } };
  const gold = skipped({ "!": [isIn("gold")] });
  await createWorkflow(client, "raised", [gold, raise, gold]);
  await client("subscribers.create", { body: { subscriberId: "dan" } });
  assert.deepEqual(await statusesOf(await trigger(client, "raised", "dan")), ["skipped", "completed", "completed"]);
});

test("a dry run and the match of a condition decide as a run does", async () => {
  const dry = (to: string) => client("explain.dryRun", { body: { name: "for-vip", to } as never, query: {} });
  assert.doesNotMatch(JSON.stringify((await dry("ada")).body), /it runs only when/);
  assert.match(
    JSON.stringify((await dry("bob")).body),
    /it runs only when the subscriber is in the audience \\"vip\\", and the subscriber is not in it/,
  );
  const { data } = (await client("subscribers.match", { body: { condition: isIn("vip"), as: "skip" } })).body;
  assert.deepEqual(
    data.matching.map(({ subscriberId }) => subscriberId),
    ["ada"],
  );
});

test("an unknown audience is an issue with a suggestion, and the variable is known", async () => {
  const issuesOf = async (condition: object) => {
    const workflow = await createWorkflow(client, `issues-${newId()}`, [skipped(condition)]);
    const [step] = workflow.steps;
    return { issues: JSON.stringify(step!.issues ?? null), variables: step!.variables };
  };
  const known = await issuesOf(isIn("vip"));
  assert.equal(known.issues, "null");
  assert.deepEqual(Object.hasOwn((known.variables as { properties: object }).properties, "audiences"), true);
  const misspelt = await issuesOf({ "!": [isIn("vpi")] });
  assert.match(misspelt.issues, /Audience vpi does not exist in this environment: did you mean vip\?/);
  const computed = await issuesOf({ in: [{ var: "payload.audience" }, { var: "audiences" }] });
  assert.match(computed.issues, /audiences can be tested only for an id that is written in the condition/);
  const counted = await issuesOf({ ">": [{ var: "audiences.length" }, 2] });
  assert.match(counted.issues, /audiences can be tested only/);
});

test("templates have no audiences", async () => {
  const { steps } = await createWorkflow(client, "templated", [inApp({ body: "You are in {{ audiences }}" })]);
  assert.match(JSON.stringify(steps[0]!.issues), /audiences can be used in the conditions of steps only/);
});

test("runs without such a condition have no audiences among the values of their details", async () => {
  await createWorkflow(client, "plain", [skipped({ "==": [{ var: "payload.no" }, true] })]);
  const transactionId = await trigger(client, "plain", "ada", { no: true });
  await settled(client, transactionId);
  assert.doesNotMatch(JSON.stringify(await notificationsOf(client, transactionId)), /audiences/);
});

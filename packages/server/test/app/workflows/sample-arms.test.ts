// How many people would take which arm, counted over real subscribers by the simulation of the dry run.
import assert from "node:assert/strict";
import { test } from "node:test";
import { shareService } from "@tidings/testkit/service";
import { inApp } from "@tidings/testkit/verbs";

const { client } = await shareService();

const arms = [
  { id: "pro", condition: { "==": [{ var: "subscriber.data.plan" }, "pro"] } },
  { id: "waits", condition: { "==": [{ var: "steps.paid.reason" }, "signal"] } },
];
const variants = [{ id: "a" }, { id: "b", weight: 0 }];
const steps = [
  { name: "Try", stepId: "try", type: "experiment" as const, controlValues: { variants } },
  {
    name: "Paid",
    stepId: "paid",
    type: "wait" as const,
    controlValues: { signal: { name: "paid" }, amount: 1, unit: "hours" },
  },
  { name: "By plan", stepId: "by-plan", type: "branch" as const, controlValues: { arms } },
  { ...inApp({ body: "Thanks" }), arm: "by-plan/pro" },
];
const workflow = { workflowId: "sampled", name: "Sampled", steps };

const sampleWith = async (assume: object = {}) =>
  (await client("explain.sampleArms", { body: { workflow, payload: {}, assume } })).body.data;
type Sampled = Awaited<ReturnType<typeof sampleWith>>;
/** Such as `pro 1, else 2`. */
const takenIn = ({ steps: found }: Sampled, stepId: string) =>
  found
    .find((step) => step.stepId === stepId)
    ?.taken.map(({ id, count }) => `${id} ${count}`)
    .sort()
    .join(", ");

test("counts people by arm and variant, with the signals that are assumed, and stores nothing", async () => {
  assert.deepEqual(await sampleWith(), { sampled: 0, steps: [] });
  for (const [index, plan] of ["pro", "free", "free"].entries())
    await client("subscribers.create", { body: { subscriberId: `person-${index}`, data: { plan } } });
  const found = await sampleWith();
  assert.equal(found.sampled, 3);
  assert.equal(takenIn(found, "try"), "a 3");
  assert.equal(takenIn(found, "by-plan"), "else 2, pro 1");
  assert.equal(takenIn(await sampleWith({ signals: [{ name: "paid" }] }), "by-plan"), "pro 1, waits 2");
  const { body } = await client("workflows.list", { query: {} });
  assert.ok(!body.workflows.some(({ workflowId }) => workflowId === "sampled"));
});

test("an assumed message ends the wait for it", async () => {
  const waiting = [
    { ...inApp({ body: "Hello" }), stepId: "hello" },
    {
      name: "Clicked",
      stepId: "clicked",
      type: "wait" as const,
      controlValues: { message: { stepId: "hello", event: "clicked" }, amount: 1, unit: "hours" },
    },
    {
      name: "How",
      stepId: "how",
      type: "branch" as const,
      controlValues: { arms: [{ id: "met", condition: { "==": [{ var: "steps.clicked.reason" }, "message"] } }] },
    },
  ];
  const takenWith = async (messages: { stepId: string; event: "clicked" | "read" }[]) => {
    const body = { workflow: { ...workflow, steps: waiting }, assume: { messages } };
    const { data } = (await client("explain.sampleArms", { body })).body;
    return data.steps[0]?.taken.map(({ id }) => id);
  };
  assert.deepEqual(await takenWith([{ stepId: "hello", event: "clicked" }]), ["met"]);
  assert.deepEqual(await takenWith([{ stepId: "hello", event: "read" }]), ["else"]);
});

test("an unfinished workflow, a wrong place and unknown members are refused by name", async () => {
  const refused: [body: object, field: string][] = [
    [{}, "workflow"],
    [{ workflow: { ...workflow, steps: [{ ...steps[3], arm: "nowhere/pro" }] } }, "steps.0.arm"],
    [{ workflow, payload: "x" }, "payload"],
    [{ workflow, assume: { messages: [{ stepId: "a", event: "eaten" }] } }, "assume.messages.0.event"],
  ];
  for (const [body, field] of refused) {
    const error = await client("explain.sampleArms", { body: body as never }).catch((thrown) => thrown);
    assert.ok(
      Object.keys(error.body?.errors ?? {}).some((name) => name.startsWith(field)),
      JSON.stringify(error.body),
    );
  }
});

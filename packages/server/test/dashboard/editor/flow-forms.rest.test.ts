// The forms of branches, experiments and actions in a browser: what is entered is what is saved.
import assert from "node:assert/strict";
import { browserTest } from "@tidings/testkit/chromium";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import type { Page } from "playwright-core";
import { startDashboard } from "../kept-page.ts";
import { expectAccessible, expectNoOverflow, narrow } from "../support.ts";
import { addStep, choose, save } from "./actions.ts";

const host = await startReceiver(() => ({ status: 200, text: '{"plan":"free","seats":1}' }));
const service = await startDashboard();
const { client } = service;
// Unfinished values are refused by the preview while they are typed.
const allow = /status of 4(?:00|09|22)/;

const hello = { ...inApp({ body: "Hello" }), name: "Hello", stepId: "hello" };

/** What is saved of the steps. */
async function saveSteps(page: Page, workflowId: string) {
  await save(page);
  return (await client("workflows.retrieve", { params: { workflowId } })).body.steps;
}

browserTest("an experiment gets a branch with an arm for each variant", async (context) => {
  await createWorkflow(client, "trial", [hello]);
  const page = await service.open(context, "/workflows/trial", { allow });
  await addStep(page, "Experiment");
  const variants = page.getByRole("list", { name: "Variants" });
  await variants.getByRole("textbox", { name: "Variant" }).first().fill("Short subject");
  await variants.getByRole("spinbutton", { name: "Weight" }).first().fill("3");
  await variants.getByText("75 % of people").waitFor();
  await page.getByRole("spinbutton", { name: "Hold out (%)" }).fill("20");
  await variants.getByText("60 % of people").waitFor();
  await page.getByRole("textbox", { name: "Goals" }).fill("order.placed");
  await page.keyboard.press("Enter");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Create arms for the variants" }).click();
  await page.getByRole("heading", { level: 2, name: "Branch" }).waitFor();
  const steps = await saveSteps(page, "trial");
  assert.deepEqual(steps[1]!.controls.values, {
    variants: [
      { id: "short-subject", name: "Short subject", weight: 3 },
      { id: "b", name: "B", weight: 1 },
    ],
    holdOutPercent: 20,
    goals: ["order.placed"],
  });
  const condition = (id: string) => ({ "==": [{ var: "steps.experiment.variant" }, id] });
  assert.deepEqual(steps[2]!.controls.values.arms, [
    { id: "short-subject", name: "Short subject", condition: condition("short-subject") },
    { id: "b", name: "B", condition: condition("b") },
  ]);
  // The values that a variant can have are offered.
  const choices = page.locator("datalist[id*='steps.experiment.variant'] option");
  await eventually(async () => (await choices.count()) >= 2, "the variants as choices");

  // A saved arm keeps its id; a new one takes it from its name, and steps move to else when their arm is removed.
  await page.getByRole("textbox", { name: "Name of the arm" }).first().fill("Brief");
  await page.getByRole("button", { name: "Add arm" }).click();
  await page.getByRole("textbox", { name: "Name of the arm" }).nth(2).fill("Über alles");
  await page.getByRole("button", { name: "Add step to Über alles of Branch" }).click();
  await page.getByRole("menuitem", { name: "Delay", exact: true }).click();
  await page.getByRole("button", { name: /^\d+\. Branch/ }).click();
  await page.getByRole("button", { name: "Move Über alles up" }).click();
  await page.getByRole("button", { name: "Remove Brief" }).click();
  const changed = await saveSteps(page, "trial");
  const ids = (changed[2]!.controls.values.arms as { id: string }[]).map(({ id }) => id);
  assert.deepEqual([ids, changed[3]!.arm], [["uber-alles", "b"], "branch/uber-alles"]);
  await page.getByRole("button", { name: "Remove Über alles" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Move to Else" }).click();
  assert.equal((await saveSteps(page, "trial"))[3]!.arm, "branch/else");
  await page.setViewportSize(narrow);
  await expectNoOverflow(page);
  await expectAccessible(page);
});

browserTest("a simulation assumes what ends a wait, and counts people by arm", async (context) => {
  const condition = { "==": [{ var: "steps.paid.reason" }, "signal"] };
  const wait = { name: "Paid", stepId: "paid", type: "wait" as const };
  const values = { signal: { name: "order.paid" }, amount: 1, unit: "hours" };
  const branch = { name: "How", stepId: "how", type: "branch" as const };
  await createWorkflow(client, "simulated", [
    hello,
    { ...wait, controlValues: values },
    { ...branch, controlValues: { arms: [{ id: "thanks", name: "Thanks", condition }] } },
  ]);
  for (const subscriberId of ["ada", "bob"]) await client("subscribers.create", { body: { subscriberId } });
  const page = await service.open(context, "/workflows/simulated?tab=simulate", { allow });
  const arms = page.getByRole("region", { name: "Who takes which arm" });
  await arms.getByText(/^0 of \d+ sampled people take this arm/).waitFor();
  await choose(page, /^Paid/, /^signal order.paid arrives/);
  await arms.getByText(/^0 of \d+ sampled people take this arm/).waitFor();
  const meter = arms.getByRole("meter", { name: "Thanks" });
  await eventually(async () => Number(await meter.getAttribute("value")) >= 2, "all people in the arm");
  await expectAccessible(page);
  await page.setViewportSize(narrow);
  await expectNoOverflow(page);
});

browserTest(
  "a request has headers, a sample and its schema; actions choose a workflow and check JSON",
  async (context) => {
    await createWorkflow(client, "calling", [hello]);
    await createWorkflow(client, "other", [hello], { name: "Other flow" });
    const page = await service.open(context, "/workflows/calling", { allow });
    await addStep(page, "HTTP request");
    await page.getByRole("textbox", { name: "URL" }).fill("https://api.example.com/{{ subscriber.subscriberId }}");
    await page.getByRole("button", { name: "Add header" }).click();
    await page.getByRole("textbox", { name: "Name of header 1" }).fill("X-Plan");
    await page.getByRole("textbox", { name: "Value of header 1" }).fill("{{ payload.plan }}");
    await page.locator(".cm-content").nth(2).waitFor();
    await page.getByRole("textbox", { name: "Body" }).fill('{ "id": {{ payload.id }} ');
    await page.getByText("This will not be JSON").waitFor();
    await page.getByRole("textbox", { name: "Body" }).fill('{ "id": {{ payload.id }} }');
    await page.getByRole("textbox", { name: "Sample response" }).fill('{ "plan": "pro", "seats": 3 }');
    const sent = page.getByRole("region", { name: "Send the request once" });
    await page.getByRole("textbox", { name: "URL" }).fill(`${host.url}/{{ subscriber.subscriberId }}`);
    await page.getByRole("textbox", { name: "Body" }).fill('{ "id": 7 }');
    await sent.getByRole("button", { name: "Send once" }).click();
    await sent.getByText(/^Status 200 after/).waitFor();
    assert.equal(host.received.at(-1)?.body, '{"id":7}');
    await sent.getByRole("button", { name: "Use as sample response" }).click();
    await page.getByRole("button", { name: "Derive from the sample" }).click();
    await expectAccessible(page);
    await addStep(page, "Start workflow");
    await choose(page, /^Workflow/, /^Other flow/);
    await addStep(page, "Update subscriber");
    await page.getByRole("textbox", { name: "Language" }).fill("{{ payload.locale }}");
    const [, request, start, update] = await saveSteps(page, "calling");
    const properties = { plan: { type: "string" }, seats: { type: "integer" } };
    assert.deepEqual(request!.controls.values, {
      method: "POST",
      url: `${host.url}/{{ subscriber.subscriberId }}`,
      headers: [{ key: "X-Plan", value: "{{ payload.plan }}" }],
      body: '{ "id": 7 }',
      sampleResponse: { status: 200, body: { plan: "free", seats: 1 } },
      responseBodySchema: { type: "object", properties },
    });
    assert.deepEqual(start!.controls.values, { workflowId: "other" });
    assert.deepEqual(update!.controls.values, { locale: "{{ payload.locale }}" });
    // Later steps know what the request returns.
    await page.getByText(/^Variables \(/).click();
    await page.getByRole("button", { name: "steps.http-request.seats", exact: true }).waitFor();
    await page.getByRole("button", { name: "steps.http-request.status", exact: true }).waitFor();
  },
);

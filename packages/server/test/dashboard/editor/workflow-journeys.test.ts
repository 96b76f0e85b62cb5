// Workflows in a browser: one is built, simulated and triggered, and the list, the versions, the canvas and the form of
// a wait are used. The other screens and rules of the editor have their own files.

import assert from "node:assert/strict";
import { before } from "@tidings/testkit/at-end";
import { journey } from "@tidings/testkit/chromium";
import { createWorkflow, inApp, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { startDashboard } from "../kept-page.ts";
import { chooseAda, expectAccessible, expectNoOverflow, expectRoomForValues, narrow } from "../support.ts";
import { addStep, choose, fillHtml, hasFocus, save } from "./actions.ts";
import { branchedSteps, feed, savedSteps } from "./branched.ts";

const { client, open } = await startDashboard();

before(async () => {
  const names = { firstName: "Ada", lastName: "Lovelace", email: "ada@example.com" };
  await client("subscribers.create", { body: { subscriberId: "ada", ...names } });
  await createWorkflow(client, "invoice-paid", [inApp()], { name: "Invoice paid" });
  for (const workflowId of ["shipped", "mentioned", "renewed"]) await createWorkflow(client, workflowId, [inApp()]);
});

const retrieve = async (workflowId: string) => (await client("workflows.retrieve", { params: { workflowId } })).body;

journey("the list finds workflows, makes, copies and deletes them", async (context) => {
  const page = await open(context, "/workflows");
  const rows = page.getByRole("table", { name: "Workflows" }).getByRole("row");
  await rows.nth(5).waitFor();
  await page.getByRole("searchbox").fill("invoice");
  await page.waitForURL(/q=invoice/);
  await eventually(async () => (await rows.count()) === 2, "one workflow in the list");
  await page.getByRole("button", { name: "Actions for Invoice paid" }).click();
  await page.getByRole("menuitem", { name: "Duplicate" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Invoice sent");
  await page.getByRole("button", { name: "Duplicate", exact: true }).click();
  await page.waitForURL(/\/workflows\/invoice-sent/);
  assert.equal((await retrieve("invoice-sent")).active, false);
  await page.getByRole("link", { name: "Workflows", exact: true }).last().click();
  await page.getByRole("searchbox").fill("invoice-sent");
  await page.getByRole("button", { name: "Actions for Invoice sent" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Delete workflow" }).click();
  await page.getByText("No matching workflows").waitFor();
  await page.setViewportSize(narrow);
  await page.getByRole("button", { name: "Clear filters" }).click();
  await rows.nth(3).waitFor();
  await expectNoOverflow(page);
});

journey(
  "three steps with a condition and a digest are built, simulated, saved, triggered and seen",
  async (context) => {
    const page = await open(context, "/workflows");
    await page.getByRole("button", { name: "New workflow" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Weekly report");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.waitForURL(/\/workflows\/weekly-report/);
    await eventually(() => hasFocus(page, "Add step"), "the focus on the first thing to do");

    await addStep(page, "In-app");
    await page.getByRole("textbox", { name: "Body" }).fill("{{payload.count}} new reports");
    await addStep(page, "Digest");
    await page.getByRole("spinbutton", { name: "Amount" }).fill("2");
    await addStep(page, "Email");
    await page.getByRole("textbox", { name: "Subject" }).fill("Reports for {{subscriber.firstName}}");
    await page.getByRole("group", { name: "Written as" }).getByRole("button", { name: "HTML" }).click();
    await fillHtml(page, "<p>{{payload.count}} reports</p>");
    await page.getByRole("button", { name: "Add a condition" }).click();
    await page.getByRole("combobox", { name: "Value to compare" }).fill("payload.count");
    await page.getByRole("combobox", { name: /^Comparison/ }).click();
    await page.getByRole("option", { name: "is more than", exact: true }).click();
    await page.getByRole("textbox", { name: "Compare with" }).fill("3");
    await expectRoomForValues(page);

    await chooseAda(page);
    await page.getByText("Reports for Ada").first().waitFor();

    await page.getByRole("tab", { name: "Simulate" }).click();
    const card = page.getByRole("article", { name: "Ada Lovelace" });
    await card.getByText("it runs only when").first().waitFor();
    await card.getByRole("link", { name: "Change the step" }).waitFor();
    await page.getByRole("button", { name: "Payload" }).click();
    await page.getByRole("menuitem", { name: "Edit payload" }).click();
    await page.getByRole("textbox", { name: "Payload as JSON" }).fill('{ "count": 7 }');
    await card.getByText("Email would be captured in the mailbox").first().waitFor();
    const scrubber = page.getByRole("slider", { name: "Point in time" });
    assert.match((await scrubber.getAttribute("aria-valuetext")) ?? "", /^\+2 h/);
    await scrubber.press("Home");
    await card.getByText("waits").waitFor();
    await page.getByText("In-app reaches Ada Lovelace").waitFor();
    await expectAccessible(page);

    await save(page);
    const saved = await retrieve("weekly-report");
    assert.deepEqual(
      saved.steps.map(({ type }) => type),
      ["in_app", "digest", "email"],
    );
    assert.deepEqual(saved.steps[2]?.controls.values.skip, { "!": [{ ">": [{ var: "payload.count" }, 3] }] });

    await trigger(client, "weekly-report", "ada", { count: 7 });
    await page.getByRole("tab", { name: "Open digests" }).click();
    await page.getByText("1 event", { exact: true }).waitFor();
    await page.getByText(/Sends in 1 h/).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Send now" }).click();
    await page.getByText("No open digests").waitFor();
    await page.getByRole("link", { name: "Activity", exact: true }).last().click();
    await page
      .getByRole("link", { name: /Weekly report.*Ada Lovelace/ })
      .first()
      .waitFor();
  },
);

journey("versions show what changed, and one is restored", async (context) => {
  const { body: made } = await client("workflows.create", {
    body: {
      workflowId: "versioned",
      name: "Versioned",
      steps: [{ ...inApp({ body: "First text" }), stepId: "feed" }],
      active: true,
    },
  });
  const { origin } = made;
  const steps = [{ ...inApp({ body: "Second text" }), stepId: "feed" }];
  await client("workflows.update", {
    params: { workflowId: "versioned" },
    body: { name: "Versioned", steps, preferences: {}, origin },
  });
  const page = await open(context, "/workflows/versioned?tab=versions");
  await page.getByRole("button", { name: /^Version 1/ }).click();
  await page.getByText("Second text").waitFor();
  await page.getByText("First text").waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Restore this version" }).click();
  await page.getByRole("button", { name: "Restore", exact: true }).click();
  await page.getByRole("button", { name: /^Version 3/ }).waitFor();
  await page.getByRole("tab", { name: "Steps" }).click();
  const body = page.getByRole("textbox", { name: "Body" });
  await eventually(async () => (await body.inputValue()) === "First text", "the restored text");
  await page.setViewportSize(narrow);
  await expectNoOverflow(page);
});

journey("the canvas draws arms side by side, on a phone below each other", async (context) => {
  await createWorkflow(client, "drawn", branchedSteps);
  const page = await open(context, "/workflows/drawn?view=canvas&step=by-plan");
  const canvas = page.getByRole("region", { name: "Steps of the workflow" });
  const box = async (name: string) => (await canvas.getByRole("button", { name: new RegExp(name) }).boundingBox())!;
  await canvas.getByRole("button", { name: /Thanks/ }).waitFor();
  const [thanks, upgrade, last] = [await box("Thanks"), await box("Upgrade"), await box("Last")];
  assert.ok(thanks.x + thanks.width < upgrade.x && Math.abs(thanks.y - upgrade.y) < 2);
  assert.ok(last.y > upgrade.y + upgrade.height);
  await canvas.getByRole("button", { name: "Add step to Free plan of By plan" }).click();
  await page.getByRole("menuitem", { name: "Delay", exact: true }).click();
  await page.getByRole("heading", { level: 2, name: "Delay" }).waitFor();
  assert.equal(
    await savedSteps(client, page, "drawn"),
    "first by-plan by-plan/pro:thanks by-plan/free:upgrade by-plan/free:delay last",
  );
  await page.setViewportSize(narrow);
  await eventually(async () => {
    const [above, below] = [await box("Thanks"), await box("Upgrade")];
    return Math.abs(above.x - below.x) < 2 && above.y + above.height < below.y;
  }, "the arms below each other");
  await expectNoOverflow(page);
});

journey("a wait says what it does, and chooses the message by its step", async (context) => {
  await createWorkflow(client, "waiting", [feed("Hello")]);
  const page = await open(context, "/workflows/waiting");
  await addStep(page, "Wait");
  await page.getByText("This waits for nothing yet").waitFor();
  await page.getByRole("textbox", { name: "Signal" }).fill("order.paid");
  await choose(page, /^Message of the step/, /^Hello/);
  await choose(page, /^When the time is over/, /^the run ends/);
  await page
    .getByText("Waits until the signal order.paid arrives, or the message of Hello is read, at most 1 hour.")
    .waitFor();
  await save(page);
  const [, wait] = (await retrieve("waiting")).steps;
  assert.deepEqual(wait!.controls.values, {
    signal: { name: "order.paid" },
    message: { stepId: "hello", event: "read" },
    amount: 1,
    unit: "hours",
    onTimeout: "end",
  });
});

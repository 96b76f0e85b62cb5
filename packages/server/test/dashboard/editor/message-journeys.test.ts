// What authors do with messages, in a browser: a template becomes a workflow, a draft is tested, a layout is written,
// and recipients may choose how often a digest is sent. An email of blocks is built in one-sitting.rest.test.ts.

import assert from "node:assert/strict";
import { before } from "@tidings/testkit/at-end";
import { browserTest, journey } from "@tidings/testkit/chromium";
import { createWorkflow, email, feedOf, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { startDashboard } from "../kept-page.ts";
import { chooseAda, expectAccessible, expectNoOverflow, narrow } from "../support.ts";
import { save } from "./actions.ts";

const { client, open, url } = await startDashboard();
// Refusals are part of these tests, and images of other sites are not loaded.
const allow = /status of 4(?:00|04|09|22)|net::ERR|Applying inline style/;

const delay = { name: "Wait", type: "delay" as const, controlValues: { type: "regular", amount: 3, unit: "days" } };
const html = '<p>Order {{payload.order}}</p><img src="https://example.com/x.png" alt="Logo">';

before(async () => {
  const names = { firstName: "Ada", lastName: "Lovelace", email: "ada@example.com" };
  await client("subscribers.create", { body: { subscriberId: "ada", ...names } });
});

journey("a template is found, previewed and used; a taken identifier gets a free one", async (context) => {
  const page = await open(context, "/workflows", { allow });
  await page.getByRole("link", { name: "Start from the gallery" }).first().click();
  await page.getByRole("searchbox", { name: "Search the gallery" }).fill("parcel");
  await page.getByRole("button", { name: "Preview Welcome" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Preview Shipped" }).click();
  const dialog = page.getByRole("dialog", { name: "Shipped" });
  await dialog.getByText("DHL brings it on Thursday, 5 March.", { exact: true }).waitFor();
  await dialog.getByRole("button", { name: "Email" }).click();
  await page.frameLocator("iframe").frameLocator("iframe").getByRole("link", { name: "Track the parcel" }).waitFor();
  await dialog.getByRole("textbox", { name: "Identifier" }).fill("welcome");
  await dialog.getByRole("button", { name: "Use this" }).click();
  await dialog.getByText("Workflow welcome already exists. The identifier welcome-1 is free").waitFor();
  await dialog.getByRole("textbox", { name: "Identifier" }).fill("parcels");
  await dialog.getByRole("button", { name: "Use this" }).click();
  await page.getByRole("heading", { name: "Shipped", level: 1 }).waitFor();
  const { steps } = (await client("workflows.retrieve", { params: { workflowId: "parcels" } })).body;
  assert.deepEqual(
    steps.map(({ type }) => type),
    ["in_app", "push", "email", "sms"],
  );
});

browserTest("a draft is sent to oneself without being saved, and its run is shown", async (context) => {
  const payloadSchema = { type: "object", properties: { order: { type: "string" } }, required: ["order"] };
  const steps = [delay, inApp({ body: "Saved" }), email({ subject: "Order", body: html })];
  await createWorkflow(client, "order", steps, { validatePayload: true, payloadSchema });
  const page = await open(context, "/workflows/order?step=in-app", { allow });
  await page.getByRole("textbox", { name: "Body" }).fill("Draft of {{payload.order}}");
  await page.getByRole("button", { name: "Test", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Test this workflow" });
  await dialog.getByText("The first test adds you").waitFor();
  const payload = dialog.getByRole("textbox", { name: "Payload" });
  await dialog.locator(".cm-content").waitFor();
  await payload.fill('{ "order": 7 }');
  await dialog.getByRole("button", { name: "Send now" }).click();
  await dialog.getByText(/^order: /).waitFor();
  await payload.fill('{ "order": ');
  await dialog.getByText("Invalid JSON").waitFor();
  assert.equal(await dialog.getByRole("button", { name: "Send now" }).isDisabled(), true);
  await payload.fill('{ "order": "A-7" }');
  await dialog.getByRole("button", { name: "Send now" }).click();
  const run = dialog.getByRole("region", { name: "This test" });
  await run.getByRole("link", { name: "Open the mailbox" }).waitFor();
  await run.getByRole("link", { name: "Open the inbox" }).waitFor();
  await dialog.getByText("Copy code").click();
  await dialog.getByText("v1/events/trigger").waitFor();
  assert.equal((await feedOf(client, "owner@example.com"))[0]?.content, "Draft of A-7");
  const saved = (await client("workflows.retrieve", { params: { workflowId: "order" } })).body;
  assert.equal(saved.steps[1]?.controls.values.body, "Saved");

  // Another person, whose payload is the kept one.
  await dialog.getByRole("combobox", { name: /^Person/ }).click();
  await page.getByRole("option", { name: "Another subscriber" }).click();
  assert.equal(await dialog.getByRole("button", { name: "Send again" }).isDisabled(), true);
  await chooseAda(dialog);
  await dialog.getByRole("button", { name: "Send again" }).click();
  await dialog.getByText("Sent to Ada Lovelace").waitFor();
  await page.setViewportSize(narrow);
  await expectNoOverflow(page);
  const opened = page.context().waitForEvent("page");
  await run.getByRole("link", { name: "Open the run" }).click();
  const tab = await opened;
  await tab.getByText("Test", { exact: true }).first().waitFor();
  await tab.goto(`${url}/activity`);
  await tab
    .getByRole("link", { name: /order.*Test/i })
    .first()
    .waitFor();
});

journey("the author offers three frequencies, and support sets one of them", async (context) => {
  const controlValues = { type: "regular", amount: 1, unit: "seconds" };
  const digest = { name: "Digest", stepId: "digest", type: "digest" as const, controlValues };
  await createWorkflow(client, "summary", [digest, email()], { name: "Summary" });
  const params = { subscriberId: "ada" };
  const shown = async () => {
    const { workflows } = (await client("subscribers.retrievePreferences", { params })).body;
    return workflows.find(({ workflow }) => workflow.identifier === "summary")!;
  };
  const page = await open(context, "/workflows/summary?step=digest", { allow });
  const choices = page.getByRole("group", { name: "They choose from" });
  await page.getByLabel("Recipients may choose how often").waitFor();
  assert.equal(await choices.count(), 0);
  await page.getByLabel("Recipients may choose how often").check();
  await choices.getByLabel("Every hour").uncheck();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await eventually(async () => (await shown()).digestFrequencies?.join() === "instant,daily,weekly", "the offer");
  await page.setViewportSize(narrow);
  await expectNoOverflow(page);

  await page.goto(`${url}/subscribers/ada?tab=preferences`);
  await page.getByRole("combobox", { name: "How often the digest of Summary is sent" }).click();
  await page.getByRole("option", { name: "Every day" }).click();
  await eventually(async () => (await shown()).digestFrequency === "daily", "the choice");
  await page.setViewportSize(narrow);
  await expectNoOverflow(page);
});

journey("a layout is written with blocks", async (context) => {
  await client("layouts.create", { body: { layoutId: "plain", name: "Plain" } as never });
  const page = await open(context, "/layouts/plain", { allow });
  await page.getByRole("group", { name: "Written as" }).getByRole("button", { name: "Blocks" }).click();
  await page.getByRole("button", { name: "Use blocks" }).click();
  const editor = page.locator(".ProseMirror");
  await editor.click();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await page.keyboard.type("Northwind");
  await page.keyboard.press("Enter");
  await page.keyboard.type("{{content");
  await page
    .getByRole("option", { name: /content/ })
    .first()
    .click();
  await save(page);
  const { body } = await client("layouts.retrieve", { params: { layoutId: "plain" } });
  const text = JSON.stringify(body);
  assert.match(text, /Northwind/);
  assert.match(text, /content/);
});

// The workflow editor in a browser: two members at once, drafts, the keyboard, production, and a service that freezes.
import assert from "node:assert/strict";
import { browserTest, openBrowser } from "@tidings/testkit/chromium";
import { startFreezableProxy } from "@tidings/testkit/proxies/frozen-proxy";
import { createWorkflow, email, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import type { Page } from "playwright-core";
import { startDashboard } from "../kept-page.ts";
import { enter, expectAccessible, expectNoOverflow, narrow, openDashboard } from "../support.ts";
import { fillHtml, hasFocus, save } from "./actions.ts";

const service = await startDashboard();
const { client } = service;
// Refusals of a save are part of these tests, and the browser reports them as errors.
const allow = /status of 4(?:09|22)/;

const retrieve = async (workflowId: string) => (await client("workflows.retrieve", { params: { workflowId } })).body;

/** Leaving with changes asks, even when the page is loaded again. */
const acceptQuestions = (page: Page) => page.on("dialog", (dialog) => void dialog.accept());

browserTest("two members at one workflow see both versions, and neither is lost", async (context) => {
  await createWorkflow(client, "shared", [email({ subject: "Hi", body: "<p>One</p>" }), inApp()]);
  const mine = await service.open(context, "/workflows/shared?step=email", { allow });
  const theirs = await service.open(context, "/workflows/shared?step=email", { allow });
  await mine.getByRole("textbox", { name: "Subject" }).fill("Mine");
  await fillHtml(theirs, "<p>Theirs</p>");
  await save(theirs);
  await mine.getByRole("button", { name: "Save", exact: true }).click();
  const dialog = mine.getByRole("dialog", { name: /saved a newer version/ });
  await dialog.getByText("<p>Theirs</p>").waitFor();
  await dialog.getByText(/added: Mine/).waitFor();
  assert.equal((await retrieve("shared")).steps[0]?.controls.values.subject, "Hi");
  await expectAccessible(mine);
  await dialog.getByRole("button", { name: "Merge" }).click();
  await save(mine);
  assert.equal(await mine.getByRole("textbox", { name: "Subject" }).inputValue(), "Mine");
  const { subject, body } = (await retrieve("shared")).steps[0]!.controls.values;
  assert.deepEqual([subject, body], ["Mine", "<p>Theirs</p>"]);

  await theirs.getByRole("textbox", { name: "Subject" }).fill("Late");
  await theirs.getByRole("button", { name: "Save", exact: true }).click();
  await theirs
    .getByText("Both changed")
    .or(theirs.getByRole("button", { name: "Merge" }))
    .first()
    .waitFor();
  await theirs.getByRole("button", { name: "Use theirs" }).click();
  await eventually(
    async () => (await theirs.getByRole("textbox", { name: "Subject" }).inputValue()) === "Mine",
    "the saved subject",
  );
});

browserTest("a draft survives a reload, is undone step by step, and leaving asks", async (context) => {
  await createWorkflow(client, "drafted", [inApp({ body: "Hello" }), email()]);
  const page = await service.open(context, "/workflows/drafted", { allow });
  acceptQuestions(page);
  const body = page.getByRole("textbox", { name: "Body" });
  await body.fill("Hello again");
  await page.getByRole("tab", { name: "Settings" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Renamed");
  await page.reload();
  await page.getByText("Your unsaved changes were restored").waitFor();
  await page.getByRole("heading", { level: 1, name: "Renamed" }).waitFor();
  await page.getByRole("tab", { name: "Steps" }).click();
  assert.equal(await body.inputValue(), "Hello again");
  assert.equal((await retrieve("drafted")).name, "drafted");

  await body.fill("Third");
  await page.keyboard.press("Control+z");
  assert.equal(await body.inputValue(), "Hello again");
  await page.keyboard.press("Control+Shift+z");
  assert.equal(await body.inputValue(), "Third");

  await page.getByRole("link", { name: "Workflows", exact: true }).last().click();
  await page.getByRole("dialog", { name: "Leave with unsaved changes?" }).waitFor();
  await page.getByRole("button", { name: "Stay" }).click();
  assert.equal(await body.inputValue(), "Third");
  await page.getByRole("button", { name: "Discard changes" }).click();
  await page.getByRole("button", { name: "Discard", exact: true }).click();
  await eventually(async () => (await body.inputValue()) === "Hello", "the saved body");
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "drafted" }).waitFor();
  assert.equal(await page.getByText("Your unsaved changes were restored").count(), 0);
});

browserTest("the outline is used by keyboard, and the canvas shows the same step", async (context) => {
  const skip = { "==": [{ var: "payload.plan" }, "free"] };
  await createWorkflow(client, "by-keyboard", [inApp({ body: "Hello" }), email({ subject: "S", body: "B", skip })]);
  const page = await service.open(context, "/workflows/by-keyboard", { allow });
  const steps = page.getByRole("region", { name: "Steps of the workflow" });
  const first = steps.getByRole("button", { name: /^1\. In-app/ });
  await first.focus();
  await page.keyboard.press("ArrowDown");
  await page.getByRole("heading", { level: 2, name: "Email" }).waitFor();
  await page.keyboard.press("Alt+ArrowUp");
  await steps.getByRole("button", { name: /^1\. Email/ }).waitFor();
  await page.keyboard.press("Delete");
  await eventually(async () => (await steps.getByRole("listitem").count()) === 1, "one step");
  await eventually(() => hasFocus(page, "In-app"), "the focus on the step that is left");
  await page.keyboard.press("Control+z");
  await eventually(async () => (await steps.getByRole("listitem").count()) === 2, "two steps");
  await page.keyboard.press("Control+s");
  await page.getByText("Saved", { exact: true }).waitFor();
  assert.deepEqual(
    (await retrieve("by-keyboard")).steps.map(({ type }) => type),
    ["email", "in_app"],
  );
  await page.getByRole("button", { name: "Canvas" }).click();
  await page.waitForURL(/view=canvas/);
  const canvas = page.getByRole("region", { name: "Steps of the workflow" });
  // The label of a conditional step, once black on black.
  await canvas.getByText("conditional").waitFor();
  const fills = (await page.evaluate(
    "['text', 'textbg'].map((part) => getComputedStyle(document.querySelector('.react-flow__edge-' + part)).fill)",
  )) as string[];
  assert.notEqual(fills[0], fills[1]);
  assert.ok(!fills.includes("rgb(0, 0, 0)"), fills.join());
  await canvas.getByRole("button", { name: /Email/ }).click();
  await page.getByRole("heading", { level: 2, name: "Email" }).waitFor();
  await expectAccessible(page);
});

browserTest("production is readable as a whole, and asks once before it is edited", async (context) => {
  const { production } = service;
  await createWorkflow(production, "live", [inApp({ body: "Hello" })]);
  const environments = (await client("environments.list")).body;
  const env = environments.find(({ type }) => type === "prod")!.identifier;
  const page = await service.open(context, `/workflows/live?env=${env}`, { allow });
  const body = page.getByRole("textbox", { name: "Body" });
  assert.equal(await body.inputValue(), "Hello");
  assert.equal(await body.isEditable(), false);
  assert.equal(await page.getByRole("button", { name: "Save", exact: true }).count(), 0);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  await page.getByRole("button", { name: "Edit in production" }).click();
  await body.fill("Hello all");
  await save(page);
  const saved = await production("workflows.retrieve", { params: { workflowId: "live" } });
  assert.equal(saved.body.steps[0]?.controls.values.body, "Hello all");
  await body.fill("And again");
  await save(page);
});

browserTest("in a long workflow the chosen step and a failed save stay in sight", async (context) => {
  const many = Array.from({ length: 18 }, (_, index) => ({ ...inApp({ body: "Hello" }), name: `Step ${index + 1}` }));
  await createWorkflow(client, "long", [...many, email({ subject: "S", body: "{{ payload.x | truncat: 3 }}" })]);
  const page = await service.open(context, "/workflows/long", { allow });
  const row = page.getByRole("button", { name: /^18\. Step 18/ });
  await row.scrollIntoViewIfNeeded();
  const place = (await row.boundingBox())!.y;
  await row.click();
  await page.getByRole("heading", { level: 2, name: "Step 18" }).waitFor();
  assert.ok(Math.abs((await row.boundingBox())!.y - place) < 40, "the chosen step has jumped");
  const isInSight = async (what: ReturnType<Page["getByRole"]>) => {
    const box = await what.boundingBox();
    return box !== null && box.y >= 0 && box.y + box.height <= 860;
  };
  assert.ok(await isInSight(page.getByRole("heading", { level: 2, name: "Step 18" })), "the form is out of sight");

  await page.getByText("Advanced").click();
  await page.getByRole("textbox", { name: "Name" }).fill("");
  await page.mouse.wheel(0, 3_000);
  await page.keyboard.press("Control+s");
  const alert = page.getByRole("alert").filter({ hasText: "Not saved" });
  await alert.waitFor();
  assert.ok(await isInSight(alert), "the failed save is out of sight");
  assert.ok(await isInSight(page.getByRole("button", { name: "Save", exact: true })), "Save is out of sight");
  await eventually(
    async () => (await page.evaluate("document.activeElement?.getAttribute('aria-invalid')")) === "true",
    "the focus on the field that is wrong",
  );
  await page.getByRole("textbox", { name: "Name" }).fill("Step eighteen");
  await page.keyboard.press("Control+s");
  // The last step has an error, which does not prevent saving.
  await page.getByText("Saved with 1 problem").waitFor();
  assert.equal(await alert.count(), 0);
  assert.equal(await page.getByText("Saved", { exact: true }).count(), 0);
  await page.getByRole("button", { name: "Show it" }).click();
  await page.getByRole("heading", { level: 2, name: "Email" }).waitFor();
  const touching = await openBrowser(context, { viewport: narrow, hasTouch: true, isMobile: true });
  await enter(touching, service);
  const phone = await touching.newPage();
  await phone.goto(`${service.url}/workflows/long`);
  const insert = phone.getByRole("button", { name: "Add a step at position 2", exact: true });
  await insert.waitFor();
  const opacity =
    "getComputedStyle(document.querySelector('[aria-label=\"Add a step at position 2\"]').parentElement).opacity";
  await eventually(async () => (await phone.evaluate(opacity)) === "1", "the button to be seen without a pointer");
  await expectNoOverflow(phone);
});

browserTest("a service that stops answering is said, and nothing is lost", async (context) => {
  await createWorkflow(client, "frozen", [inApp({ body: "Hello" })]);
  const proxy = await startFreezableProxy(service);
  const page = await openDashboard(context, { ...service, url: proxy.url }, "/workflows/frozen", { allow });
  const body = page.getByRole("textbox", { name: "Body" });
  await body.fill("Saved before");
  await save(page);
  await body.fill("Typed while it froze");
  await page.clock.install();
  proxy.freeze();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.clock.fastForward(6_000);
  await page.getByText("This is taking longer than usual").waitFor();
  await page.clock.fastForward(15_000);
  await page.getByRole("alert").getByText("Not saved: no connection").waitFor();
  await page.getByRole("alert").getByText("Your changes are kept here.").waitFor();
  await page.getByText("The service cannot be reached").waitFor();
  assert.equal(await page.getByText("Saved", { exact: true }).count(), 0, "two answers to one save");
  proxy.thaw();
  await page.clock.runFor(30_000);
  await page.getByText("The connection is back").waitFor();
  await page.getByText("The service cannot be reached").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  assert.equal((await retrieve("frozen")).steps[0]?.controls.values.body, "Typed while it froze");

  // Another screen shows it in time as well, with a way to try again.
  proxy.freeze();
  await page.getByRole("link", { name: "Layouts", exact: true }).click();
  await page.clock.runFor(21_000);
  await page.getByRole("alert").getByText("The service did not respond in time").waitFor();
  await page.getByRole("main").getByRole("button", { name: "Try again" }).waitFor();
  proxy.thaw();
  await page.getByRole("table", { name: "Layouts" }).or(page.getByText("No layouts yet")).first().waitFor();
});

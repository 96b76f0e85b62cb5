// Workflows in a browser: building one, simulating it, two members at once, production, drafts, versions and open
// digests.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { before } from "@tidings/testkit/at-end";
import { browserTest, openBrowser } from "@tidings/testkit/chromium";
import { startFreezableProxy } from "@tidings/testkit/proxies/frozen-proxy";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import type { Page } from "playwright-core";
import { seedCompany } from "./seed.ts";
import { enter, expectAccessible, expectNoOverflow, expectRoomForValues, narrow } from "./support.ts";

const service = await startTestService();
const { client } = service;

before(async () => {
  await seedCompany(client, { crowd: 5 });
});

/** As `openDashboard`; refusals of a save are part of these tests, and the browser reports them as errors. */
async function open(context: TestContext, path: string, { url } = service): Promise<Page> {
  const browser = await openBrowser(context, { viewport: { width: 1280, height: 860 } });
  await enter(browser, { ...service, url });
  const page = await browser.newPage();
  page.setDefaultTimeout(20_000);
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" && !/status of 4(?:09|22)/.test(message.text())) errors.push(message.text());
  });
  context.after(() => assert.deepEqual(errors, []));
  await page.goto(url + path);
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  return page;
}

const retrieve = async (workflowId: string) => (await client("workflows.retrieve", { params: { workflowId } })).body;

/** The form of the chosen step has a body as a plain text area or, for HTML, as a code editor. */
async function addStep(page: Page, type: string): Promise<void> {
  await page.getByRole("button", { name: "Add step" }).click();
  await page.getByRole("menuitem", { name: type, exact: true }).click();
  await page.getByRole("heading", { level: 2, name: type }).waitFor();
}

/** The body of an email. Until the code editor is loaded, a plain field replaces it, which then loses the focus. */
async function fillHtml(page: Page, text: string): Promise<void> {
  await page.locator(".cm-content").waitFor();
  await page.getByRole("textbox", { name: "Body" }).fill(text);
}

const save = async (page: Page): Promise<void> => {
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
};

/** Leaving with changes asks, even when the page is loaded again. */
const acceptQuestions = (page: Page) => page.on("dialog", (dialog) => void dialog.accept());

/** The name of what has the focus begins with this text, after the number of a step. */
const hasFocus = async (page: Page, name: string): Promise<boolean> =>
  ((await page.evaluate("document.activeElement?.textContent ?? ''")) as string)
    .replace(/^\d+\. /, "")
    .startsWith(name);

browserTest("the list finds workflows, makes, copies and deletes them", async (context) => {
  const page = await open(context, "/workflows");
  const rows = page.getByRole("table", { name: "Workflows" }).getByRole("row");
  await rows.nth(5).waitFor();
  await expectAccessible(page);
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

browserTest("what is typed faster than the page draws stays in the editor", async (context) => {
  await createWorkflow(client, "typed", [email()]);
  const page = await open(context, "/workflows/typed?step=email");
  const body = page.getByRole("textbox", { name: "Body" });
  await eventually(async () => {
    await fillHtml(page, "> ");
    return (await body.innerText()).startsWith(">");
  }, "the editor to be emptied");
  const text = "Dear reader, order 4711 is on its way and will be with you on Tuesday. ".repeat(4).trim();
  // Without a pause for drawing: the page learns of characters while it still works on those before them.
  await body.evaluate(async (editor: { focus(): void }, characters) => {
    type Typing = { document: { execCommand(name: string, hasInterface: boolean, text: string): void } };
    const { document } = globalThis as unknown as Typing;
    editor.focus();
    for (const character of characters) {
      document.execCommand("insertText", false, character);
      await new Promise((resolve) => setTimeout(resolve));
    }
  }, text);
  await save(page);
  assert.equal((await retrieve("typed")).steps[0]?.controls.values.body, `> ${text}`);
});

browserTest("the editor takes over from the plain field in the middle of a word", async (context) => {
  await createWorkflow(client, "early", [email({ subject: "Hi", body: "Hello" })]);
  let load = () => {};
  const wanted = new Promise<void>((resolve) => (load = resolve));
  const page = await open(context, "/workflows");
  await page.route(/code-editor/, async (route) => {
    await wanted;
    await route.continue();
  });
  await page.goto(`${service.url}/workflows/early?step=email`);
  const plain = page.locator("textarea").filter({ hasText: "Hello" });
  await plain.focus();
  await page.keyboard.press("End");
  await page.keyboard.type(", Ad");
  load();
  await page.locator(".cm-content").waitFor();
  await page.keyboard.type("a!");
  await eventually(
    async () => (await page.getByRole("textbox", { name: "Body" }).innerText()) === "Hello, Ada!",
    "what was typed in both",
  );
});

browserTest(
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

    const subscriber = page.getByRole("combobox", { name: "Subscriber" });
    await subscriber.fill("ada");
    await page.getByText("Reports for Ada").first().waitFor();
    await expectAccessible(page);

    await page.getByRole("tab", { name: "Simulate" }).click();
    const card = page.getByRole("article", { name: "Ada Lovelace" });
    await card.getByText("it runs only when").first().waitFor();
    await card.getByRole("link", { name: "Change the step" }).waitFor();
    await page.getByRole("button", { name: "Payload" }).click();
    await page.getByRole("menuitem", { name: "Edit payload" }).click();
    await page.getByRole("textbox", { name: "Payload as JSON" }).fill('{ "count": 7 }');
    await card.getByText("Email would be sent").first().waitFor();
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

browserTest("two members at one workflow see both versions, and neither is lost", async (context) => {
  await createWorkflow(client, "shared", [email({ subject: "Hi", body: "<p>One</p>" }), inApp()]);
  const mine = await open(context, "/workflows/shared?step=email");
  const theirs = await open(context, "/workflows/shared?step=email");
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
  const page = await open(context, "/workflows/drafted");
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
  const page = await open(context, "/workflows/by-keyboard");
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

browserTest("faults of a template show with their place, and a refusal at its field", async (context) => {
  await createWorkflow(client, "faulty", [inApp({ body: "Hello" }), { name: "Wait", type: "delay" }]);
  const page = await open(context, "/workflows/faulty");
  await page.getByRole("textbox", { name: "Body" }).fill("Hello\n{{ payload.name | nope }}");
  await page
    .getByRole("alert")
    .getByText(/line 2/)
    .waitFor();
  await page.getByText("Advanced").click();
  await page.getByRole("textbox", { name: "Name" }).fill("");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("textbox", { name: "Name" }).and(page.locator("[aria-invalid=true]")).waitFor();
  await page.getByRole("alert").getByText("Not saved", { exact: true }).waitFor();
  assert.equal((await retrieve("faulty")).steps[0]?.name, "In-app");
});

browserTest("production is readable as a whole, and asks once before it is edited", async (context) => {
  const { production } = service;
  await createWorkflow(production, "live", [inApp({ body: "Hello" })]);
  const environments = (await client("environments.list")).body;
  const env = environments.find(({ type }) => type === "prod")!.identifier;
  const page = await open(context, `/workflows/live?env=${env}`);
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

browserTest("versions show what changed, and one is restored", async (context) => {
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
  await expectAccessible(page);
});

browserTest("what is undone in a code editor can be done again", async (context) => {
  const steps = [email({ subject: "S", body: "<p>One</p>" }), { name: "Own", type: "custom", controlValues: {} }];
  await createWorkflow(client, "undone", steps as never);
  const page = await open(context, "/workflows/undone");
  const [undo, redo] = ["Undo", "Redo"].map((name) => page.getByRole("button", { name: new RegExp(`^${name}`) }));
  const body = page.getByRole("textbox", { name: "Body" });
  await fillHtml(page, "<p>Two</p>");
  await undo!.click();
  await eventually(async () => (await body.innerText()) === "<p>One</p>", "the text to be undone");
  await redo!.click();
  await eventually(async () => (await body.innerText()) === "<p>Two</p>", "the text to be back");
  await body.focus();
  await page.keyboard.press("Control+z");
  await eventually(async () => (await body.innerText()) === "<p>One</p>", "the text to be undone by keyboard");
  await page.keyboard.press("Control+Shift+z");
  await eventually(async () => (await body.innerText()) === "<p>Two</p>", "the text to be back by keyboard");

  await page.getByRole("button", { name: /^2\. Own/ }).click();
  const values = page.getByRole("textbox", { name: "Values for your code" });
  await page.locator(".cm-content").first().waitFor();
  await values.fill('{ "a": 1 }');
  await undo!.click();
  await eventually(async () => (await values.innerText()).trim() === "", "the JSON to be undone");
  await redo!.click();
  await eventually(async () => /"a": 1/.test(await values.innerText()), "the JSON to be back");
  await values.fill('{ "a": 1,\n}');
  await page.getByText(/Invalid JSON, not saved yet \(line 2/).waitFor();

  // A sample is not part of the workflow: it has its own way back.
  await page.getByRole("tab", { name: "Simulate" }).click();
  await page.getByRole("button", { name: "Payload" }).click();
  await page.getByRole("menuitem", { name: "Edit payload" }).click();
  const payload = page.getByRole("textbox", { name: "Payload as JSON" });
  await payload.fill('{ "n": 7 }');
  await page.keyboard.press("Control+z");
  await eventually(async () => !/7/.test(await payload.innerText()), "the payload to be undone");
  await page.keyboard.press("Control+y");
  await eventually(async () => /7/.test(await payload.innerText()), "the payload to be back");
  assert.equal(await redo!.isDisabled(), true);
});

browserTest("in a long workflow the chosen step and a failed save stay in sight", async (context) => {
  const many = Array.from({ length: 18 }, (_, index) => ({ ...inApp({ body: "Hello" }), name: `Step ${index + 1}` }));
  await createWorkflow(client, "long", [...many, email({ subject: "S", body: "{{ payload.x | truncat: 3 }}" })]);
  const page = await open(context, "/workflows/long");
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
  const page = await open(context, "/workflows/frozen", { ...service, url: proxy.url });
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

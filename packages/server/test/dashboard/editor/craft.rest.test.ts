// The craft of authors in a browser: conditions as sentences, times in words, several people at one workflow, steps
// that are copied and renamed, find and replace, and translations that say what is wrong with them.
import assert from "node:assert/strict";
import { before } from "@tidings/testkit/at-end";
import { browserTest, openBrowser, openPage } from "@tidings/testkit/chromium";
import { createWorkflow, email, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import type { Page } from "playwright-core";
import { invite } from "../../app/members/browsers.ts";
import { startDashboard } from "../kept-page.ts";
import { enter, expectAccessible, expectNoOverflow, narrow, openDashboard, ownerOf } from "../support.ts";
import { save } from "./actions.ts";

const service = await startDashboard();
const { client } = service;

before(async () => {
  for (const [subscriberId, plan] of [
    ["ada", "pro"],
    ["bob", "free"],
    ["eve", "free"],
  ] as const)
    await client("subscribers.create", { body: { subscriberId, firstName: subscriberId, data: { plan } } });
});

const retrieve = async (workflowId: string) => (await client("workflows.retrieve", { params: { workflowId } })).body;
const valuesOf = async (workflowId: string, index: number) =>
  (await retrieve(workflowId)).steps[index]!.controls.values;
const choose = async (page: Page, name: RegExp, option: string) => {
  await page.getByRole("combobox", { name }).last().click();
  await page.getByRole("option", { name: option, exact: true }).click();
};

browserTest("a condition reads as a sentence, with groups, types, variables and who would match", async (context) => {
  const payloadSchema = {
    type: "object",
    properties: { mention: { type: "boolean" }, total: { type: "number" }, limit: { type: "number" } },
  };
  await createWorkflow(client, "mentions", [inApp({ body: "Hi" })], { payloadSchema });
  const page = await service.open(context, "/workflows/mentions");
  await page.getByRole("button", { name: "Add a condition" }).click();
  const paths = page.getByRole("combobox", { name: "Value to compare" });
  // A variable of the type yes or no has a comparison without a value.
  await paths.fill("payload.mention");
  await page.getByText("The step runs only when payload.mention is true.").waitFor();

  await page.getByRole("button", { name: "Add group" }).click();
  await paths.nth(1).fill("payload.total");
  const group = page.getByRole("group", { name: "Group 2" });
  const comparison = group.getByRole("combobox", { name: /^Comparison/ });
  await comparison.first().click();
  await page.getByRole("option", { name: "is more than", exact: true }).click();
  await group.getByRole("button", { name: "Compare with another variable" }).first().click();
  await group.getByRole("combobox", { name: "Variable to compare with" }).fill("payload.limit");
  await group.getByRole("combobox", { name: "Value to compare" }).nth(1).fill("subscriber.data.plan");
  await group.getByRole("textbox", { name: "Compare with" }).fill("pro");
  await page
    .getByText(
      'payload.mention is true and (payload.total is more than payload.limit or subscriber.data.plan is "pro")',
    )
    .waitFor();
  await expectAccessible(page);

  const rule = {
    and: [
      { "!!": [{ var: "payload.mention" }] },
      {
        or: [
          { ">": [{ var: "payload.total" }, { var: "payload.limit" }] },
          { "==": [{ var: "subscriber.data.plan" }, "pro"] },
        ],
      },
    ],
  };
  await page.getByRole("button", { name: "Who would match?" }).click();
  // The sample payload is the example of the schema, in which everybody was mentioned.
  await page.getByText("Runs for 1 of 3 people").waitFor();
  await page.getByText("Such as ada").waitFor();
  await page.getByRole("combobox", { name: "The step: runs only when" }).click();
  await page.getByRole("option", { name: "is skipped when" }).click();
  await page.getByText("Runs for 2 of 3 people").waitFor();
  await page.getByRole("button", { name: "Edit as JSON" }).click();
  await page.getByRole("button", { name: "Use the builder" }).click();
  await page.setViewportSize(narrow);
  await expectNoOverflow(page);
  await expectAccessible(page);
  await page.setViewportSize({ width: 1280, height: 860 });
  await save(page);
  assert.deepEqual((await valuesOf("mentions", 0)).skip, rule);
});

browserTest("a time of day or week is chosen, shown in words and stored as cron", async (context) => {
  await createWorkflow(client, "weekly", [
    { name: "Digest", type: "digest", controlValues: { type: "timed", cron: "0 9 * * 1" } },
    email(),
  ]);
  const page = await service.open(context, "/workflows/weekly");
  const time = page.getByRole("group", { name: "Time", exact: true });
  await time.getByText("Mondays at 09:00").waitFor();
  await time.getByText(/^Next: Mon \d+ \w+, 09:00 · /).waitFor();
  await time.getByRole("button", { name: "Thu" }).click();
  await time.getByLabel("Time of day").fill("17:30");
  await time.getByText("Mondays and Thursdays at 17:30").waitFor();
  await expectAccessible(page);
  await page.setViewportSize(narrow);
  await expectNoOverflow(page);
  await expectAccessible(page);
  await page.setViewportSize({ width: 1280, height: 860 });
  await save(page);
  assert.equal((await valuesOf("weekly", 0)).cron, "30 17 * * 1,4");
  await time.getByRole("button", { name: "Edit as cron" }).click();
  await time.getByRole("textbox", { name: "Cron expression" }).fill("every day at 9");
  await time.getByText("cron must have five fields").waitFor();
  await time.getByRole("textbox", { name: "Cron expression" }).fill("*/15 * * * *");
  await time.getByText("Every 15 minutes").waitFor();
});

browserTest("steps are started, copied to another workflow and renamed with their uses", async (context) => {
  await createWorkflow(client, "empty", []);
  await createWorkflow(client, "other", [inApp({ body: "Hi" })]);
  const page = await service.open(context, "/workflows/empty");
  await expectAccessible(page);
  await page.getByRole("button", { name: "In-app, then email if unread" }).click();
  await save(page);
  assert.deepEqual((await valuesOf("empty", 2)).skip, { "!!": [{ var: "steps.in-app.read" }] });

  // The identifier of the first step is used by the condition of the third.
  await page.getByText("Advanced").click();
  await page.getByRole("textbox", { name: "Identifier" }).fill("message");
  await page.getByText("steps.in-app is still used in Email: condition").waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Change it to steps.message" }).click();
  await save(page);
  assert.deepEqual((await valuesOf("empty", 2)).skip, { "!!": [{ var: "steps.message.read" }] });

  const steps = page.getByRole("region", { name: "Steps of the workflow" });
  await steps.getByRole("button", { name: /^3\. Email/ }).click();
  await steps.getByRole("button", { name: "Copy step" }).click();
  await page.getByText("Email was copied").first().waitFor();
  await page.goto(`${service.url}/workflows/other`);
  await page.getByRole("button", { name: "Add step" }).click();
  await page.getByRole("menuitem", { name: /Paste Email/ }).click();
  // Its condition names a step of the other workflow, which is said.
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved with 1 problem").waitFor();
  assert.equal((await retrieve("other")).steps[1]!.name, "Email");
  assert.match(String((await valuesOf("other", 1)).subject), /^Hello/);

  await page.getByRole("heading", { level: 1 }).click();
  await page.keyboard.press("?");
  const keys = page.getByRole("dialog", { name: "Keyboard" });
  await keys.getByText("Copy the step").waitFor();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await keys.waitFor({ state: "detached" });
});

browserTest("a step is saved as a template, found, renamed, inserted elsewhere and deleted", async (context) => {
  await createWorkflow(client, "source", [inApp({ subject: "Kept", body: "Hi" })]);
  await createWorkflow(client, "target", [inApp({ body: "Other" })]);
  const page = await service.open(context, "/workflows/source");
  await page.getByRole("button", { name: "Save as template" }).click();
  await page.getByRole("textbox", { name: "Name", exact: true }).last().fill("Greeting");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Save template" }).click();
  await page.getByText("Greeting was saved").first().waitFor();
  await page.goto(`${service.url}/workflows/target`);
  const open = async () => {
    await page.getByRole("button", { name: "Add step" }).click();
    await page.getByRole("menuitem", { name: "From a template" }).click();
  };
  await open();
  await page.getByRole("searchbox", { name: "Search templates" }).fill("nothing");
  await page.getByText("No template has this name.").waitFor();
  await page.getByRole("searchbox", { name: "Search templates" }).fill("greet");
  await page.getByRole("button", { name: "Rename Greeting" }).click();
  await page.getByRole("textbox", { name: "Name", exact: true }).last().fill("Welcome");
  await page.getByRole("button", { name: "Rename", exact: true }).click();
  await page.getByText("Welcome", { exact: true }).waitFor();
  await expectAccessible(page);
  await page.setViewportSize(narrow);
  await expectNoOverflow(page);
  await expectAccessible(page);
  await page.setViewportSize({ width: 1280, height: 860 });
  await page.getByRole("button", { name: "Insert Welcome" }).click();
  await save(page);
  const [, inserted] = (await retrieve("target")).steps;
  assert.deepEqual([inserted!.stepId, (await valuesOf("target", 1)).subject], ["in-app-2", "Kept"]);
  await open();
  await page.getByRole("button", { name: "Delete Welcome" }).click();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("No templates yet").waitFor();
});

browserTest("members see who else has a workflow open, and comment on its steps", async (context) => {
  await createWorkflow(client, "shared", [inApp({ body: "Hi" })]);
  const mara = await invite(service, await ownerOf(service), "editor", "mara@example.com");
  const mine = await service.open(context, "/workflows/shared");
  const theirs = await openDashboard(context, service, "/workflows/shared", {}, mara);
  await mine.getByText("Comments", { exact: true }).click();
  await mine.getByRole("textbox", { name: "Comment for your team" }).fill("Shorter?");
  await mine.getByRole("button", { name: "Comment", exact: true }).click();
  await mine.getByRole("list", { name: "Comments" }).getByText("Shorter?").waitFor();
  await expectAccessible(mine);
  await theirs.reload();
  await theirs.getByText("Comments (1)").waitFor();
  await theirs.getByRole("button", { name: "Resolve" }).click();
  await theirs.getByText(/^resolved by/).waitFor();
  // Both have it open; the first tab learns of the second with its next sign.
  await theirs.getByText(/has this open$/).waitFor();
  await mine.reload();
  await mine.getByText(/has this open$/).waitFor();
});

browserTest("a text is found in workflows, layouts and texts, and replaced where that was chosen", async (context) => {
  await createWorkflow(client, "first", [inApp({ subject: "Acme news", body: "From Acme, by Acme" })]);
  await createWorkflow(client, "second", [email({ subject: "Acme", body: "<p>Acme</p>" })]);
  await client("workflows.patch", { params: { workflowId: "first" }, body: { description: "All about Acme" } });
  const texts = { resourceType: "workflow", resourceId: "first", locale: "de_DE" } as const;
  await client("translations.create", { body: { ...texts, content: { bye: "Ihr Acme", note: "Danke" } } });
  await client("layouts.create", { body: { layoutId: "frame", name: "Frame" } });
  const body = "<p>Acme</p>{{content}}";
  const controlValues = { email: { body, editorType: "html" as const } };
  await client("layouts.update", { params: { layoutId: "frame" }, body: { name: "Frame", controlValues } });
  const page = await service.open(context, "/workflows");
  await page.getByRole("button", { name: "Find and replace" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Find" }).fill("Acme");
  await dialog.getByRole("textbox", { name: "Replace with" }).fill("Northwind");
  await dialog.getByRole("button", { name: "Replace 8 in 2 workflows and 1 layout" }).waitFor();
  await expectAccessible(page);
  await page.setViewportSize(narrow);
  await expectNoOverflow(page);
  await dialog.getByRole("checkbox", { name: "second" }).uncheck();
  await dialog.getByRole("button", { name: "Replace 6 in 1 workflow and 1 layout" }).click();
  await page.getByText("Replaced in 1 workflow and 1 layout").waitFor();
  assert.equal((await valuesOf("first", 0)).body, "From Northwind, by Northwind");
  assert.equal((await valuesOf("second", 0)).subject, "Acme");
  assert.equal((await retrieve("first")).description, "All about Northwind");
  const { content } = (await client("translations.retrieve", { params: texts })).body;
  assert.deepEqual(content, { bye: "Ihr Northwind", note: "Danke" });
  const layout = (await client("layouts.retrieve", { params: { layoutId: "frame" } })).body;
  assert.equal(layout.controls.values.email?.body, "<p>Northwind</p>{{content}}");
});

const params = { resourceType: "workflow" as const, resourceId: "order" };
const texts = (locale: string, content: Record<string, unknown>) =>
  client("translations.create", { body: { ...params, locale, content } });

browserTest(
  "translations say what is missing, outdated or broken; Ctrl-S saves, leaving offers to",
  async (context) => {
    const step = email({ subject: "{{ t.subject }}", body: "<p>{{ t.greeting }}</p>" });
    await createWorkflow(client, "order", [step], { isTranslationEnabled: true });
    await texts("en_US", { subject: "Shipped", note: "Thanks" });
    await texts("de_DE", { subject: "Unterwegs", note: "Danke {{ payload.name }" });
    await texts("en_US", { subject: "Your order has shipped", note: "Thanks" });
    const page = await service.open(context, "/translations");
    await page.getByText("1 outdated").waitFor();
    await page.getByText("1 error").waitFor();
    await page.getByRole("link", { name: /order/ }).click();
    const greeting = page.getByRole("textbox", { name: "greeting in en_US" });
    await greeting.waitFor();
    await page.getByText("en_US changed since").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "subject in de_DE still fits" }).click();
    await page.getByText("en_US changed since").waitFor({ state: "detached" });

    await greeting.fill("Hello");
    await page.keyboard.press("Control+s");
    await page.getByText("1 text saved").waitFor();
    await page.getByRole("textbox", { name: "greeting in de_DE" }).fill("Hallo");
    await page.getByRole("link", { name: "Translations" }).first().click();
    await page.getByRole("button", { name: "Save and leave" }).click();
    await page.getByRole("heading", { level: 1, name: "Translations" }).waitFor();
    const german = async () =>
      (await client("translations.retrieve", { params: { ...params, locale: "de_DE" } })).body.content as Record<
        string,
        string
      >;
    assert.equal((await german()).greeting, "Hallo");

    // A new language is exported with every key, and comes back translated.
    await page.getByRole("button", { name: "Export" }).click();
    await page.getByRole("combobox", { name: "Language" }).fill("French");
    await choose(page, /^Format/, "CSV for spreadsheets");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download" }).click(),
    ]);
    assert.equal(download.suggestedFilename(), "fr_FR.csv");
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
    const csv = Buffer.concat(chunks).toString("utf8");
    assert.match(csv, /workflows,order,subject,Your order has shipped,\r\n/);
    await page.getByRole("button", { name: "Import" }).click();
    const buffer = Buffer.from(
      csv.replace("Your order has shipped,\r\n", 'Your order has shipped,"Expédié, ""vite"""\r\n'),
    );
    await page.locator("input[type=file]").setInputFiles({ name: "fr_FR.csv", mimeType: "text/csv", buffer });
    await page.getByRole("button", { name: "Import 1 text" }).click();
    await page.getByText("Texts imported").waitFor();
    const french = await client("translations.retrieve", { params: { ...params, locale: "fr_FR" } });
    assert.deepEqual(french.body.content, { subject: 'Expédié, "vite"' });
  },
);

browserTest("a draft survives a tab that is killed", async (context) => {
  await createWorkflow(client, "killed", [inApp({ body: "Hello" })]);
  const browser = await openBrowser(context, { viewport: { width: 1280, height: 860 } });
  await enter(browser, service);
  const page = await openPage(context, browser);
  await page.goto(`${service.url}/workflows/killed`);
  await page.getByRole("textbox", { name: "Body" }).fill("Hello again");
  await page.getByText("Unsaved changes").waitFor();
  const session = await browser.newCDPSession(page);
  const crashed = page.waitForEvent("crash");
  void session.send("Page.crash").catch(() => undefined);
  await crashed;
  const next = await openPage(context, browser);
  await next.goto(`${service.url}/workflows/killed`);
  await next.getByText("Your unsaved changes were restored").waitFor();
  await eventually(
    async () => (await next.getByRole("textbox", { name: "Body" }).inputValue()) === "Hello again",
    "the draft of the killed tab",
  );
});

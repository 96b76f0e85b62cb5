// Categories, in a browser: the screen of the dashboard, a workflow's settings, a person's preferences, the hosted page
// and the widget.
import assert from "node:assert/strict";
import { browserTest, openBrowser, openPage } from "@tidings/testkit/chromium";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { openHost } from "../inbox/host-page.ts";
import { expectAccessible, expectNoOverflow, narrow, openDashboard } from "./support.ts";

const service = await startTestService({ TIDINGS_PUBLIC_URL: "http://localhost:3000" });
const { client } = service;
await createWorkflow(client, "launch", [inApp(), email()], { name: "Launch" });
await client("subscribers.create", { body: { subscriberId: "ada", email: "ada@example.com", locale: "he_IL" } });

browserTest("a category is created, ordered, used by a workflow, and chosen by a person", async (context) => {
  const page = await openDashboard(context, service, "/categories");
  await page.getByText("No categories yet").waitFor();
  await expectAccessible(page);
  const create = async (name: string, isRequired = false) => {
    await page.getByRole("button", { name: "New category" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill(name);
    await dialog.getByLabel("Description").fill(`About ${name}`);
    if (isRequired) await dialog.getByLabel("Required: subscribers cannot turn it off").check();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByText(`About ${name}`).waitFor();
  };
  await create("Product updates");
  await create("Security", true);
  await page.getByRole("button", { name: "Move Security up" }).click();
  await eventually(async () => {
    const { categories } = (await client("categories.list", {})).body;
    return categories.map(({ categoryId }) => categoryId).join() === "security,product-updates";
  }, "the new order");
  await expectAccessible(page);
  await page.setViewportSize(narrow);
  await expectNoOverflow(page);
  await expectAccessible(page);

  const editor = await openDashboard(context, service, "/workflows/launch?tab=settings");
  await editor.getByRole("combobox", { name: "Category" }).click();
  await editor.getByRole("option", { name: "Product updates" }).click();
  await editor.getByLabel("Commercial: emails always have the headers to unsubscribe").check();
  await editor.getByRole("button", { name: "Save", exact: true }).click();
  await eventually(async () => {
    const { categoryId, isCommercial } = (await client("workflows.retrieve", { params: { workflowId: "launch" } }))
      .body;
    return categoryId === "product-updates" && isCommercial === true;
  }, "the category of the workflow");

  const person = await openDashboard(context, service, "/subscribers/ada?tab=preferences");
  await person.getByRole("switch", { name: "Email for Product updates" }).click();
  await person.getByText("choice for the category").first().waitFor();
  await expectAccessible(person);
});

browserTest("the hosted page: right to left, narrow, dark, without a script", async (context) => {
  await client("subscribers.updatePreferences", {
    params: { subscriberId: "ada" },
    body: { categoryId: "product-updates", channels: { email: true } },
  });
  const transactionId = await trigger(client, "launch", "ada");
  await settled(client, transactionId);
  const { data } = (await client("captured.list", { query: { transactionId } })).body;
  const headers = data.find(({ channel }) => channel === "email")!.headers as Record<string, string>;
  const path = new URL(headers["List-Unsubscribe"]!.slice(1, -1)).pathname;
  for (const [colorScheme, viewport] of [
    ["light", { width: 1280, height: 860 }],
    ["dark", narrow],
  ] as const) {
    const browser = await openBrowser(context, { viewport, colorScheme });
    const page = await openPage(context, browser);
    await page.goto(service.url + path);
    assert.equal(await page.locator("html").getAttribute("dir"), "rtl");
    await page.getByRole("heading", { name: "העדפות התראות" }).waitFor();
    await page.getByRole("group", { name: "Product updates" }).getByRole("checkbox", { name: "דוא״ל" }).waitFor();
    await expectNoOverflow(page);
    await expectAccessible(page);
  }
  const page = await openPage(context, await openBrowser(context, { viewport: narrow, javaScriptEnabled: false }));
  await page.goto(service.url + path);
  await page.getByRole("button", { name: "ביטול ההרשמה להכול" }).click();
  await page.getByRole("button", { name: "ביטול הפעולה" }).click();
  await page.getByText("הפעולה בוטלה").waitFor();
});

browserTest("the widget shows categories, and keeps a choice for one", async (context) => {
  const page = await openHost(context, service, "bob");
  await page.getByRole("button", { name: "Preferences" }).click();
  await page.getByText("About Product updates").waitFor();
  await page.getByRole("group", { name: "Product updates" }).getByRole("switch", { name: "Email" }).click();
  await eventually(async () => {
    const { body } = await client("subscribers.retrievePreferences", { params: { subscriberId: "bob" } });
    return body.workflows.find(({ workflow }) => workflow.identifier === "launch")?.channels.email === false;
  }, "the choice");
  await page.locator("summary", { hasText: "Launch" }).getByText("In-app").waitFor();
});

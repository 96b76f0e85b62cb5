// The workspace of an author in a browser: the preview of a mail, completion, and the choice of a subscriber.
import assert from "node:assert/strict";
import { before } from "@tidings/testkit/at-end";
import { browserTest } from "@tidings/testkit/chromium";
import { createWorkflow, email, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import type { Page } from "playwright-core";
import { startDashboard } from "../kept-page.ts";
import { chooseAda, expectAccessible, expectNoOverflow, narrow } from "../support.ts";

const service = await startDashboard();
const { client } = service;
const allow = /status of 4(?:00|04|09|22)|net::ERR|Applying inline style/;

const page640 =
  '<div style="width:600px"><p>Order {{payload.order}}</p><img src="https://example.com/x.png" alt="Logo"></div>';

before(async () => {
  const data = { plan: "pro" };
  await client("subscribers.create", {
    body: { subscriberId: "ada", firstName: "Ada", lastName: "Lovelace", email: "ada@example.com", data },
  });
});

const widthOf = async (page: Page, name: string | RegExp): Promise<number> =>
  (await page.getByRole("textbox", { name }).first().boundingBox())?.width ?? 0;

browserTest("a mail has the whole window, a divider, and every view of its reader", async (context) => {
  await createWorkflow(client, "letter", [
    inApp(),
    email({ subject: "Hello {{subscriber.firstName}}", body: page640 }),
  ]);
  const page = await service.open(context, "/workflows/letter?step=email", { allow });
  const preview = page.getByRole("region", { name: "Preview" });
  const frame = preview.frameLocator("iframe").frameLocator("iframe");
  await chooseAda(page);
  await preview.getByText("Hello Ada").waitFor();
  await frame.getByText("Order").waitFor();
  const inner = async () =>
    await frame.locator("html").evaluate((html) => (html as { clientWidth: number }).clientWidth);
  // Shown smaller, it is a fraction of a pixel off.
  assert.ok((await inner()) >= 639, `${await inner()}`);
  await expectAccessible(page);

  const divider = page.getByRole("separator", { name: "Width of the form and the preview" });
  const before = await widthOf(page, "Subject");
  await divider.focus();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  assert.ok((await widthOf(page, "Subject")) < before);
  const box = (await divider.boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + 100);
  await page.mouse.down();
  await page.mouse.move(box.x + 220, box.y + 120, { steps: 4 });
  await page.mouse.up();
  const moved = await widthOf(page, "Subject");
  assert.ok(moved > before, `${moved} after ${before}`);
  await page.reload();
  await page.getByRole("textbox", { name: "Subject" }).waitFor();
  await eventually(async () => Math.abs((await widthOf(page, "Subject")) - moved) < 3, "the divider where it was left");

  await preview.getByRole("button", { name: "Phone" }).click();
  await eventually(async () => Math.abs((await inner()) - 374) <= 1, "a phone");
  await preview.getByRole("button", { name: "Dark" }).click();
  await preview.getByText("no dark colours").waitFor();
  await preview.getByRole("button", { name: "No images" }).click();
  await eventually(async () => (await frame.locator("img[src]").count()) === 0, "no images");
  await preview.getByRole("button", { name: "Source" }).click();
  await preview.getByText("<img", { exact: false }).waitFor();
  await preview.getByRole("button", { name: "Text", exact: true }).click();
  await preview.locator("pre").getByText("Order").waitFor();

  const outline = page.getByRole("region", { name: "Steps of the workflow" });
  const folded = (await outline.boundingBox())!.width;
  await page.getByRole("button", { name: "Show the steps" }).click();
  assert.ok((await outline.boundingBox())!.width > folded + 100);
  await page.getByRole("button", { name: "Fold the steps" }).click();
  for (const [width, height] of [
    [1920, 1080],
    [768, 900],
    [narrow.width, narrow.height],
  ] as const) {
    await page.setViewportSize({ width, height });
    await expectNoOverflow(page);
  }
  assert.equal(await preview.isVisible(), false);
  await page.getByRole("group", { name: "Form or preview" }).getByRole("button", { name: "Preview" }).click();
  await preview.getByText("Hello").first().waitFor();
  await expectNoOverflow(page);
  await expectAccessible(page);
});

browserTest("an error is said once after a pause, and the last good preview stays", async (context) => {
  await createWorkflow(client, "typing", [email({ subject: "Good", body: "<p>Fine</p>" })]);
  const page = await service.open(context, "/workflows/typing?step=email", { allow });
  const preview = page.getByRole("region", { name: "Preview" });
  await preview.getByText("Good").waitFor();
  await page.getByRole("textbox", { name: "Subject" }).fill("Good {{ payload.x | nope }}");
  await page.getByRole("textbox", { name: "Subject" }).and(page.locator("[aria-invalid=true]")).waitFor();
  await preview.getByText("last version without errors").waitFor();
  assert.equal(await preview.getByText("Good").isVisible(), true);
  assert.equal(await page.getByText(/undefined filter/).count(), 1);
});

browserTest("variables are completed by keyboard in every field, and inserted at the caret", async (context) => {
  const payloadSchema = { type: "object", properties: { order: { type: "string" }, total: { type: "number" } } };
  const digest = {
    name: "Digest",
    type: "digest" as const,
    controlValues: { type: "regular", amount: 1, unit: "hours" },
  };
  await createWorkflow(client, "complete", [digest, inApp({ body: "" }), email()], { payloadSchema });
  const page = await service.open(context, "/workflows/complete?step=in-app", { allow });
  const isTyped = Promise.withResolvers<void>();
  await page.route("**/v2/subscribers/ada", async (route) => {
    await isTyped.promise;
    await route.continue();
  });
  await chooseAda(page);
  const body = page.getByRole("textbox", { name: "Body" });
  await body.fill("");
  await body.pressSequentially("Total {{tot");
  const list = page.getByRole("listbox", { name: "Variables" });
  await list.getByRole("option", { name: /payload\.total/ }).waitFor();
  await expectAccessible(page);
  await page.keyboard.press("Enter");
  assert.equal(await body.inputValue(), "Total {{payload.total}}");
  await body.pressSequentially(" {{plan");
  isTyped.resolve();
  await list.getByRole("option", { name: /subscriber\.data\.plan\s*pro/ }).waitFor();
  await page.keyboard.press("Tab");
  assert.equal(await body.inputValue(), "Total {{payload.total}} {{subscriber.data.plan}}");
  await body.pressSequentially(" {{ payload.order | upc");
  await list.getByRole("option", { name: /upcase/ }).click();
  assert.match(await body.inputValue(), /\{\{ payload\.order \| upcase \}\}$/);
  await page.keyboard.press("Escape");

  const title = page.getByRole("textbox", { name: "Title" });
  await title.fill("New: ");
  await page.getByText(/^Variables \(\d+\)/).click();
  await page.getByRole("button", { name: "payload.order", exact: true }).click();
  assert.equal(await title.inputValue(), "New: {{payload.order}}");
  await title.fill("{{ payload.oder }}");
  await page.getByText("payload.oder is not in the payload schema. Did you mean payload.order?").waitFor();

  await page.goto(`${service.url}/workflows/complete?step=digest`);
  await page.getByRole("textbox", { name: "Group by" }).pressSequentially("ord");
  await list.getByRole("option", { name: /payload\.order/ }).waitFor();
  await page.keyboard.press("Enter");
  assert.equal(await page.getByRole("textbox", { name: "Group by" }).inputValue(), "payload.order");

  await page.goto(`${service.url}/workflows/complete?step=email`);
  const code = page.locator(".cm-content");
  await code.click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("{% for e in steps.digest.events %}{{ e.payl");
  await page.locator(".cm-tooltip-autocomplete").getByText("e.payload.order").waitFor();
  // Keys do nothing in the first moments of the list, so that typing chooses nothing.
  await page.locator(".cm-tooltip-autocomplete").getByText("e.payload.order").click();
  await eventually(async () => (await code.innerText()).includes("{{ e.payload.order }}"), "the closing braces");
});

browserTest("the subscriber who was typed is chosen, even if the list comes later", async (context) => {
  for (const [subscriberId, firstName] of [
    ["mia", "Mia"],
    ["miar", "Miar"],
  ] as const)
    await client("subscribers.create", { body: { subscriberId, firstName, lastName: "Moss" } });
  await createWorkflow(client, "choosing", [inApp({ body: "Hi" })]);
  const page = await service.open(context, "/workflows/choosing", { allow });
  const field = page.getByRole("combobox", { name: "Subscriber", exact: true });
  const isChosen = (name: string) =>
    eventually(async () => (await field.inputValue()) === name, `${name} to be chosen`);
  // The newest subscribers have been read.
  await page.locator("option[value=miar]").waitFor({ state: "attached" });
  const isTyped = Promise.withResolvers<void>();
  await page.route(/\/v2\/subscribers\?/, async (route) => {
    await isTyped.promise;
    await route.continue();
  });
  await field.fill("lovel");
  await field.press("Enter");
  isTyped.resolve();
  await isChosen("Ada Lovelace");
  // Another id begins with it, so it may be unfinished.
  const found = page.waitForResponse(/subscriberId=mia\b/);
  await field.fill("mia");
  await found;
  await field.press("End");
  await field.pressSequentially("r");
  await isChosen("Miar Moss");
  await field.fill("mia");
  await field.blur();
  await isChosen("Mia Moss");
  await field.fill("nobody at all");
  await field.blur();
  await isChosen("Mia Moss");
});

browserTest("a subscriber is added by hand", async (context) => {
  const page = await service.open(context, "/subscribers", { allow });
  await page.getByRole("button", { name: "Add subscriber" }).click();
  const dialog = page.getByRole("dialog", { name: "Add a subscriber" });
  await dialog.getByRole("textbox", { name: "Subscriber id" }).fill("ada");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await dialog.getByText("Another subscriber already has this id.").waitFor();
  await expectAccessible(page);
  await dialog.getByRole("textbox", { name: "Subscriber id" }).fill("joan");
  await dialog.getByRole("textbox", { name: "Email" }).fill("not an address");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await dialog.locator("[aria-invalid=true]").waitFor();
  await dialog.getByRole("textbox", { name: "Email" }).fill("joan@example.com");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await page.waitForURL(/\/subscribers\/joan/);
});

browserTest("the limit of steps is said before it is reached, and problems are one press away", async (context) => {
  const many = Array.from({ length: 20 }, (_, index) => ({ ...inApp({ body: "Hi" }), name: `Step ${index + 1}` }));
  await createWorkflow(client, "full", many);
  const page = await service.open(context, "/workflows/full", { allow });
  await page.getByText("A workflow can have up to 20 steps. Remove one to add another.").waitFor();
  assert.equal(await page.getByRole("button", { name: "Add step" }).isDisabled(), true);
  await createWorkflow(client, "broken", [inApp({ body: "Hi" }), email({ subject: "", body: "<p>Hi</p>" })]);
  await page.goto(`${service.url}/workflows/broken`);
  await page.getByRole("button", { name: "Has issues" }).click();
  await page.waitForURL(/step=email/);
  await page.getByRole("textbox", { name: "Subject" }).and(page.locator("[aria-invalid=true]:focus")).waitFor();
});

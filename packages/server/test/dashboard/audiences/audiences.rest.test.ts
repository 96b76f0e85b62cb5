// Audiences, in a browser: a rule is written, counted, corrected, saved, explained and kept as a list; a list is filled
// by paste and by file; one that is used cannot be deleted; a filter of subscribers and a condition of a step name one.
import assert from "node:assert/strict";
import { browserTest } from "@tidings/testkit/chromium";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import type { Page } from "playwright-core";
import { invite } from "../../app/members/browsers.ts";
import { expectAccessible, expectNoOverflow, narrow, openDashboard, ownerOf } from "../support.ts";

const service = await startTestService();
const { client } = service;
const plans = ["free", "pro", "team"];
const subscribers = Array.from({ length: 30 }, (_, n) => ({
  subscriberId: `user-${n}`,
  firstName: ["Ada", "Bob", "Cleo"][n % 3],
  lastName: `Number ${n}`,
  email: `user-${n}@example.com`,
  data: { plan: plans[n % 3], seats: n },
}));
await client("subscribers.createBulk", { body: { subscribers } });

const dialog = (page: Page) => page.getByRole("dialog");
const press = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true }).first().click();
const path = (page: Page) => page.getByRole("combobox", { name: "Value to compare" });
const value = (page: Page) => page.getByLabel("Compare with", { exact: true });
const save = (page: Page) => page.getByRole("button", { name: "Save", exact: true });
const counted = (page: Page, text: string) =>
  page.getByRole("status").getByText(text, { exact: true }).waitFor({ timeout: 10_000 });
const menu = async (page: Page, name: string, entry: string) => {
  await page.getByRole("button", { name: `Actions for ${name}`, exact: true }).click();
  await page.getByRole("menuitem", { name: entry }).click();
};

browserTest("a rule is written, counted, corrected, saved, explained and kept as a list", async (context) => {
  // The browser logs the refused rules.
  const page = await openDashboard(context, service, "/audiences", { allow: /422|409|404|503/ });
  await page.getByText("No audiences yet").waitFor();
  await expectAccessible(page);
  await page
    .getByRole("link", { name: "Write a rule" })
    .or(page.getByRole("button", { name: "Write a rule" }))
    .click();
  await page.getByText("Add a condition to see who matches.").waitFor();
  await page.getByLabel("Name", { exact: true }).fill("Teams of Bob");
  assert.equal(await page.getByLabel("Audience id").inputValue(), "teams-of-bob");
  await page.getByLabel("Description").fill("Who has more than one seat");
  await press(page, "Add a condition");
  await page.getByText("Choose a field for each condition to see who matches.").waitFor();
  await page.keyboard.type("data.plan");
  assert.equal(await path(page).inputValue(), "subscriber.data.plan", "typing goes on in the new line");
  await value(page).fill("team");
  await counted(page, "10 people");
  await page.getByText("People are in it when subscriber.data.plan is").waitFor();
  await page.getByText("Cheap to run").waitFor();
  await expectAccessible(page);

  await press(page, "Undo (Ctrl Z)");
  await eventually(async () => (await value(page).inputValue()) !== "team", "the value to be taken back");
  await press(page, "Redo (Ctrl Shift Z)");
  await eventually(async () => (await value(page).inputValue()) === "team", "the value to be back");
  await counted(page, "10 people");

  await path(page).fill("subscriber.emial");
  await page
    .getByText(/subscriber\.emial.*subscriber\.email/)
    .first()
    .waitFor();
  await value(page).fill("nobody");
  await save(page).click();
  await page
    .getByRole("alert")
    .getByText(/subscriber\.email/)
    .first()
    .waitFor();
  await expectAccessible(page);
  await path(page).fill("subscriber.email");
  await counted(page, "0 people");
  await page.getByText("Matches nobody.").waitFor();

  await path(page).fill("subscriber.data.plan");
  await value(page).fill("team");
  await counted(page, "10 people");
  let isDown = true;
  await page.route("**/v2/audiences", (route) =>
    isDown && route.request().method() === "POST" ? route.fulfill({ status: 503, body: "{}" }) : route.continue(),
  );
  await save(page).click();
  await page.getByText("Not saved").waitFor();
  await page.reload();
  await page.getByText("Your changes from before are back.").waitFor();
  assert.equal(await value(page).inputValue(), "team");
  isDown = false;
  await save(page).click();
  await page.getByRole("heading", { level: 1, name: "Teams of Bob" }).waitFor();
  await page.getByText("Audience created").waitFor();

  await page.getByRole("tab", { name: "People" }).click();
  await page.getByRole("table").getByText("Cleo Number 2", { exact: true }).waitFor();
  const why = page.getByRole("combobox", { name: "Person" });
  for (const [id, verdict] of [
    ["user-2", "Cleo Number 2 is in this audience"],
    ["user-1", "Bob Number 1 is not in this audience"],
  ] as const) {
    await why.fill(id);
    await why.press("Enter");
    await page.getByText(verdict, { exact: true }).waitFor();
  }
  await page.getByText("found: pro", { exact: true }).waitFor();
  await expectAccessible(page);

  await menu(page, "Teams of Bob", "Keep as a fixed list");
  await dialog(page).getByLabel("Name", { exact: true }).fill("Teams then");
  await dialog(page).getByLabel("Audience id").fill("teams-of-bob");
  await press(page, "Create list");
  await dialog(page).getByText("Another audience already has this id.").waitFor();
  await dialog(page).getByLabel("Audience id").fill("teams-then");
  await press(page, "Create list");
  await page.getByRole("heading", { level: 1, name: "Teams then" }).waitFor();
  await page.getByRole("status").getByText("10 people", { exact: true }).waitFor();
});

browserTest("a rule that matches everyone is asked back, and a used audience is not deleted", async (context) => {
  const rule = { "==": [{ var: "subscriber.data.plan" }, "pro"] };
  await client("audiences.create", { body: { audienceId: "paying", name: "Paying", rule } });
  const uses = { in: ["paying", { var: "audiences" }] };
  await client("audiences.create", { body: { audienceId: "reader", name: "Reader", rule: uses } });
  const page = await openDashboard(context, service, "/audiences/paying", {
    allow: /409/,
    viewport: narrow,
    colorScheme: "dark",
  });
  await counted(page, "10 people");
  await expectNoOverflow(page);
  await expectAccessible(page);
  await path(page).fill("subscriber.data.seats");
  await page.getByRole("combobox", { name: /^Comparison/ }).click();
  await page
    .getByRole("option", { name: "is at least", exact: true })
    .or(page.getByRole("option", { name: /at least/ }))
    .first()
    .click();
  await value(page).fill("0");
  await page.getByText("Matches everyone.").waitFor();
  await page.getByRole("link", { name: "Audiences", exact: true }).first().click();
  await dialog(page).getByText("Leave with unsaved changes?").waitFor();
  await press(page, "Stay");
  await save(page).click();
  await dialog(page).getByText("This rule matches everyone: 30 people").waitFor();
  await expectAccessible(page);
  await press(page, "Cancel");
  assert.deepEqual((await client("audiences.retrieve", { params: { audienceId: "paying" } })).body.rule, rule);
  await save(page).click();
  await press(page, "Save it anyway");
  await page.getByText("Audience saved").waitFor();

  await menu(page, "Paying", "Delete");
  await dialog(page).getByRole("button", { name: "Delete" }).click();
  await dialog(page).getByText("This audience is in use").waitFor();
  await dialog(page)
    .getByText(/reader/)
    .waitFor();
  await press(page, "Close");
  await page.goto(`${service.url}/audiences`);
  await page.getByRole("table").getByText("Reader", { exact: true }).waitFor();
  await expectNoOverflow(page);
  await expectAccessible(page);
  await menu(page, "Reader", "Delete");
  await dialog(page).getByRole("button", { name: "Delete" }).click();
  await page.getByText("Reader was deleted").waitFor();
  await menu(page, "Paying", "Delete");
  await dialog(page).getByRole("button", { name: "Delete" }).click();
  await page.getByText("Paying was deleted").waitFor();
});

browserTest("a list is filled by paste and by file, and emptied", async (context) => {
  const page = await openDashboard(context, service, "/audiences", { allow: /503/, colorScheme: "dark" });
  await page
    .getByRole("button", { name: "New audience" })
    .or(page.getByRole("button", { name: "Create a list" }))
    .first()
    .click();
  const entry = page.getByRole("menuitem", { name: /With a fixed list/ });
  await entry.or(dialog(page)).first().waitFor();
  if (await entry.isVisible()) await entry.click();
  await dialog(page).getByLabel("Name", { exact: true }).fill("Guests");
  await press(page, "Create");
  await page.getByText("No one is in this audience").waitFor();
  await expectAccessible(page);

  await press(page, "Add people");
  const ids = dialog(page).getByLabel("Subscriber ids");
  await ids.fill('user-1, "user-2"\nuser-2 nobody');
  let isDown = true;
  await page.route("**/v2/audiences/guests/members", (route) =>
    isDown ? route.fulfill({ status: 503, body: "{}" }) : route.continue(),
  );
  await press(page, "Add 3 ids");
  await dialog(page).getByText("The rest was not added. Press the button to continue.").waitFor();
  isDown = false;
  await press(page, "Add 3 ids");
  await dialog(page).getByText("1 id without a subscriber, not added:").waitFor();
  await page.getByText("2 people added").waitFor();
  await expectAccessible(page);
  const picture = { name: "guests.png", mimeType: "image/png", buffer: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff]) };
  await dialog(page).locator("input[type=file]").setInputFiles(picture);
  await dialog(page)
    .getByText(/^guests\.png is not a text file/)
    .waitFor();
  const buffer = Buffer.from('\uFEFFName;Subscriber ID\r\n"Bob; the 4th";user-4\r\nCleo;user-5\r\n');
  await dialog(page).locator("input[type=file]").setInputFiles({ name: "guests.csv", mimeType: "text/csv", buffer });
  await dialog(page).getByText("guests.csv: ids from the column Subscriber ID").waitFor();
  assert.equal(await ids.inputValue(), "user-4\nuser-5");
  await press(page, "Add 2 ids");
  await dialog(page).waitFor({ state: "detached" });
  await page.getByRole("status").getByText("4 people", { exact: true }).waitFor();

  await page.getByRole("checkbox", { name: "Select user-1", exact: true }).check();
  await press(page, "Remove from the list");
  await dialog(page).getByRole("button", { name: "Remove from the list" }).click();
  await page.getByText("1 person removed").waitFor();
  await page.getByRole("status").getByText("3 people", { exact: true }).waitFor();
  await menu(page, "Guests", "Edit name and description");
  await dialog(page).getByLabel("Description").fill("Who comes to the fair");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await page.getByText("Who comes to the fair").waitFor();
  await page.setViewportSize(narrow);
  await expectNoOverflow(page);
  await expectAccessible(page);

  await menu(page, "Guests", "Open in Subscribers");
  await page.getByRole("combobox", { name: "Audience: Guests" }).waitFor();
  await eventually(async () => (await page.getByRole("table").getByRole("link").count()) === 3, "the three of them");
  await expectNoOverflow(page);
  await expectAccessible(page);

  const { workflowId } = await createWorkflow(client, "hello", [inApp({ subject: "Hello" })]);
  await page.setViewportSize({ width: 1280, height: 860 });
  await page.goto(`${service.url}/workflows/${workflowId}`);
  await press(page, "Add a condition");
  await path(page).fill("audiences");
  await value(page).fill("guests");
  await page
    .getByText(/the subscriber is in the audience/)
    .or(page.getByText(/guests/))
    .first()
    .waitFor();
  await expectNoOverflow(page);
});

browserTest("a viewer reads audiences and changes none", async (context) => {
  const rule = { "==": [{ var: "subscriber.data.plan" }, "pro"] };
  await client("audiences.create", { body: { audienceId: "looked-at", name: "Looked at", rule } });
  const viewer = await invite(service, await ownerOf(service), "viewer");
  const page = await openDashboard(context, service, "/audiences/looked-at", {}, viewer);
  await page.getByText(/read-only access/).waitFor();
  await counted(page, "10 people");
  assert.equal(await save(page).count(), 0);
  assert.equal(await path(page).isEditable(), false);
  await expectAccessible(page);
});

// Activity and run, in a browser.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { deciders } from "../../../dashboard/src/screens/activity/deciders.ts";
import { details } from "../../src/pipeline/rules/details.ts";
import { browserTest } from "../support/chromium.ts";
import { startTestService } from "../support/service.ts";
import { settled, trigger } from "../support/verbs.ts";
import { type Seeded, seedCompany } from "./seed.ts";
import { backgroundOf, expectAccessible, expectNoOverflow, narrow, openDashboard } from "./support.ts";

const service = await startTestService();
let seeded: Seeded;

before(async () => {
  seeded = await seedCompany(service.client, { crowd: 25 });
  for (const id of [seeded.shipped, seeded.failed, seeded.skipped]) await settled(service.client, id);
});

test("every decider is the text of an execution detail", () => {
  const texts = new Set<string>(Object.values(details).map(({ text }) => text));
  assert.deepEqual(
    Object.keys(deciders).filter((text) => !texts.has(text)),
    [],
  );
});

browserTest("an event appears by itself, with its outcome in a sentence", async (context) => {
  const page = await openDashboard(context, service, "/activity?workflow=invoice-paid");
  const rows = page.getByRole("list", { name: "Events" }).getByRole("link");
  await rows.first().waitFor();
  const count = await rows.count();
  await trigger(service.client, "invoice-paid", "radia", { invoice: "9" });
  await rows.nth(count).waitFor();
  await rows.first().getByText("Radia Perlman").waitFor();
  await expectAccessible(page);
});

browserTest("filters are in the address, and a link with them shows the same", async (context) => {
  const page = await openDashboard(context, service, "/activity");
  const rows = page.getByRole("list", { name: "Events" }).getByRole("link");
  await page.getByRole("combobox", { name: /^Outcome/ }).click();
  await page.getByRole("option", { name: "Failed" }).click();
  await page.waitForURL(/outcome=failed/);
  await page.getByRole("combobox", { name: /^Workflow/ }).click();
  await page.getByRole("option", { name: "Login code" }).click();
  await page.waitForURL(/workflow=login-code/);
  await rows.getByText("Katherine Johnson").waitFor();
  assert.equal(await rows.count(), 1);
  await page.reload();
  await rows.getByText("Katherine Johnson").waitFor();
  await page.getByRole("searchbox").fill("no such person");
  await page.getByText("No events match these filters").waitFor();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await rows.nth(5).waitFor();
  await page.goBack();
  await page.getByText("No events match these filters").waitFor();
});

browserTest("a run says who decided, and leads to where it can be changed", async (context) => {
  const page = await openDashboard(context, service, "/activity?person=grace&workflow=order-shipped");
  await page.getByRole("link", { name: /Order shipped/ }).click();
  await page.getByText("email was not sent: subscriber turned email off").first().waitFor();
  await page.getByText("Decided by the person's own preference").waitFor();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Change in the preferences" }).click();
  await page.waitForURL(/people\/grace\?.*tab=preferences/);
});

browserTest("a run shows attempts, content without scripts, details and a curl", async (context) => {
  const page = await openDashboard(context, service, `/activity/${seeded.shipped}`, {
    permissions: ["clipboard-read", "clipboard-write"],
  });
  await page.getByRole("table", { name: "Attempts" }).getByText("accepted").waitFor();
  await page.getByText("Content").last().click();
  const letter = page.frameLocator("iframe").frameLocator("iframe");
  await letter.getByRole("heading", { name: "It is on its way" }).waitFor();
  const inner = page.frameLocator("iframe").locator("iframe");
  assert.equal(await inner.getAttribute("sandbox"), "");
  assert.equal(
    await letter.getByRole("link", { name: "Open" }).evaluate(backgroundOf),
    "rgb(15, 118, 110)",
    "styles of the mail apply",
  );
  await page
    .getByText(/execution details/)
    .last()
    .click();
  await page
    .getByText(/^Message sent/)
    .last()
    .waitFor();
  await page.getByRole("button", { name: "Copy as curl" }).click();
  const copied = (await page.evaluate("navigator.clipboard.readText()")) as string;
  assert.match(copied, /^curl -X POST 'http.*\/v1\/events\/trigger'/);
  assert.match(copied, /"order": "T-1045"/);
});

browserTest("an event can be triggered again with another payload", async (context) => {
  const page = await openDashboard(context, service, `/activity/${seeded.shipped}`);
  await page.getByRole("button", { name: "Run again" }).click();
  const field = page.getByRole("textbox", { name: "Payload" });
  await field.fill("{");
  assert.ok(await page.getByRole("button", { name: "Trigger event" }).isDisabled());
  await field.fill('{ "order": "T-2000" }');
  await page.getByRole("button", { name: "Trigger event" }).click();
  await page.waitForURL(/activity\/txn_/);
  await page.getByText("Order T-2000").first().waitFor();
});

browserTest("an event to a topic pages through its people", async (context) => {
  const page = await openDashboard(context, service, `/activity/${seeded.toTopic}`, { viewport: narrow });
  const people = page.getByRole("list", { name: "People" }).getByRole("link");
  await people.nth(19).waitFor();
  await page.getByRole("button", { name: "Next" }).click();
  await page.waitForURL(/page=1/);
  await people.first().click();
  await page.getByText("Event accepted").waitFor();
  await expectNoOverflow(page);
  await expectAccessible(page);
});

browserTest("an unknown transaction says so, and where to look", async (context) => {
  const page = await openDashboard(context, service, "/activity/none");
  await page.getByText("This environment has no event with this transaction id").waitFor();
});

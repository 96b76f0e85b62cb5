// Activity and run, in a browser.
import assert from "node:assert/strict";
import { before } from "@tidings/testkit/at-end";
import { browserTest } from "@tidings/testkit/chromium";
import { startTestService } from "@tidings/testkit/service";
import { inApp, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { invite } from "../app/members/browsers.ts";
import { type Seeded, seedCompany } from "./seed.ts";
import { backgroundOf, expectAccessible, expectNoOverflow, narrow, openDashboard, ownerOf } from "./support.ts";

const service = await startTestService();
let seeded: Seeded;

before(async () => {
  seeded = await seedCompany(service.client, { crowd: 25 });
  for (const id of [seeded.shipped, seeded.failed, seeded.skipped]) await settled(service.client, id);
});

browserTest("an event appears by itself, with its outcome in a sentence", async (context) => {
  const allow = /Failed to load resource/;
  const page = await openDashboard(context, service, "/activity?workflow=invoice-paid", { allow });
  const rows = page.getByRole("list", { name: "Events" }).getByRole("link");
  await rows.first().waitFor();
  const count = await rows.count();
  await trigger(service.client, "invoice-paid", "radia", { invoice: "9" });
  await rows.nth(count).waitFor();
  await rows.first().getByText("Radia Perlman").waitFor();
  await expectAccessible(page);
  await page.route("**/v1/**", (route) => route.abort());
  await page.getByRole("button", { name: "Not live" }).waitFor();
  await eventually(async () => (await page.getByText("cannot be reached").count()) === 1, "said once");
  await page.unroute("**/v1/**");
  await page.getByRole("button", { name: "Live", exact: true }).waitFor();
});

browserTest("a search keeps what it found while events flow, and looks further by itself", async (context) => {
  const { client } = service;
  await client("workflows.create", {
    body: { name: "Noise", workflowId: "noise", active: true, steps: [inApp({ body: "n" })] },
  });
  await trigger(client, "invoice-paid", "radia", { note: "needle-77" });
  // One request examines 2,000 events.
  const noise = (count: number) => Array.from({ length: count }, () => ({ name: "noise", to: "noisy", payload: {} }));
  for (let sent = 0; sent < 2_100; sent += 100) await client("events.triggerBulk", { body: { events: noise(100) } });
  const page = await openDashboard(context, service, "/activity");
  let polls = 0;
  page.on("response", (response) => {
    if (/search=needle-77/.test(response.url()) && !/cursor=/.test(response.url())) polls++;
  });
  await page.getByRole("searchbox").fill("needle-77");
  await page.waitForURL(/[?&]q=needle-77/);
  const rows = page.getByRole("list", { name: "Events" }).getByRole("link");
  await rows.getByText("Radia Perlman").waitFor();
  const read = polls;
  // Three more readings of the newest page, each with events in it that were not there before.
  await eventually(async () => {
    await client("events.triggerBulk", { body: { events: noise(20) } });
    assert.equal(await rows.count(), 1, "the find stays");
    assert.equal(await page.getByText("No events match").count(), 0);
    return polls >= read + 3;
  }, "three readings");
});

browserTest("a search says how far it came, and asks before it goes on", async (context) => {
  const page = await openDashboard(context, service, "/activity");
  const asked = { rare: 0, other: 0 };
  await page.route(/v1\/activity\/events.*search=(rare|other)/, (route) => {
    const which = /search=rare/.test(route.request().url()) ? "rare" : "other";
    if (/cursor=/.test(route.request().url())) asked[which]++;
    return route.fulfill({
      json: { data: [], next: "x", scannedTo: "2026-03-01T18:37:00.000Z", scannedFrom: "2026-03-02T00:00:00.000Z" },
    });
  });
  for (const which of ["rare", "other"] as const) {
    await page.getByRole("searchbox").fill(which);
    await eventually(() => asked[which] === 10, "each search to go on by itself for ten pages");
    await page.getByText(/^Searched back to .*, nothing yet$/).waitFor();
    assert.equal(asked[which], 10, "and no further");
    assert.equal(await page.getByText("No events match").count(), 0);
  }
  await page.getByRole("button", { name: "Keep searching" }).click();
  await eventually(() => asked.other === 20, "ten pages more");
  await page.getByText(/^Searched back to .*, nothing yet$/).waitFor();
});

browserTest("Back leads to the same place, and rows do not move under the pointer", async (context) => {
  const page = await openDashboard(context, service, "/activity?workflow=noise");
  const rows = page.getByRole("list", { name: "Events" }).getByRole("link");
  await rows.first().waitFor();
  // Further down than the first page reaches.
  await eventually(async () => {
    await page.evaluate("scrollTo(0, document.body.scrollHeight)");
    return ((await page.evaluate("scrollY")) as number) > 6_000;
  }, "a long list");
  // A click scrolls to a row that is not in sight.
  await rows.nth(20).hover();
  const before = (await page.evaluate("scrollY")) as number;
  await rows.nth(20).click();
  await page.waitForURL(/activity\/txn_/);
  await page.goBack();
  await eventually(async () => Math.abs(((await page.evaluate("scrollY")) as number) - before) < 5, "the same place");
  await rows.nth(20).click();
  await page.getByRole("link", { name: "Activity" }).first().waitFor();
  await page.getByRole("main").getByRole("link", { name: "Activity" }).click();
  await page.waitForURL(/activity\?workflow=noise/);
  await eventually(async () => (await page.evaluate("scrollY")) === 0, "the top");
  await rows.first().hover();
  const first = await rows.first().getAttribute("href");
  await trigger(service.client, "noise", "noisy");
  await page.getByRole("button", { name: "1 new event" }).waitFor();
  assert.equal(await rows.first().getAttribute("href"), first);
  await page.mouse.move(5, 5);
  await eventually(async () => (await rows.first().getAttribute("href")) !== first, "the new row");
});

browserTest("the keyboard moves through the list, which is one stop of the Tab key", async (context) => {
  const page = await openDashboard(context, service, "/activity");
  const rows = page.getByRole("list", { name: "Events" }).getByRole("link");
  await rows.first().waitFor();
  const place = () => page.evaluate("document.activeElement.dataset.row");
  await page.getByRole("button", { name: "Skip to the events" }).focus();
  await page.keyboard.press("Enter");
  assert.equal(await place(), "0");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await eventually(async () => (await place()) === "1", "the second row");
  // The last one was not drawn at first.
  for (const row of ["11", "21", "31", "41"]) {
    await page.keyboard.press("PageDown");
    await eventually(async () => (await place()) === row, `row ${row}`);
  }
  await page.keyboard.press("Home");
  await eventually(async () => (await place()) === "0", "the first row");
  await page.keyboard.press("Shift+Tab");
  assert.equal(await place(), undefined, "one stop");
  await page.getByRole("searchbox").press("ArrowDown");
  assert.equal(await place(), "0", "from the search to the list");
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
  await page.getByRole("searchbox").fill("no such subscriber");
  await page.getByText("No events match these filters").waitFor();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await rows.nth(5).waitFor();
  await page.goBack();
  await page.getByText("No events match these filters").waitFor();
});

browserTest("a run says who decided, and leads to where it can be changed", async (context) => {
  const page = await openDashboard(context, service, "/activity?person=grace&workflow=order-shipped");
  await page.waitForURL(/activity\?.*subscriber=grace/);
  await page.getByRole("link", { name: /Order shipped/ }).click();
  await page.getByText("email was not sent: subscriber turned email off").first().waitFor();
  await page.getByText("Grace Hopper turned this off").waitFor();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Open their preferences" }).click();
  await page.waitForURL(/subscribers\/grace\?.*tab=preferences/);
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

browserTest("support sends one email again after a question, and cannot run the event again", async (context) => {
  const support = await invite(service, await ownerOf(service), "support");
  const page = await openDashboard(context, service, `/activity/${seeded.shipped}`, {}, support);
  await page.getByText("Event accepted").waitFor();
  assert.equal(await page.getByRole("button", { name: "Run again" }).count(), 0, "the role may not");
  await page.getByRole("button", { name: "Send this email again" }).click();
  const dialog = page.getByRole("dialog", { name: "Send this email again?" });
  await dialog.getByText(/It will be sent to .+ \(.+@.+\) in Development\. Only this step is sent/).waitFor();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText("Sent again by The support").waitFor();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Send this email again" }).waitFor();
});

browserTest("an event to a topic pages through its subscribers", async (context) => {
  const page = await openDashboard(context, service, `/activity/${seeded.toTopic}`, { viewport: narrow });
  const recipients = page.getByRole("list", { name: "Subscribers" }).getByRole("link");
  await recipients.nth(19).waitFor();
  await page.getByRole("button", { name: "Next" }).click();
  await page.waitForURL(/page=1/);
  await recipients.first().click();
  await page.getByText("Event accepted").waitFor();
  await expectNoOverflow(page);
  await expectAccessible(page);
});

browserTest("an unknown transaction says so, and where to look", async (context) => {
  const page = await openDashboard(context, service, "/activity/none");
  await page.getByText("This environment has no event with this transaction id").waitFor();
});

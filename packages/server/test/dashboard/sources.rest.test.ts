// Sources, in a browser: a database is added, emptied, paused, locked out, repaired and deleted; a refused call is
// replayed.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { outboxSql } from "@tidings/contract";
import { browserTest } from "@tidings/testkit/chromium";
import { createTestDatabase } from "@tidings/testkit/database";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import type { Page } from "playwright-core";
import { invite } from "../app/members/browsers.ts";
import { openShop, subjectsOf, withClient } from "../pipeline/sources/shop.ts";
import { expectAccessible, expectNoOverflow, narrow, openDashboard, ownerOf } from "./support.ts";

const service = await startTestService();
const { client } = service;
await createWorkflow(client, "shipped", [inApp({ subject: "Order {{ payload.order }}", body: "Shipped" })]);

/** The figure with this name on the page of a source. */
const figure = (page: Page, name: string) =>
  page
    .locator("dl > div", { has: page.getByText(name, { exact: true }) })
    .locator("dd")
    .first();
const heading = (page: Page) => page.getByRole("heading", { level: 1 });
const confirm = (page: Page, name: string) => page.getByRole("dialog").getByRole("button", { name }).click();

/** The types of a browser are not part of the server's. */
const fitsItsBox = (box: unknown): boolean => {
  const { scrollWidth, clientWidth } = box as { scrollWidth: number; clientWidth: number };
  return scrollWidth <= clientWidth;
};

browserTest("a source is added, emptied, paused, locked out, repaired and deleted", async (context) => {
  const customer = await createTestDatabase({ isEmpty: true });
  context.after(() => customer.drop());
  const role = `relay_${randomBytes(4).toString("hex")}`;
  const asOwner = (text: string, values?: unknown[]) =>
    withClient(customer.url, (database) => database.query(text, values));
  await asOwner(`create role ${role} login password 'first#1'`);
  const addressWith = (password: string) => {
    const url = new URL(customer.url);
    return Object.assign(url, { username: role, password: encodeURIComponent(password) }).href;
  };

  // The browser logs the 422 for a refused address.
  const page = await openDashboard(context, service, "/sources", { allow: /422/ });
  await page.getByText("No sources yet").waitFor();
  await page.getByText("tidings grant-sql shop --environment development").waitFor();
  await page.getByText("tidings outbox install").waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Add source" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Orders");
  const address = dialog.getByLabel("Address", { exact: true });
  await address.fill("postgresql://tidings:a#b@db/shop");
  await dialog.getByText("Not a complete address yet").waitFor();
  await address.fill(addressWith("wrong"));
  assert.equal(await address.getAttribute("type"), "password");
  await dialog.getByLabel("Parts of the address").getByText(role).waitFor();
  await dialog.getByLabel("Show address").check();
  assert.equal(await address.getAttribute("type"), "text");
  await page.keyboard.press("Enter");
  await dialog
    .getByRole("alert")
    .getByText(/password authentication failed/)
    .waitFor();
  assert.equal(await address.getAttribute("aria-invalid"), "true");
  await expectAccessible(page);
  await address.fill(addressWith("first#1"));
  await dialog.getByRole("button", { name: "Add source" }).click();
  await dialog.getByText(/There is no table tidings\.outbox: run `tidings outbox install`/).waitFor();
  await asOwner(outboxSql());
  await asOwner(`grant usage on schema tidings to ${role}; grant select, update, delete on tidings.outbox to ${role}`);
  const seen = Promise.withResolvers<void>();
  await page.route("**/v2/sources", async (route) => {
    if (route.request().method() === "POST") await seen.promise;
    await route.continue();
  });
  await dialog.getByRole("button", { name: "Add source" }).click();
  await dialog
    .getByRole("status")
    .getByText(/can take 10 seconds/)
    .waitFor();
  assert.ok(await dialog.getByRole("button", { name: "Checking the connection …" }).isDisabled());
  seen.resolve();
  await heading(page).getByText("No events yet").waitFor();

  const trigger = (order: number) => asOwner("select tidings.trigger('shipped', 'ada', $1)", [{ order }]);
  for (const order of [1, 2, 3]) await trigger(order);
  await heading(page).getByText("Healthy").waitFor();
  await eventually(async () => (await figure(page, "Accepted").textContent()) === "3", "the count on the page");
  await eventually(async () => /^[\d.]+\/s$/.test((await figure(page, "Rate").textContent())!), "a rate");
  await expectAccessible(page);

  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByText(/what they trigger waits there until you resume/).waitFor();
  await confirm(page, "Pause");
  await heading(page).getByText("Paused").waitFor();
  await eventually(async () => {
    const text = "select 1 from pg_stat_activity where usename = $1";
    return (await asOwner(text, [role])).rowCount === 0;
  }, "the relay to leave");
  await trigger(4);
  await page.getByRole("button", { name: "Check now" }).click();
  await page.getByText("1 event waits in it.").waitFor();
  await eventually(async () => (await figure(page, "Waiting").textContent()) === "1", "what waits");
  const lag = await figure(page, "Lag").textContent();
  await eventually(async () => (await figure(page, "Lag").textContent()) !== lag, "the lag to grow");
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByText(/At least 1 event waited at the last count/).waitFor();
  await confirm(page, "Resume");
  await eventually(async () => (await figure(page, "Accepted").textContent()) === "4", "the fourth");
  assert.deepEqual(await subjectsOf(client, "ada"), ["Order 1", "Order 2", "Order 3", "Order 4"]);

  await asOwner(`alter role ${role} password 'second'`);
  await customer.disconnectAll();
  await heading(page).getByText("Failing").waitFor();
  await page.getByText(/The database cannot be read: password authentication failed/).waitFor();
  await page.getByText(/enter its current address/).waitFor();
  await page.getByRole("button", { name: "Check now" }).click();
  await page
    .getByRole("status")
    .getByText(/The database could not be read: password/)
    .waitFor();
  await page.setViewportSize(narrow);
  await expectNoOverflow(page);
  await expectAccessible(page);
  await page.goto(service.url);
  await page.getByText("The source Orders cannot be read").waitFor();
  await page.goto(`${service.url}/sources`);
  await page
    .getByRole("table")
    .getByText(/password authentication failed/)
    .waitFor();
  await expectNoOverflow(page);
  await expectAccessible(page);
  await page.getByRole("link", { name: /^Orders/ }).click();

  await page.getByRole("button", { name: "Actions for Orders" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await dialog.getByText(/Leave empty to keep .* and its password/).waitFor();
  assert.equal(await address.inputValue(), "");
  await dialog.getByLabel("Name").fill("Shop orders");
  await address.fill(addressWith("second"));
  assert.ok(await dialog.evaluate(fitsItsBox), "the dialog scrolls sideways");
  await dialog.getByRole("button", { name: "Save" }).click();
  await heading(page).getByText("Shop orders").waitFor();
  await heading(page).getByText("Healthy").waitFor();
  await trigger(5);
  await eventually(async () => (await figure(page, "Accepted").textContent()) === "5", "the fifth");

  await page.getByRole("button", { name: "Actions for Shop orders" }).click();
  await page.getByRole("menuitem", { name: "Delete source" }).click();
  await page.getByText(/stays in the outbox of that database and is not sent/).waitFor();
  await confirm(page, "Delete source");
  await page.getByText("No sources yet").waitFor();
});

browserTest("roles of the local source are shown, and a refused call is replayed", async (context) => {
  const shop = await openShop(service);
  await shop.query("select tidings.trigger('shipped', '{\"subscriberId\": \"not valid!\"}', '{\"order\": 9}')");
  const page = await openDashboard(context, service, "/sources", { viewport: narrow });
  await page.getByText(`role ${shop.role}`).waitFor();
  await expectNoOverflow(page);
  await page.getByRole("link", { name: /^This database/ }).click();
  await page.getByRole("list", { name: "Roles" }).getByText(shop.role).waitFor();
  await page.getByText(`tidings grant-sql ${shop.role} --revoke`).waitFor();
  await page.getByRole("button", { name: "Actions for This database" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).waitFor();
  assert.equal(await page.getByRole("menuitem", { name: "Delete source" }).count(), 0);
  await page.keyboard.press("Escape");
  await expectNoOverflow(page);
  await expectAccessible(page);
  await eventually(async () => /^1/.test((await figure(page, "Refused").textContent())!), "the refused call");

  await page.getByRole("link", { name: "View failed tasks" }).click();
  const calls = page.getByRole("button", { name: /^Call by SQL refused · shipped/ });
  await calls.click();
  await page.getByRole("link", { name: "This database" }).waitFor();
  await page.getByText(/^sql_[0-9a-f]{32}$/).waitFor();
  await expectNoOverflow(page);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Try again" }).click();
  await eventually(async () => (await calls.count()) === 2, "the call that was refused again");

  const viewer = await invite(service, await ownerOf(service), "viewer");
  const theirs = await openDashboard(context, service, "/sources", {}, viewer);
  await theirs.getByRole("link", { name: /^This database/ }).click();
  await theirs.getByText(/read-only access/).waitFor();
  assert.equal(await theirs.getByRole("button", { name: /Pause|Check now|Actions for This/ }).count(), 0);
});

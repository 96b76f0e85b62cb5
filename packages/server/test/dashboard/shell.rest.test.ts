// The frame around the screens of the dashboard, in a browser.
import assert from "node:assert/strict";
import { before } from "@tidings/testkit/at-end";
import { browserTest } from "@tidings/testkit/chromium";
import { startPrefixProxy } from "@tidings/testkit/proxies/prefix-proxy";
import { startTestService } from "@tidings/testkit/service";
import { trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { seedCompany } from "./seed.ts";
import { expectAccessible, expectNoOverflow, narrow, openDashboard } from "./support.ts";

const service = await startTestService();

before(() => seedCompany(service.client, { crowd: 3 }));

browserTest("every screen of the navigation is accessible", async (context) => {
  const page = await openDashboard(context, service, "/");
  for (const name of ["Activity", "Workflows", "Subscribers", "Integrations", "Home"]) {
    await page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
    await page.getByRole("heading", { level: 1, name }).waitFor();
    await expectAccessible(page);
  }
});

browserTest("the palette finds screens, subscribers, workflows and transactions", async (context) => {
  const page = await openDashboard(context, service, "/workflows");
  const search = async (text: string, found: RegExp) => {
    await page.keyboard.press("Control+k");
    const field = page.getByRole("combobox", { name: "Search or jump to" });
    await field.fill(text);
    await page.getByRole("option", { name: found }).first().waitFor();
  };
  await search("activ", /Activity/);
  await page.keyboard.press("Enter");
  await page.waitForURL("**/activity");
  await search("katherine@example.com", /Katherine Johnson/);
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await page.getByRole("combobox", { name: "Search or jump to" }).waitFor({ state: "detached" });
  await search("trial", /Trial ends/);
  await page.keyboard.press("Escape");
  await search("order-T-1045", /Open transaction order-T-1045/);
  await page.getByRole("option", { name: /Open transaction order-T-1045/ }).click();
  await page.waitForURL("**/activity/order-T-1045");
});

browserTest(
  "the palette finds subscribers by name, orders, and what can be done; no key is lost while it opens",
  async (context) => {
    const { client } = service;
    await client("workflows.patch", { params: { workflowId: "order-shipped" }, body: { searchKeys: ["order"] } });
    await client("subscribers.createBulk", {
      body: {
        subscribers: [1, 2].map((number) => ({
          subscriberId: `twin-${number}`,
          firstName: "Mary",
          lastName: "Twin",
          email: `mary${number}@example.com`,
        })),
      },
    });
    await client("layouts.create", { body: { layoutId: "brand-mail", name: "Brand mail" } });
    const ordered = await trigger(client, "order-shipped", "ada", { order: "K-4711" });
    const page = await openDashboard(context, service, "/workflows");
    await page.getByText("Order shipped").first().waitFor();
    const field = page.getByRole("combobox", { name: "Search or jump to" });
    const option = (name: RegExp | string) => page.getByRole("option", { name });
    await page.keyboard.press("Control+k");
    await page.keyboard.type("mary twin");
    await eventually(async () => (await field.inputValue()) === "mary twin", "all keys");
    await option(/Mary Twin mary1@example.com/).waitFor();
    await option(/Mary Twin mary2@example.com/).waitFor();
    await expectAccessible(page);
    await field.fill("mary2@");
    await option(/mary1@/).waitFor({ state: "detached" });
    await option(/mary2@example.com/).waitFor();
    // Not to what was found for an earlier text.
    await field.fill("grace hop");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/subscribers/grace");
    await page.keyboard.press("Control+k");
    await field.fill("k-4711");
    await option(/Order K-4711 · Order shipped/).waitFor();
    assert.equal(await page.getByRole("option").last().innerText(), "Search “k-4711” in activity →");
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/activity/${ordered}`);
    await page.keyboard.press("Control+k");
    await field.fill("4711");
    await page.keyboard.press("Enter");
    await page.waitForURL(/activity\?q=4711$/);
    await page.keyboard.press("Control+k");
    await field.fill("brand");
    await option(/Brand mail/).waitFor();
    await field.fill("switch");
    await option("Switch environment to Production").waitFor();
    await field.fill("dark");
    await option("Theme: dark").click();
    assert.equal(await page.evaluate("document.documentElement.dataset.theme"), "dark");
    await page.keyboard.press("Control+k");
    await field.fill("new work");
    await option("New workflow").click();
    await page.getByRole("dialog").getByRole("textbox", { name: "Name" }).waitFor();
  },
);

browserTest("the theme stays, and both are readable", async (context) => {
  const page = await openDashboard(context, service, "/activity", { colorScheme: "light" });
  const background = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
  const light = await background();
  await page.getByRole("button", { name: /^Account/ }).click();
  await page.getByRole("menuitemcheckbox", { name: "Dark" }).click();
  await eventually(async () => (await background()) !== light, "the dark theme");
  await page.reload();
  await page.getByRole("heading", { level: 1 }).waitFor();
  assert.notEqual(await background(), light, "after a reload");
  await expectAccessible(page);
});

browserTest("the environment is part of the address, and production is marked", async (context) => {
  const page = await openDashboard(context, service, "/workflows");
  await page.getByText("Order shipped").first().waitFor();
  await page.getByRole("button", { name: "Environment: Development" }).click();
  await page.getByRole("menuitemcheckbox", { name: /Production/ }).click();
  await page.getByRole("button", { name: "Environment: Production" }).waitFor();
  assert.match(page.url(), /\/workflows\?env=/);
  await page.getByRole("navigation").getByRole("link", { name: "Subscribers" }).click();
  await page.waitForURL(/subscribers\?env=/);
  await expectAccessible(page);
});

browserTest("it is usable on a phone", async (context) => {
  const page = await openDashboard(context, service, "/activity", { viewport: narrow });
  await page
    .getByRole("link", { name: /Order shipped/ })
    .first()
    .waitFor();
  await expectNoOverflow(page);
  await page.getByRole("button", { name: "Open navigation" }).click();
  await page.getByRole("dialog").getByRole("link", { name: "Workflows" }).click();
  await page.getByRole("heading", { level: 1, name: "Workflows" }).waitFor();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await expectNoOverflow(page);
  await expectAccessible(page);
});

browserTest("it works below a path of a proxy", async (context) => {
  const url = await startPrefixProxy(service);
  const page = await openDashboard(context, { ...service, url }, "/activity");
  await page
    .getByRole("link", { name: /Order shipped/ })
    .first()
    .click();
  await page.waitForURL("**/tidings/activity/*");
  await page.getByText("Event accepted").waitFor();
});

browserTest("a list opens that was loaded while the mouse was down", async (context) => {
  const page = await openDashboard(context, service, "/activity");
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  await page.route(/\/chunks\/popups-/, async (route) => {
    await isReleased;
    await route.continue();
  });
  await page.reload();
  const list = page.getByRole("combobox", { name: /^Outcome/ });
  await list.hover();
  await page.mouse.down();
  const button = await list.elementHandle();
  release();
  await page.waitForFunction((before) => !(before as unknown as { isConnected: boolean }).isConnected, button);
  await page.mouse.up();
  await page.getByRole("option").first().click();
  await page.getByRole("listbox").waitFor({ state: "detached" });
});

browserTest("a menu has its size from its first frame on, for those who want no motion", async (context) => {
  const page = await openDashboard(context, service, "/activity");
  const button = page.getByRole("button", { name: "Environment: Development" });
  await button.click();
  await page.getByRole("menu").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("menu").waitFor({ state: "detached" });
  const sizes = page.evaluate(`new Promise((resolve) => {
    const seen = [];
    const watch = () => {
      const box = document.querySelector("[role=menu]")?.getBoundingClientRect();
      if (box) seen.push(box.width + " × " + box.height);
      if (seen.length === 5) resolve(seen);
      else requestAnimationFrame(watch);
    };
    watch();
  })`) as Promise<string[]>;
  await button.click();
  assert.equal(new Set(await sizes).size, 1, (await sizes).join(", "));
});

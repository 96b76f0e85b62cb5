// The widget in a real Chromium: lost connections, several tabs, the keyboard, assistive technology, right to left.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { browserTest, openBrowser } from "@tidings/testkit/chromium";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import type { Page } from "playwright-core";
import { countStreams, openHost } from "./host-page.ts";

const service = await startTestService();
const { client } = service;
const values = { subject: "{{ payload.title }}", body: "See <a href='https://example.com'>this</a> and <b>that</b>" };
const button = { primaryAction: { label: "Accept" }, secondaryAction: { label: "Later" } };
await createWorkflow(client, "note", [inApp(values), email()], { name: "Notes", tags: ["team"] });
await createWorkflow(client, "ask", [inApp({ ...values, ...button })], { name: "Questions", severity: "high" });

const note = (to: string, title: string) => trigger(client, "note", to, { title });
const row = (page: Page, title: string) => page.locator(".item", { hasText: title });
const streams = (count: number) =>
  eventually(async () => (await countStreams(service)) === count, `${count} streams`, 30_000);

browserTest("a service that is out of reach is not the fault of the person's connection", async (context) => {
  await note("hope", "Before");
  const page = await openHost(context, service, "hope", { hasErrors: true });
  await row(page, "Before").waitFor();
  await page.route("**/v1/inbox/**", (route) => route.abort());
  await page.reload();
  await page.locator(".bell").click();
  await page.getByText("Notifications can't be reached. Retrying…").waitFor();
  await page.getByRole("button", { name: "Try again" }).waitFor();
  await page.unroute("**/v1/inbox/**");
  await row(page, "Before").waitFor();
});

browserTest("a refused session: one sentence for people, the reason for developers", async (context) => {
  const page = await openHost(context, service, "ivy", { hasErrors: true, isOpened: false });
  const errors: string[] = [];
  page.on("console", (message) => errors.push(message.text()));
  await page
    .locator("tidings-inbox")
    .evaluate((element: unknown) =>
      (element as { setAttribute: (name: string, value: string) => void }).setAttribute(
        "subscriber-hash",
        "0".repeat(64),
      ),
    );
  await page.locator(".bell").click();
  await page.getByText("Notifications aren't available right now").waitFor();
  assert.equal(await page.getByRole("button", { name: "Try again" }).count(), 0);
  assert.equal(await page.getByText("INBOX_HASH_WRONG").count(), 0);
  await eventually(() => errors.some((text) => /subscriberHash.*INBOX_HASH_WRONG/.test(text)), "the reason");
});

browserTest("where a proxy lets no stream through, the list is read again from time to time", async (context) => {
  const browser = await openBrowser(context);
  let refused = 0;
  await browser.route("**/v1/inbox/stream*", (route) => {
    refused++;
    return route.fulfill({ contentType: "text/html", body: "<p>A page of the proxy</p>" });
  });
  // Its timers are moved on by the test: three attempts, then half a minute between two readings.
  await browser.clock.install();
  const page = await openHost(context, service, "gus", { browser });
  await page.getByText("You're all caught up").waitFor();
  await note("gus", "Without a stream");
  const isShown = async () => {
    await page.clock.fastForward(40_000);
    return row(page, "Without a stream").isVisible();
  };
  await eventually(isShown, "the list to be read again", 30_000);
  assert.ok(refused >= 3);
});

browserTest("the tabs of a browser share one stream; when its tab closes, another one takes over", async (context) => {
  await streams(0);
  const browser = await openBrowser(context);
  const first = await openHost(context, service, "bea", { browser });
  await streams(1);
  const second = await openHost(context, service, "bea", { browser });
  const third = await openHost(context, service, "bea", { browser });
  for (const page of [second, third]) await page.getByText("You're all caught up").waitFor();
  await note("bea", "For all");
  for (const page of [first, second, third]) await row(page, "For all").waitFor();
  assert.equal(await countStreams(service), 1);
  await row(third, "For all").hover();
  await row(third, "For all").getByRole("button", { name: "Mark as read" }).click();
  for (const page of [first, second]) await page.locator(".badge").waitFor({ state: "hidden" });

  await first.close();
  await note("bea", "After");
  for (const page of [second, third]) await row(page, "After").waitFor();
  await streams(1);
  await browser.close();
  await streams(0);
});

const axeSource = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

async function findBarriers(page: Page): Promise<string[]> {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.addScriptTag({ path: axeSource });
  const { violations } = (await page.evaluate("axe.run()")) as {
    violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  return violations.map(({ id, impact, nodes }) => `${id} (${impact}): ${nodes[0]?.html} ${nodes[0]?.failureSummary}`);
}

for (const colorScheme of ["light", "dark"] as const) {
  browserTest(`axe finds nothing in the list, the menus and the preferences, ${colorScheme}`, async (context) => {
    const subscriberId = `cleo-${colorScheme}`;
    await note(subscriberId, "Plain");
    await trigger(client, "ask", subscriberId, { title: "Question" });
    const tabs = `tabs='[{"label":"All"},{"label":"Team","tags":["team"]}]'`;
    // Colours that are changing have no definite contrast.
    const settings = { colorScheme, reducedMotion: "reduce" } as const;
    const page = await openHost(context, service, subscriberId, { attributes: tabs, settings });
    await row(page, "Question").waitFor();
    await row(page, "Plain").hover();
    await row(page, "Plain").getByRole("button", { name: "Mark as read" }).click();
    await page.getByRole("tab", { name: "All 1" }).waitFor();
    assert.deepEqual(await findBarriers(page), []);
    await row(page, "Plain").getByRole("button", { name: "Snooze" }).click();
    await page.getByRole("menuitem", { name: "In an hour" }).waitFor();
    assert.deepEqual(await findBarriers(page), []);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Preferences" }).click();
    await page.locator("summary", { hasText: "Notes" }).click();
    await page.getByRole("switch", { name: "Only deliver during set hours" }).click();
    await page.getByLabel("Friday, to").waitFor();
    assert.deepEqual(await findBarriers(page), []);
  });
}

browserTest("everything can be done with the keyboard", async (context) => {
  for (const title of ["Third", "Second", "First"]) await note("dora", title);
  const page = await openHost(context, service, "dora", { isOpened: false });
  const focused = () =>
    page.evaluate(() => {
      type Focusable = { textContent: string; className: string; shadowRoot?: { activeElement: Focusable | null } };
      const { activeElement } = (globalThis as never as { document: { activeElement: Focusable } }).document;
      const inner = activeElement.shadowRoot?.activeElement ?? activeElement;
      return `${inner.className.split(" ")[0]}: ${inner.textContent}`;
    });
  const expectFocus = async (pattern: RegExp) => {
    const isThere = async () => pattern.test(await focused());
    await eventually(isThere, `focus on ${pattern}`, 5_000).catch(async () => assert.match(await focused(), pattern));
  };
  await page.locator(".badge", { hasText: "3" }).waitFor();
  await page.keyboard.press("Tab");
  await expectFocus(/^bell/);
  await page.keyboard.press("Enter");
  await row(page, "First").waitFor();
  await expectFocus(/^panel/);
  for (const name of [/^view/, /^tool/, /^tool/, /^tool/, /^main: .*First/]) {
    await page.keyboard.press("Tab");
    await expectFocus(name);
  }
  await page.keyboard.press("ArrowDown");
  await expectFocus(/^main: .*Second/);
  await page.keyboard.press("End");
  await expectFocus(/^main: .*Third/);
  await page.keyboard.press("Home");
  await page.keyboard.press("u");
  await page.locator(".badge", { hasText: "2" }).waitFor();
  await page.keyboard.press("e");
  await expectFocus(/^main: .*Second/);
  await row(page, "First").waitFor({ state: "detached" });
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "In an hour" }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await row(page, "Second").waitFor({ state: "detached" });
  await expectFocus(/^main: .*Third/);
  await page.keyboard.press("Escape");
  await expectFocus(/^bell/);
  assert.equal(await page.locator(".bell").getAttribute("aria-expanded"), "false");
});

browserTest("right to left, with times in the language of the page", async (context) => {
  await note("emma", "Right");
  const page = await openHost(context, service, "emma", { root: 'lang="ar" dir="rtl"' });
  await row(page, "Right").waitFor();
  const dot = (await row(page, "Right").locator(".dot").boundingBox())!;
  const time = (await row(page, "Right").locator("time").boundingBox())!;
  assert.ok(dot.x > time.x, "the mark is on the right, the time on the left");
  assert.match((await row(page, "Right").locator("time").textContent())!, /[\u0600-\u06ff]/);
});

browserTest("a token of the customer's server, which is asked for again when it has ended", async (context) => {
  await client("subscribers.create", { body: { subscriberId: "fay" } });
  await note("fay", "With a token");
  const { token } = (await client("inbox.createToken", { body: { subscriberId: "fay" } })).body;
  const browser = await openBrowser(context);
  const page = await openHost(context, service, "", { browser, isOpened: false, hasErrors: true });
  let asked = 0;
  await page.exposeFunction("askToken", () => (++asked === 1 ? "ended" : token));
  await page
    .locator("tidings-inbox")
    .evaluate((element) =>
      Object.assign(element, { getToken: (globalThis as never as { askToken: unknown }).askToken }),
    );
  await page.locator(".bell").click();
  await row(page, "With a token").waitFor();
  assert.equal(asked, 2);
});

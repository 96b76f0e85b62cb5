// A subscriber, in a browser: what they got and why not, and what changes that.
import assert from "node:assert/strict";
import type { StepIn } from "@tidings/contract";
import { before } from "@tidings/testkit/at-end";
import { browserTest } from "@tidings/testkit/chromium";
import { startTestService } from "@tidings/testkit/service";
import { email, inApp, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { expectAccessible, expectNoOverflow, narrow, openDashboard } from "./support.ts";

const service = await startTestService();
const { client } = service;

before(async () => {
  await client("subscribers.create", {
    body: {
      subscriberId: "grace",
      firstName: "Grace",
      lastName: "Hopper",
      email: "grace@example.com",
      phone: "+14155550101",
    },
  });
  await client("subscribers.create", { body: { subscriberId: "ada", firstName: "Ada", email: "ada@example.com" } });
  await client("workflows.create", {
    body: {
      workflowId: "shipped",
      name: "Order shipped",
      active: true,
      searchKeys: ["order"],
      steps: [inApp({ body: "On its way" }), email()],
    },
  });
  await client("subscribers.updatePreferences", {
    params: { subscriberId: "grace" },
    body: { workflowId: "shipped", channels: { email: false } },
  });
  await settled(client, await trigger(client, "shipped", "grace", { order: "4711" }));
});

browserTest("from a search to the preference that decided, and the next message arrives", async (context) => {
  const page = await openDashboard(context, service, "/subscribers");
  const search = page.getByRole("searchbox");
  for (const text of ["grace@example.com", "+1 (415) 555-0101", "hopp", "grace"]) {
    await search.fill(text);
    await page.getByRole("link", { name: /Grace Hopper/ }).waitFor();
    await page.getByRole("link", { name: /Ada/ }).waitFor({ state: "detached" });
  }
  await expectAccessible(page);
  await page.getByRole("link", { name: /Grace Hopper/ }).click();
  await page.getByRole("heading", { name: "Delivery log: what Grace received, and why not" }).waitFor();
  await page.getByText("Grace turned this off").waitFor();
  await page.getByRole("list", { name: "Newest events" }).getByText("Order 4711").waitFor();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Open their preferences" }).click();
  await page.waitForURL(/tab=preferences/);
  const choice = page.getByRole("switch", { name: "Email for Order shipped" });
  assert.equal(await choice.isChecked(), false);
  await page.getByText("set by the subscriber").first().waitFor();
  await expectAccessible(page);
  await choice.click();
  await eventually(() => choice.isChecked(), "the switch to be on");
  await settled(client, await trigger(client, "shipped", "grace"));
  await page.getByRole("tab", { name: "Delivery log" }).click();
  await page.getByRole("list", { name: "Newest events" }).getByText("Email: sent").waitFor();
});

browserTest(
  "events of a workflow that was off, an open digest and the subscriber's own clock are in the log",
  async (context) => {
    await client("workflows.create", {
      body: { name: "Switched off", workflowId: "switched-off", active: false, steps: [email()] },
    });
    const collect: StepIn = { name: "Collect", type: "digest", controlValues: { amount: 6, unit: "hours" } };
    await client("workflows.create", {
      body: { name: "Round-up", workflowId: "round-up", active: true, steps: [collect, email()] },
    });
    const timezone = "Asia/Kathmandu";
    const to = { subscriberId: "mira", firstName: "Mira", email: "mira@example.com", timezone };
    await trigger(client, "round-up", to);
    await client("events.trigger", { body: { name: "switched-off", to: "mira", transactionId: "order-4711" } });
    const page = await openDashboard(context, service, "/subscribers/mira");
    const list = page.getByRole("list", { name: "Newest events" });
    await list.getByText("The workflow was off: nothing was sent").waitFor();
    await list.getByText(/Email: collecting until .+ their time/).waitFor();
    await list.getByText("Nothing was sent: the workflow was off when the event came.").waitFor();
    await expectAccessible(page);
    await page.getByRole("link", { name: "Open full run" }).click();
    await page.getByRole("heading", { name: "The workflow was off" }).waitFor();
    await expectAccessible(page);
    await page.goBack();
    await list.getByText("Round-up").click();
    await page
      .getByText(/^Collecting until .+, then one email/)
      .first()
      .waitFor();
    await page.getByText('Email: waiting for "Collect"').waitFor();
    await page.getByRole("link", { name: "Open full run" }).click();
    await page.getByText(/^Resumes in/).waitFor();
    await expectAccessible(page);
  },
);

browserTest("schedule, topics, profile and inbox are changed as a person would", async (context) => {
  const page = await openDashboard(context, service, "/subscribers/ada?tab=schedule", { viewport: narrow });
  await page.getByRole("switch", { name: "Quiet hours" }).click();
  await page.getByLabel("Monday from").fill("08:30");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved").waitFor();
  await expectNoOverflow(page);
  const { body } = await client("subscribers.retrievePreferences", { params: { subscriberId: "ada" }, query: {} });
  assert.deepEqual(body.global.schedule?.weeklySchedule?.monday?.hours, [{ start: "08:30 AM", end: "05:00 PM" }]);

  await page.getByRole("tab", { name: "Topics" }).click();
  await page.getByLabel("Add to a topic").fill("crew");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("list", { name: "Topics" }).getByText("crew").first().waitFor();
  await expectNoOverflow(page);

  await page.getByRole("tab", { name: "Profile" }).click();
  await page.getByLabel("Last name").fill("Lovelace");
  await page.getByLabel("Data").fill('{ "plan": "team" }');
  await page.getByRole("button", { name: "Save profile" }).click();
  await page.getByRole("heading", { level: 1, name: /Ada Lovelace/ }).waitFor();
  await expectAccessible(page);
  await expectNoOverflow(page);
  assert.deepEqual((await client("subscribers.retrieve", { params: { subscriberId: "ada" } })).body.data, {
    plan: "team",
  });

  await page.getByRole("tab", { name: "Inbox" }).click();
  await trigger(client, "shipped", "ada");
  await page.getByText("On its way").waitFor();
  await page.getByRole("button", { name: "Mark as read" }).click();
  await page.getByRole("button", { name: "Mark as unread" }).waitFor();
  await expectAccessible(page);

  await page.getByRole("tab", { name: "Profile" }).click();
  await page.getByRole("button", { name: "Delete subscriber" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete subscriber" }).click();
  await page.getByText("Subscriber deleted").waitFor();
});

browserTest("the data of a person is exported, then erased after typing the id, with a receipt", async (context) => {
  await client("subscribers.create", { body: { subscriberId: "leaving-1", firstName: "Leavinga" } });
  await settled(client, await trigger(client, "shipped", "leaving-1", { order: "Leavinga" }));
  const page = await openDashboard(context, service, "/subscribers/leaving-1?tab=profile");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export data" }).click();
  assert.equal((await download).suggestedFilename(), "leaving-1.zip");
  await page.getByRole("button", { name: "Erase…" }).click();
  const submit = page.getByRole("button", { name: "Erase data" });
  const field = page.getByLabel("Type leaving-1 to confirm");
  await field.fill("leaving");
  assert.equal(await submit.isDisabled(), true);
  await field.fill("leaving-1");
  await expectAccessible(page);
  await submit.click();
  await page.getByRole("heading", { name: "Data erased" }).waitFor();
  await page.getByRole("button", { name: "Save receipt" }).waitFor();
  await expectAccessible(page);
  await page.setViewportSize(narrow);
  await expectNoOverflow(page);
  await page.getByRole("button", { name: "Close", exact: true }).last().click();
  await page.waitForURL(/\/subscribers$/);
});

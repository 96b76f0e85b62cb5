// The attention budget in a browser: budgets are written, refused at their fields, ordered, saved and forecast, and a
// workflow's settings say what its messages are to their readers.
import assert from "node:assert/strict";
import { browserTest } from "@tidings/testkit/chromium";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import type { Page } from "playwright-core";
import { expectAccessible, expectNoOverflow, narrow, openDashboard } from "../support.ts";

const service = await startTestService();
const { client } = service;
const budgetsOf = async () => (await client("attention.retrieve")).body.budgets;

async function choose(page: Page, name: RegExp, option: string): Promise<void> {
  await page.getByRole("combobox", { name }).click();
  await page.getByRole("option", { name: option, exact: true }).click();
}

browserTest("budgets are added, refused at their fields, ordered, saved and removed", async (context) => {
  const page = await openDashboard(context, service, "/attention", { allow: /status of 422/ });
  await page.getByText("No attention budget").waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Add budget" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("At most 3 emails a day; the rest is rolled up.").waitFor();
  await dialog.getByLabel("At most").fill("0");
  await dialog.getByLabel("In", { exact: true }).fill("20");
  await choose(page, /^Unit/, "weeks");
  await dialog.getByRole("button", { name: "Apply" }).click();
  await dialog.getByRole("alert").getByText("Limit must not be less than 1").waitFor();
  await expectAccessible(page);
  await dialog.getByLabel("At most").fill("3");
  await dialog.getByRole("button", { name: "Apply" }).click();
  await dialog.getByRole("alert").getByText("Window must not be longer than 90 days").waitFor();
  await dialog.getByLabel("In", { exact: true }).fill("1");
  await choose(page, /^Unit/, "days");
  await dialog.getByLabel("Send roll-ups at").fill("18:00");
  await dialog.getByRole("button", { name: "Apply" }).click();
  await page.getByText("At most 3 emails a day", { exact: true }).waitFor();
  await page.getByText("the rest is rolled up at 18:00", { exact: true }).waitFor();
  // The budgets of the form are forecast, not the saved ones.
  await page.getByRole("region", { name: "Forecast" }).getByText("No messages in the last 30 days").waitFor();
  assert.deepEqual(await budgetsOf(), []);

  await page.getByRole("button", { name: "Add budget" }).click();
  await dialog.getByRole("button", { name: "Apply" }).click();
  await dialog.getByRole("alert").getByText("Budget 2 has the channel, classes and window of budget 1").waitFor();
  await choose(page, /^Counts/, "Promotional only");
  await dialog.getByLabel("At most").fill("2");
  await dialog.getByRole("radio", { name: /^Drop/ }).check();
  await dialog.getByLabel("Send roll-ups at").waitFor({ state: "detached" });
  await dialog.getByRole("button", { name: "Apply" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("button", { name: /^Move up: At most 2 promotional emails a day/ }).click();
  await page.getByRole("button", { name: /^Edit: At most 2 promotional emails a day/ }).click();
  await dialog.getByRole("radio", { name: /^Delay/ }).check();
  await dialog.getByRole("button", { name: "Apply" }).click();
  await page.getByText("the rest waits for a free place", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Save budgets" }).click();
  await page.getByText("Budgets saved").waitFor();
  const window = { amount: 1, unit: "day" };
  const all = ["transactional", "promotional"];
  assert.deepEqual(await budgetsOf(), [
    { channel: "email", classes: ["promotional"], limit: 2, window, overflow: "delay" },
    { channel: "email", classes: all, limit: 3, window, overflow: "roll_up", rollUpAt: "18:00" },
  ]);
  await expectAccessible(page);

  await page.getByRole("link", { name: "Roll-up template" }).click();
  await page.getByRole("heading", { name: "Roll-up", level: 1 }).waitFor();
  await page.goBack();
  await page.getByRole("button", { name: /^Remove: At most 2/ }).click();
  await page.getByRole("button", { name: /^Remove: At most 3/ }).click();
  await page.getByText("No attention budget").waitFor();
  await page.getByRole("link", { name: "Topics" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Save and leave" }).click();
  await page.getByRole("heading", { name: "Topics", level: 1 }).waitFor();
  assert.deepEqual(await budgetsOf(), []);
});

browserTest("the messages of the last days forecast what a new budget would do", async (context) => {
  await createWorkflow(client, "like", [inApp()], { name: "Like" });
  for (let count = 0; count < 3; count++) await settled(client, await trigger(client, "like", "bob"));
  const page = await openDashboard(context, service, "/attention");
  await page.getByRole("button", { name: "Add budget" }).click();
  await choose(page, /^Channel/, "In-app");
  await page.getByRole("dialog").getByLabel("At most").fill("1");
  await page.getByRole("button", { name: "Apply" }).click();
  const forecast = page.getByRole("region", { name: "Forecast" });
  await forecast.getByText("In the last 30 days, 2 of 3 in-app messages would have been rolled up into").waitFor();
  await forecast.getByText("1 person is affected.").waitFor();
  const row = forecast.getByRole("row", { name: "Like 3 2" });
  await row.waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: /^Edit/ }).click();
  await page.getByRole("dialog").getByLabel("At most").fill("3");
  await page.getByRole("button", { name: "Apply" }).click();
  await forecast.getByText("would have been sent at once").waitFor();
  await row.waitFor({ state: "detached" });
  assert.deepEqual(await budgetsOf(), []);
});

browserTest("the attention budget fits a phone in the dark", async (context) => {
  const window = { amount: 36, unit: "hour" } as const;
  await client("attention.update", { body: { budgets: [{ channel: "push", limit: 10, window, overflow: "drop" }] } });
  const page = await openDashboard(context, service, "/attention", { viewport: narrow, colorScheme: "dark" });
  await page.getByText("At most 10 push messages in 36 hours", { exact: true }).waitFor();
  await expectAccessible(page);
  await expectNoOverflow(page);
  await page.getByRole("button", { name: /^Edit/ }).click();
  await page.getByRole("dialog").waitFor();
  await expectAccessible(page);
  await expectNoOverflow(page);
});

browserTest("a run says that the budget held a message, and leads to the budgets", async (context) => {
  const window = { amount: 1, unit: "day" } as const;
  await client("attention.update", { body: { budgets: [{ channel: "in_app", limit: 1, window }] } });
  await createWorkflow(client, "comment", [inApp({ subject: "New comment", body: "Hello" })], { name: "Comment" });
  await settled(client, await trigger(client, "comment", "ada"));
  const transactionId = await trigger(client, "comment", "ada");
  await settled(client, transactionId);
  const page = await openDashboard(context, service, `/activity/${transactionId}`);
  await page.getByText("Held for a roll-up", { exact: true }).waitFor();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Open the budgets" }).click();
  await page.getByText("At most 1 in-app message a day", { exact: true }).waitFor();
  // The roll-up waits for its time, and lists what it will send.
  const rollUp = await eventually(async () => {
    const { data } = (await client("activity.listEvents", { query: {} })).body;
    return data.find(({ workflow }) => workflow.workflowId === "roll-up");
  }, "the roll-up");
  await page.goto(`${service.url}/activity/${rollUp!.transactionId}`);
  await page.getByRole("heading", { name: "1 item of this roll-up" }).waitFor();
  await expectAccessible(page);
  await page.getByRole("link", { name: "New comment" }).click();
  await page.getByText("Held for a roll-up", { exact: true }).waitFor();
});

browserTest("a workflow's settings say what its messages are, and which go first", async (context) => {
  await createWorkflow(client, "offer", [email()], { name: "Offer" });
  const page = await openDashboard(context, service, "/workflows/offer?tab=settings");
  await choose(page, /^Message class/, "Promotional");
  await choose(page, /^Priority/, "Low");
  await page.getByText("Sent after everything else that waits").waitFor();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await eventually(async () => {
    const { body } = await client("workflows.retrieve", { params: { workflowId: "offer" } });
    return body.messageClass === "promotional" && body.priority === "low";
  }, "the class and the priority of the workflow");
  await page.getByLabel("Critical: subscribers cannot turn it off").check();
  await page.getByText("Critical, because subscribers cannot turn this workflow off.").waitFor();
  assert.ok(await page.getByRole("combobox", { name: "Message class: Critical" }).isDisabled());
  assert.ok(await page.getByRole("combobox", { name: "Priority: High" }).isDisabled());
  await expectAccessible(page);
});

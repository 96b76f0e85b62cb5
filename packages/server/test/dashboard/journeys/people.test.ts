// People in a browser: a preference, an audience, a budget and an account are changed, and wrong input is refused where
// it was entered.
import assert from "node:assert/strict";
import { before } from "@tidings/testkit/at-end";
import { journey } from "@tidings/testkit/chromium";
import { startTestService } from "@tidings/testkit/service";
import { inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { invite, password } from "../../app/members/browsers.ts";
import { expectAccessible, expectNoOverflow, narrow, openDashboard, ownerOf } from "../support.ts";

const service = await startTestService();
const { client } = service;

before(() =>
  client("subscribers.createBulk", {
    body: {
      subscribers: ["free", "pro", "team"].map((plan) => ({
        subscriberId: `of-${plan}`,
        email: `${plan}@example.com`,
        data: { plan },
      })),
    },
  }),
);

journey("support may change preferences, and in production is asked first", async (context) => {
  await service.production("subscribers.create", { body: { subscriberId: "linus" } });
  await service.production("workflows.create", {
    body: { workflowId: "hello", name: "Hello", active: true, steps: [inApp()] },
  });
  const support = await invite(service, await ownerOf(service), "support");
  const path = "/subscribers/linus?tab=preferences&env=production";
  const page = await openDashboard(context, service, path, {}, support);
  const choice = page.getByRole("switch", { name: "In-app for Hello" });
  await choice.click();
  await page.getByText("where real messages go to real people").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  assert.equal(await choice.isChecked(), true);
  await choice.click();
  await page.getByRole("dialog").getByRole("button", { name: "Change" }).click();
  await eventually(async () => !(await choice.isChecked()), "the switch to be off");
  await page.getByRole("tab", { name: "Profile" }).click();
  assert.equal(await page.getByRole("button", { name: "Delete subscriber" }).count(), 0);
});

journey("the rule of an audience is counted while it is written, refused, corrected and saved", async (context) => {
  // The browser logs the refused rules.
  const page = await openDashboard(context, service, "/audiences/new", { allow: /422/ });
  const field = page.getByRole("combobox", { name: "Value to compare" });
  const counted = (text: string) => page.getByRole("status").getByText(text, { exact: true }).waitFor();
  await page.getByLabel("Name", { exact: true }).fill("Teams");
  await page.getByRole("button", { name: "Add a condition", exact: true }).click();
  await field.fill("subscriber.emial");
  await page.getByLabel("Compare with", { exact: true }).fill("team");
  const save = page.getByRole("button", { name: "Save", exact: true });
  await save.click();
  await page
    .getByRole("alert")
    .getByText(/subscriber\.email/)
    .first()
    .waitFor();
  await field.fill("subscriber.data.plan");
  await counted("1 person");
  await save.click();
  await page.getByRole("heading", { level: 1, name: "Teams" }).waitFor();
  const { rule } = (await client("audiences.retrieve", { params: { audienceId: "teams" } })).body;
  assert.deepEqual(rule, { "==": [{ var: "subscriber.data.plan" }, "team"] });
});

journey("a budget is refused at its field, corrected and saved", async (context) => {
  const page = await openDashboard(context, service, "/attention", { allow: /status of 422/ });
  await page.getByRole("button", { name: "Add budget" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("At most").fill("0");
  await dialog.getByRole("button", { name: "Apply" }).click();
  await dialog.getByRole("alert").getByText("Limit must not be less than 1").waitFor();
  await dialog.getByLabel("At most").fill("2");
  await dialog.getByRole("button", { name: "Apply" }).click();
  await page.getByText("At most 2 emails a day", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Save budgets" }).click();
  await page.getByText("Budgets saved").waitFor();
  const { budgets } = (await client("attention.retrieve")).body;
  assert.deepEqual(
    budgets.map(({ channel, limit }) => [channel, limit]),
    [["email", 2]],
  );
});

journey("the own name and password are changed, and all sessions end", async (context) => {
  // Not the owner, whose sessions the other tests use.
  const viewer = await invite(service, await ownerOf(service), "viewer");
  const page = await openDashboard(context, service, "/settings", { viewport: narrow }, viewer);
  await page.getByLabel("Name", { exact: true }).fill("Vera Viewer");
  await page.getByRole("button", { name: "Save name" }).click();
  await page.getByText("Name changed").waitFor();
  await expectNoOverflow(page);
  await expectAccessible(page);
  await page.getByLabel("Current password").fill(password);
  await page.getByLabel("New password").fill("battery staple horse");
  await page.getByRole("button", { name: "Change password" }).click();
  await page.getByText("Password changed").waitFor();
  await page.getByRole("button", { name: "Sign out everywhere" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Sign out everywhere" }).click();
  await page.getByRole("heading", { name: "Sign in to Tidings" }).waitFor();
});

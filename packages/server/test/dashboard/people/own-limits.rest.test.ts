// How many messages a person wants at most, in a browser: support sets it in the dashboard, and the person on the
// hosted page, without JavaScript and in a language that is written from right to left.
import assert from "node:assert/strict";
import type { Output, StepIn } from "@tidings/contract";
import { browserTest, openBrowser, openPage } from "@tidings/testkit/chromium";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { invite, signInOwner } from "../../app/members/browsers.ts";
import { expectAccessible, expectNoOverflow, narrow, openDashboard } from "../support.ts";

const service = await startTestService({ TIDINGS_PUBLIC_URL: "http://localhost:3000" });
const { client } = service;
const owner = await signInOwner(service);
const window = { amount: 1, unit: "day" } as const;
const sms: StepIn = { name: "SMS", type: "sms", controlValues: { body: "Hello" } };
await createWorkflow(client, "news", [email(), sms], { name: "News" });
await client("subscribers.create", { body: { subscriberId: "ada", email: "ada@example.com", locale: "ar" } });
await client("attention.update", {
  body: {
    budgets: [
      { channel: "email", limit: 5, window, overflow: "delay" },
      { channel: "email", limit: 2, window, overflow: "delay", classes: ["promotional"] },
      { channel: "sms", limit: 3, window: { amount: 2, unit: "week" }, overflow: "drop" },
    ],
  },
});
const params = { subscriberId: "ada" };
const stored = async () => {
  const { channels } = (await client("subscribers.retrieveAttention", { params })).body;
  return channels.find(({ channel }) => channel === "email")!.own;
};

browserTest("support sees the budget of each channel, sets a lower limit and removes it", async (context) => {
  const page = await openDashboard(context, service, "/subscribers/ada?tab=preferences", {}, owner);
  const table = page.getByRole("region", { name: "Limits" });
  await table.getByRole("rowheader", { name: "Email Budget: 5 per day, 2 promotional per day" }).waitFor();
  await table.getByRole("rowheader", { name: "SMS Budget: 3 in 2 weeks" }).waitFor();
  const limit = page.getByRole("combobox", { name: "Own limit for Email" });
  await limit.click();
  await page.getByRole("option", { name: "At most 3 per day" }).click();
  await eventually(async () => (await stored())?.limit === 3, "the limit");
  assert.deepEqual(await stored(), { limit: 3, unit: "day" });
  await page.getByRole("combobox", { name: "Own limit for Email: At most 3 per day" }).waitFor();
  await expectAccessible(page);
  await page.setViewportSize(narrow);
  await expectNoOverflow(page);
  await expectAccessible(page);
  await limit.click();
  await page.getByRole("option", { name: "None" }).click();
  await eventually(async () => (await stored()) === null, "no limit");

  const { body } = await owner.call("auditLog.list", { query: { subscriber: "ada" } });
  const entries = (body as Output<"auditLog.list">).data;
  assert.deepEqual(
    entries.map(({ operation, after }) => [operation, after]),
    [null, { limit: 3, unit: "day" }].map((email) => [
      "subscribers.updateAttention",
      { request: { channels: { email } } },
    ]),
  );
  const viewer = await invite(service, owner, "viewer");
  const seen = await openDashboard(context, service, "/subscribers/ada?tab=preferences", {}, viewer);
  assert.equal(await seen.getByRole("combobox", { name: "Own limit for Email: None" }).isDisabled(), true);
});

browserTest("the hosted page: without JavaScript, right to left, narrow, dark", async (context) => {
  const transactionId = await trigger(client, "news", "ada");
  await settled(client, transactionId);
  const { data } = (await client("captured.list", { query: { transactionId } })).body;
  const headers = data.find(({ channel }) => channel === "email")!.headers as Record<string, string>;
  const path = new URL(headers["List-Unsubscribe"]!.slice(1, -1)).pathname;
  for (const [colorScheme, viewport, chosen, key] of [
    ["light", { width: 1280, height: 860 }, "3 في اليوم على الأكثر", "3 day"],
    ["dark", narrow, "1 في الأسبوع على الأكثر", "1 week"],
  ] as const) {
    const browser = await openBrowser(context, { viewport, colorScheme, javaScriptEnabled: false });
    const page = await openPage(context, browser);
    await page.goto(service.url + path);
    const limit = page.locator("#l-email");
    await limit.selectOption(chosen);
    await page.getByRole("button", { name: "حفظ" }).click();
    await page.getByRole("status").waitFor();
    const { limit: count, unit } = (await stored())!;
    assert.equal(`${count} ${unit}`, key);
    assert.equal(await limit.locator("option:checked").textContent(), chosen);

    const scripted = await openPage(context, await openBrowser(context, { viewport, colorScheme }));
    await scripted.goto(service.url + path);
    await expectNoOverflow(scripted);
    await expectAccessible(scripted);
  }
});

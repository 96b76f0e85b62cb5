// A digest whose frequency recipients choose, in a browser: the hosted page in a language that is written from right to
// left. The author's switch is in message-journeys.test.ts.
import assert from "node:assert/strict";
import { browserTest, openBrowser, openPage } from "@tidings/testkit/chromium";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { expectAccessible, expectNoOverflow, narrow } from "../support.ts";

const service = await startTestService({ TIDINGS_PUBLIC_URL: "http://localhost:3000" });
const { client } = service;
const digest = { name: "Digest", stepId: "digest", type: "digest" as const };
const choice = { allowFrequencyChoice: true, frequencies: ["instant", "daily", "weekly"] };
const controlValues = { type: "regular", amount: 1, unit: "seconds", ...choice };
await createWorkflow(client, "summary", [{ ...digest, controlValues }, email()], { name: "Summary" });
await client("subscribers.create", { body: { subscriberId: "ada", email: "ada@example.com", locale: "ar" } });
const params = { subscriberId: "ada" };
const shown = async () => {
  const { workflows } = (await client("subscribers.retrievePreferences", { params })).body;
  return workflows.find(({ workflow }) => workflow.identifier === "summary")!;
};

browserTest("the hosted page: right to left, narrow, dark", async (context) => {
  await client("subscribers.updatePreferences", {
    params,
    body: { workflowId: "summary", digestFrequency: "instant" },
  });
  const transactionId = await trigger(client, "summary", "ada");
  await settled(client, transactionId);
  const { data } = (await client("captured.list", { query: { transactionId } })).body;
  const headers = data.find(({ channel }) => channel === "email")!.headers as Record<string, string>;
  const path = new URL(headers["List-Unsubscribe"]!.slice(1, -1)).pathname;
  for (const [colorScheme, viewport] of [
    ["light", { width: 1280, height: 860 }],
    ["dark", narrow],
  ] as const) {
    const page = await openPage(context, await openBrowser(context, { viewport, colorScheme }));
    await page.goto(service.url + path);
    const often = page.getByLabel("معدل الإرسال");
    assert.equal(await often.inputValue(), colorScheme === "light" ? "instant" : "weekly");
    await often.selectOption("كل أسبوع");
    await expectNoOverflow(page);
    await expectAccessible(page);
    await page.getByRole("button", { name: "حفظ" }).click();
    await eventually(async () => (await shown()).digestFrequency === "weekly", "the choice");
  }
});

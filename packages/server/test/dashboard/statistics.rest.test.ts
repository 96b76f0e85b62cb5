// Statistics, in a browser.
import assert from "node:assert/strict";
import { browserTest } from "@tidings/testkit/chromium";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { seedStatistics } from "./seed.ts";
import { expectAccessible, expectNoOverflow, narrow, openDashboard } from "./support.ts";

const service = await startTestService({ TIDINGS_ROLE: "api" });

browserTest(
  "what failed and by whom is told in a sentence, in bars and in tables, for a day or a month",
  async (context) => {
    for (const id of ["order-shipped", "invoice-paid", "login-code", "comment-mention"])
      await createWorkflow(service.client, id, [inApp()]);
    const { body } = await service.client("environments.list");
    await seedStatistics(service.db, body.find(({ apiKeys }) => apiKeys)!._id);
    const page = await openDashboard(context, service, "/statistics");
    await page
      .getByRole("heading", { name: /^All failures in the last 24 hours come from SendGrid: 120 of [\d,]+ rejected$/ })
      .waitFor();
    await page.getByText("Mailgun rejected none of").waitFor();
    const providers = page.getByRole("table", { name: "By provider" });
    assert.equal(await providers.getByRole("row").count(), 5);
    // The bars are a table for those who do not see them.
    assert.ok((await page.getByRole("table", { name: "Messages by hour" }).getByRole("row").count()) === 25);
    await page.getByRole("table", { name: "Skipped, by reason" }).getByText("The step's condition").waitFor();
    await page.getByText("Held by the budget").waitFor();
    const workflow = page.getByRole("table", { name: "By workflow" }).getByRole("row", { name: /order-shipped/ });
    assert.match(await workflow.innerText(), /115 \(4\.\d%\)/);
    await expectAccessible(page);
    await page.getByRole("button", { name: "30 days" }).click();
    await page.waitForURL(/range=30d/);
    await page.getByRole("table", { name: "Messages by day" }).waitFor({ state: "attached" });
    await providers.getByRole("link", { name: "Twilio" }).click();
    await page.waitForURL(/provider=twilio/);
    await page.getByRole("heading", { name: /^Nothing failed in the last 30 days/ }).waitFor();
    await page.setViewportSize(narrow);
    await expectNoOverflow(page);
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByRole("heading", { name: /come from SendGrid/ }).waitFor();
    await expectNoOverflow(page);
    await expectAccessible(page);
  },
);

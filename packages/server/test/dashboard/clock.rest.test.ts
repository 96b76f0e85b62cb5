// The test clock, in a browser: a week with two digests in a minute.
import assert from "node:assert/strict";
import { browserTest } from "@tidings/testkit/chromium";
import { newStage } from "@tidings/testkit/clock";
import { startTestService } from "@tidings/testkit/service";
import { trigger } from "@tidings/testkit/verbs";
import { seedWeek } from "./seed.ts";
import { expectAccessible, expectNoOverflow, narrow, openDashboard } from "./support.ts";

const service = await startTestService();

browserTest(
  "a week on the test clock with two digests: both wait, both are sent when the clock gets there",
  async (context) => {
    const { client, environmentId } = await newStage(service);
    await seedWeek(client);
    const page = await openDashboard(context, service, `/clock?env=${environmentId}`, { timezoneId: "UTC" });
    await page.getByText("The test clock pauses time in this environment").waitFor();
    await page.getByText("Nothing is waiting", { exact: true }).waitFor();
    await expectAccessible(page);
    await page.getByLabel("Starts at").fill("2026-03-02T09:00");
    await page.getByRole("button", { name: "Start the test clock" }).click();
    await page.getByText("Test clock, paused").waitFor();

    for (const _ of [1, 2, 3]) await trigger(client, "mentions", "ada");
    await trigger(client, "weekly-report", "ada");
    const line = page.getByRole("list", { name: "Timeline" });
    await line.getByText("3 events").waitFor();
    await line.getByText("Digest closes").nth(1).waitFor();
    await expectAccessible(page);

    await page.getByRole("button", { name: /^Advance to here, Tue, Mar 3/ }).click();
    await line.getByText("3 new mentions").waitFor();
    await page.getByText("Advanced 1 d, 1 message sent.").waitFor();
    assert.equal(await line.getByText("Digest closes").count(), 1);

    await page.getByRole("button", { name: "+1 day" }).click();
    await page.getByText("Advanced 1 d, no messages sent.").waitFor();
    await page.getByRole("button", { name: "Skip to next event" }).click();
    await line.getByText("Your week").waitFor();
    await line.getByText("Nothing is waiting").waitFor();
    await page.getByLabel("Date and time").fill("2026-03-09T10:30");
    await page.getByRole("button", { name: "Go to time" }).click();
    await page.locator("time", { hasText: "10:30" }).first().waitFor();
    await page.setViewportSize(narrow);
    await expectNoOverflow(page);
    await expectAccessible(page);

    await page.getByRole("button", { name: "Stop the test clock" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Stop the test clock" }).click();
    await page.getByText("Real time", { exact: true }).waitFor();
    await line.getByRole("link", { name: "ada" }).last().click();
    await page.waitForURL(/activity\/txn_.*subscriber=ada/);
  },
);

browserTest("production shows what waits, and has no clock to move", async (context) => {
  await seedWeek(service.production);
  await trigger(service.production, "trial", ["ada", "grace"]);
  const page = await openDashboard(context, service, "/clock?env=production", { viewport: narrow });
  await page.getByText("Production always runs in real time").waitFor();
  const line = page.getByRole("list", { name: "Timeline" });
  await line.getByText("2 subscribers").waitFor();
  assert.equal(await page.getByRole("button", { name: /clock|Advance|day/ }).count(), 0);
  await expectNoOverflow(page);
  await expectAccessible(page);
});

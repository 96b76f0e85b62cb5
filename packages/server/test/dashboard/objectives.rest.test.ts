// The objectives of a workflow in a browser: set, saved, and shown with their error budget.
import assert from "node:assert/strict";
import { browserTest } from "@tidings/testkit/chromium";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email } from "@tidings/testkit/verbs";
import { expectAccessible, expectNoOverflow, narrow, openDashboard } from "./support.ts";

const service = await startTestService();
const { client, db } = service;
const hourMs = 3_600_000;

browserTest("objectives are set in a form, and the budget that is left is shown", async (context) => {
  const workflow = await createWorkflow(client, "receipts", [email()]);
  const { environment_id } = await db
    .selectFrom("workflows")
    .where("id", "=", workflow._id)
    .select("environment_id")
    .executeTakeFirstOrThrow();
  const hour = (hoursAgo: number, sent: number, late: number) => ({
    ...{ environment_id, workflow_id: workflow._id, channel: "email" as const, provider_id: "resend", reason: "" },
    ...{ sent, delivered: sent, opened: 0, failed: 0, refused: 0, unaccepted: 0, skipped: 0, failed_attempts: 0 },
    hour: new Date(Math.floor(Date.now() / hourMs) * hourMs - hoursAgo * hourMs),
    latency: [0, 0, 0, sent - late, 0, 0, 0, late, 0, 0, 0],
  });
  await db
    .insertInto("statistics_hours")
    .values([hour(200, 9_000, 10), hour(5, 1_000, 30)])
    .execute();
  const page = await openDashboard(context, service, "/workflows/receipts?tab=objectives", { colorScheme: "light" });
  await page.getByText("No objectives yet").waitFor();
  await page.getByRole("checkbox", { name: "Handed to the provider in time" }).check();
  await page.getByRole("checkbox", { name: "Delivered" }).check();
  const percent = page.getByRole("textbox", { name: "Messages in time, in percent" });
  await percent.fill("100");
  await page.getByText("A number from 50 to 99.99").waitFor();
  await percent.fill("99,5");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  // 10,000 messages, of which 50 may be late: 40 were, 30 of them in the last day, at 6 times the allowed rate.
  await page.getByRole("heading", { name: "99.5 % handed over within 10 s" }).waitFor();
  await page.getByText("At this pace the budget of 30 days is used up in 1 day.").waitFor();
  await page.getByText("Nothing went wrong in the last 24 hours.").waitFor();
  const bar = page.getByRole("progressbar", { name: "Error budget left" }).first();
  assert.equal(await bar.getAttribute("aria-valuenow"), "20");
  const stored = (await client("workflows.retrieve", { params: { workflowId: "receipts" } })).body.objectives;
  assert.deepEqual(stored, { handedOver: { percent: 99.5, withinSeconds: 10 }, delivered: { percent: 98 } });
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    for (const viewport of [{ width: 1280, height: 860 }, narrow]) {
      await page.setViewportSize(viewport);
      await expectAccessible(page);
      await expectNoOverflow(page);
    }
  }
});

// Home, in a browser: what needs attention. (The first notification is among the journeys.)
import assert from "node:assert/strict";
import { browserTest } from "@tidings/testkit/chromium";
import { absentMailServer, closedPort } from "@tidings/testkit/mail/smtp";
import { startTestService } from "@tidings/testkit/service";
import { eventually } from "@tidings/testkit/wait";
import { expectAccessible, expectNoOverflow, narrow, openDashboard } from "./support.ts";

const port = await closedPort();
const mails = absentMailServer(port);
const service = await startTestService({ TIDINGS_DELIVERY_ATTEMPTS: "1", TIDINGS_CIRCUIT_FAILURES: "1" });

browserTest("what needs attention is listed, with a way to it", async (context) => {
  await service.client("integrations.create", {
    body: {
      providerId: "nodemailer",
      channel: "email",
      identifier: "broken",
      name: "Broken mail",
      active: true,
      credentials: { host: "127.0.0.1", port, ignoreTls: true, from: "hello@example.com", senderName: "Shop" },
    },
  });
  // Without it, messages would go to the development mailbox in the end.
  await service.client("integrations.update", {
    params: { integrationId: "svc-email-default" },
    body: { active: false },
  });
  await service.client("workflows.create", {
    body: {
      workflowId: "bill",
      name: "Bill",
      active: true,
      steps: [{ name: "Email", type: "email", controlValues: { subject: "Bill", body: "<p>Bill</p>" } }],
    },
  });
  const page = await openDashboard(context, service, "/", { viewport: narrow });
  await page.getByText("All good").waitFor();
  await expectNoOverflow(page);
  await service.client("events.trigger", {
    body: {
      name: "bill",
      to: { subscriberId: "bob", email: "bob@example.com" },
    },
  });
  await eventually(
    async () => (await service.client("deadLetters.list", { query: { status: "open" } })).body.data.length === 1,
    "a dead letter",
  );
  // The page would read it again after ten seconds; while something is wrong, it does so every three.
  await page.reload();
  await page.getByText("1 message could not be delivered").waitFor();
  await service.client("events.trigger", {
    body: { name: "bill", to: { subscriberId: "eve", email: "eve@example.com" } },
  });
  const { breakers } = await eventually(async () => {
    const { environment } = (await service.client("system.retrieve")).body;
    return environment.waiting[0]?.count === 1 ? environment : null;
  }, "the second message to wait");
  assert.equal(breakers[0]?.lastError?.summary, "connection refused");
  await page.getByText(/^Broken mail has not responded since .* \(connection refused\)\.$/).waitFor();
  await page.getByText(/^1 email is waiting; next attempt in \d+ s\.$/).waitFor();
  assert.match(await page.title(), /^\(2\) Home/);
  await expectAccessible(page);
  await expectNoOverflow(page);
  await mails.start();
  await page.getByRole("button", { name: "Try now" }).click();
  await page.getByText(/has not responded since/).waitFor({ state: "detached" });
  assert.deepEqual([...mails.received], [["eve@example.com", 1]]);
  await page.goto(`${service.url}/integrations/broken`);
  await page.getByText("Healthy").waitFor();
  await page.goto(service.url);
  await page.getByRole("link", { name: "View by cause" }).click();
  await page.waitForURL(/dead-letters/);
});

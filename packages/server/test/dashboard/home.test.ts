// Home, in a browser: the first notification, and what needs attention.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { browserTest } from "../support/chromium.ts";
import { startTestService } from "../support/service.ts";
import { eventually } from "../support/wait.ts";
import { expectAccessible, expectNoOverflow, narrow, openDashboard } from "./support.ts";

const service = await startTestService({ TIDINGS_DELIVERY_ATTEMPTS: "1" });

browserTest(
  "the first notification arrives in the inbox on the page, by a click and by the command",
  async (context) => {
    const page = await openDashboard(context, service, "/", { permissions: ["clipboard-read", "clipboard-write"] });
    await page.getByRole("heading", { name: "Send your first notification" }).waitFor();
    await expectAccessible(page);
    assert.ok(!(await page.content()).includes(service.apiKey), "the key is shown only when it is asked for");
    await page.getByRole("button", { name: "Send it from here" }).click();
    const inbox = page.getByRole("region", { name: "Inbox of ada" });
    await inbox.locator("tidings-inbox").getByText("Welcome, Ada").waitFor();

    await page.getByRole("button", { name: "Copy curl command" }).click();
    const command = await page.evaluate<string>("navigator.clipboard.readText()");
    assert.ok(command.includes(service.apiKey));
    await promisify(execFile)("sh", ["-c", `${command.replace("curl ", "curl -sS --fail ")}`]);
    await inbox.getByRole("listitem").nth(1).waitFor();
    await page.getByRole("list", { name: "Last events" }).getByRole("link").nth(1).waitFor();

    await page.getByRole("link", { name: "See how it got there" }).click();
    await page.waitForURL(/\/activity\//);
  },
);

browserTest("what needs attention is listed, with a way to it", async (context) => {
  await service.client("integrations.create", {
    body: {
      providerId: "nodemailer",
      channel: "email",
      identifier: "broken",
      name: "Broken mail",
      active: true,
      credentials: { host: "127.0.0.1", port: "9", ignoreTls: true, from: "hello@example.com" },
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
  await page.getByText("Nothing needs attention").waitFor();
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
  await page.getByText("1 message was given up").waitFor();
  await expectAccessible(page);
  await page.getByRole("link", { name: "See them by cause" }).click();
  await page.waitForURL(/dead-letters/);
});

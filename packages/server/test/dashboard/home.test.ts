// Home, in a browser: the first notification, and what needs attention.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import {
  conditionOf,
  formatSince,
  sayTrouble,
  sayWaiting,
} from "../../../dashboard/src/screens/integrations/outage.ts";
import { browserTest } from "../support/chromium.ts";
import { startTestService } from "../support/service.ts";
import { absentMailServer, closedPort } from "../support/smtp.ts";
import { eventually } from "../support/wait.ts";
import { expectAccessible, expectNoOverflow, narrow, openDashboard } from "./support.ts";

const port = await closedPort();
const mails = absentMailServer(port);
const service = await startTestService({ TIDINGS_DELIVERY_ATTEMPTS: "1", TIDINGS_CIRCUIT_FAILURES: "1" });

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
    const { body: ada } = await service.client("subscribers.retrieve", { params: { subscriberId: "ada" } });
    assert.equal(ada.timezone ?? undefined, undefined, "a look at the page gives nobody the time zone of the reader");

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

test("an outage is told with its cause, what waits and the next try", () => {
  const now = Date.parse("2026-03-02T18:55:00Z");
  const lastError = { message: "connect ECONNREFUSED", summary: "connection refused", class: "transient" as const };
  const trouble = {
    ...{ name: "Shop SMTP", state: "open" as const, failingSince: "2026-03-02T18:53:00Z" },
    lastError: { ...lastError, at: "2026-03-02T18:54:00Z" },
    nextProbeAt: "2026-03-02T18:57:00Z",
  };
  const since = formatSince(trouble.failingSince, now);
  assert.equal(sayTrouble(trouble, now), `Shop SMTP has not answered since ${since} (connection refused).`);
  const refused = { ...trouble, lastError: { ...trouble.lastError, summary: "HTTP 503" } };
  assert.equal(sayTrouble(refused, now), `Shop SMTP has been failing since ${since} (HTTP 503).`);
  const mails = { channel: "email" as const, count: 5_000 };
  assert.equal(sayWaiting(trouble, mails, now), "5,000 mails are waiting; next try in 2 min.");
  assert.equal(sayWaiting(trouble, { ...mails, count: 1 }, now), "1 mail is waiting; next try in 2 min.");
  assert.equal(
    sayWaiting({ ...trouble, state: "half_open" }, undefined, now),
    "Nothing is waiting for it; trying one message now.",
  );
  assert.match(sayWaiting(trouble, mails, now + 600_000), /next try when the next message is due/);

  const health = { state: "closed" as const, failures: 0 };
  const condition = (changes: object) =>
    conditionOf({ active: true, channel: "email", health: { ...health, ...changes } });
  assert.equal(condition({}), "unused");
  assert.equal(condition({ lastSuccessAt: trouble.failingSince }), "closed");
  assert.equal(condition({ lastSuccessAt: trouble.failingSince, failingSince: trouble.nextProbeAt }), "failing");
  assert.equal(condition({ state: "open" }), "open");
  assert.equal(conditionOf({ active: false, channel: "email", health }), "off");
});

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
  await page.getByText("1 message was given up").waitFor();
  await service.client("events.trigger", {
    body: { name: "bill", to: { subscriberId: "eve", email: "eve@example.com" } },
  });
  await page.getByText(/^Broken mail has not answered since .* \(connection refused\)\.$/).waitFor();
  await page.getByText(/^1 mail is waiting; next try in \d+ s\.$/).waitFor();
  assert.match(await page.title(), /^\(2\) Home/);
  await expectAccessible(page);
  await expectNoOverflow(page);
  await mails.start();
  await page.getByRole("button", { name: "Try now" }).click();
  await page.getByText(/has not answered since/).waitFor({ state: "detached" });
  assert.deepEqual([...mails.received], [["eve@example.com", 1]]);
  await page.goto(`${service.url}/integrations/broken`);
  await page.getByText("Healthy").waitFor();
  await page.goto(service.url);
  await page.getByRole("link", { name: "See them by cause" }).click();
  await page.waitForURL(/dead-letters/);
});

// Dead letters, in a browser: from a broken integration to messages that arrived.
import assert from "node:assert/strict";
import { browserTest } from "@tidings/testkit/chromium";
import { startMailServer } from "@tidings/testkit/mail/smtp";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { expectAccessible, expectNoOverflow, narrow, openDashboard } from "./support.ts";

const mail = await startMailServer();
const service = await startTestService();
const { client } = service;

const server = { host: "127.0.0.1", port: mail.port, ignoreTls: true, user: mail.user, from: "shop@example.com" };
await client("integrations.update", { params: { integrationId: "svc-email-default" }, body: { active: false } });
await client("integrations.create", {
  body: {
    providerId: "nodemailer",
    channel: "email",
    identifier: "office",
    name: "Office mail",
    active: true,
    credentials: { ...server, password: "wrong" },
  },
});
const setPassword = (password: string) =>
  client("integrations.update", {
    params: { integrationId: "office" },
    body: { credentials: { ...server, password } },
  });

/** One bulk trigger, with up to 100 people in each event. */
async function fail(workflowId: string, count: number): Promise<void> {
  await createWorkflow(client, workflowId, [
    email({ subject: "For {{payload.name}}", body: "<p>{{payload.name}}</p>" }),
  ]);
  const people = Array.from({ length: count }, (_, number) => `${workflowId}-${number}`);
  const to = people.map((subscriberId) => ({ subscriberId, email: `${subscriberId}@example.com` }));
  const events = Array.from({ length: Math.ceil(count / 100) }, (_, number) => ({
    name: workflowId,
    to: to.slice(100 * number, 100 * number + 100),
    payload: { name: "Ada" },
  }));
  await client("events.triggerBulk", { body: { events } as never });
  const query = { workflowId, status: "open" as const, limit: 1 };
  const isThere = async () => (await client("deadLetters.list", { query })).body.totalCount === count;
  await eventually(isThere, `${count} dead letters`, 60_000);
}

const receivedFor = (workflowId: string): string[] =>
  mail.received.flatMap(
    ({ to }) => to?.flatMap(({ address }) => (address?.startsWith(workflowId) ? address : [])) ?? [],
  );

browserTest(
  "120 mails of a broken integration are seen as one cause, fixed, replayed at a pace, and arrive once",
  async (context) => {
    // More than one page, more than one event, and more than the pace of a second.
    await fail("campaign", 120);
    const page = await openDashboard(context, service, "/dead-letters");
    const cause = page.getByRole("list", { name: "Causes" }).getByRole("listitem").filter({ hasText: "campaign" });
    await cause.getByText("120").first().waitFor();
    await cause.getByRole("button", { name: "Send 120 again" }).waitFor();
    await expectAccessible(page);
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export CSV" }).click();
    assert.equal((await download).suggestedFilename(), "dead-letters.csv");

    await cause.getByRole("link", { name: "Fix Office mail" }).click();
    await page.getByLabel(/^Password/).fill(mail.password);
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("Saved").first().waitFor();

    await page.getByRole("link", { name: "Dead letters" }).click();
    await page.getByRole("link", { name: "Office mail rejected the credentials" }).click();
    await page.getByRole("table", { name: "Messages" }).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Send 120 again" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("120 messages will be sent").waitFor();
    await dialog.getByLabel("Messages per second").fill("101");
    await dialog.getByText("A whole number from 1 to 100").waitFor();
    await dialog.getByLabel("Messages per second").fill("100");
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Start" }).click();

    await page.waitForURL(/\/dead-letters\/replays\//);
    await page.getByRole("progressbar", { name: "Replay progress" }).waitFor();
    await page.getByText("120 of 120 queued").waitFor({ timeout: 60_000 });
    await page.getByRole("heading", { level: 1 }).getByText("Done").waitFor();
    const delivered = page.locator("dl div").filter({ hasText: "Accepted" });
    await delivered.getByText("120").waitFor({ timeout: 60_000 });
    const received = receivedFor("campaign-");
    assert.deepEqual([received.length, new Set(received).size], [120, 120]);
    await page.getByRole("link", { name: "Replays" }).click();
    await page.getByRole("table", { name: "Replays" }).getByText("120 / 120").waitFor();
  },
);

browserTest(
  "on a phone a replay is paused, resumed and stopped, and one message goes out with another payload",
  async (context) => {
    await setPassword("wrong");
    // At one a second, enough to be stopped in time.
    await fail("small", 40);
    await fail("other", 2);
    await setPassword(mail.password);
    const page = await openDashboard(context, service, "/dead-letters", { viewport: narrow });
    // One cause is one card, whatever the workflow.
    await page.getByRole("list", { name: "Causes" }).getByRole("button", { name: "Send 42 again" }).waitFor();
    await page.getByRole("link", { name: /^small 40/ }).click();
    const group = "integration=office&error=auth&workflow=small";
    await page.waitForURL(/workflow=small/);
    await page.getByRole("button", { name: "Send 40 again" }).click();
    await page.getByRole("dialog").getByLabel("Messages per second").fill("1");
    await page.getByRole("dialog").getByRole("button", { name: "Start" }).click();
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("heading", { level: 1 }).getByText("Paused").waitFor();
    await expectNoOverflow(page);
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("heading", { level: 1 }).getByText("Running").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Stop" }).click();
    await page.getByRole("heading", { level: 1 }).getByText("Stopped").waitFor();
    await expectAccessible(page);

    await page.goto(`${service.url}/dead-letters/group?${group}`);
    await page.getByRole("button", { name: "Actions for the message to small-" }).first().click();
    await page.getByRole("menuitem", { name: "Send again" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("combobox", { name: /^Content/ }).click();
    await page.getByRole("option", { name: "Change the payload" }).click();
    await dialog.getByRole("textbox", { name: "Payload" }).fill('{ "name": ');
    await dialog.getByText("This is not a JSON object").waitFor();
    await dialog.getByRole("textbox", { name: "Payload" }).fill('{ "name": "Grace" }');
    await expectNoOverflow(page);
    await dialog.getByRole("button", { name: "Send", exact: true }).click();
    await eventually(() => mail.received.some(({ subject }) => subject === "For Grace"), "the changed mail");
    await expectNoOverflow(page);
  },
);

// Topics, in a browser: an import of many subscribers, a topic with a rule, suppressed addresses, preferences in bulk.

import assert from "node:assert/strict";
import { before } from "@tidings/testkit/at-end";

import { browserTest } from "@tidings/testkit/chromium";
import { isLong } from "@tidings/testkit/long";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { expectAccessible, expectNoOverflow, expectRoomForValues, narrow, openDashboard } from "./support.ts";

const service = await startTestService();
const { client } = service;

before(async () => {
  for (const subscriberId of ["ada", "grace"]) await client("subscribers.create", { body: { subscriberId } });
  await createWorkflow(client, "news", [email()]);
});

const total = isLong ? 10_000 : 1_000;
const faulty = [17, 424, total - 1];
const right = (total - faulty.length).toLocaleString("en");

/** `faulty` are lines of the file, whose first line names the columns. */
const subscribers = Array.from({ length: total }, (_, index) => {
  const id = `person-${index + 1}`;
  return `${id};${faulty.includes(index + 2) ? "no address" : `${id}@example.com`};"Person; ${index + 1}"`;
});

browserTest("many subscribers from a file with 3 invalid rows: dry run, import, report", async (context) => {
  const page = await openDashboard(context, service, "/topics?tab=imports");
  await page.getByText("No imports in the last 30 days").waitFor();
  await page.getByRole("link", { name: "Import a CSV file" }).click();
  const csv = ["Subscriber ID;E-mail;First name", ...subscribers].join("\r\n");
  const choose = (text: string) =>
    page
      .locator("input[type=file]")
      .setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
  await choose("id;email\n1;x");
  await page.getByText("Column 'id' is unknown.").first().waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Choose another file" }).click();
  await choose(csv);
  await page.getByText("semicolon").waitFor();
  await page.getByRole("columnheader", { name: /First name\s*firstName/ }).waitFor();
  await page.getByRole("button", { name: "Dry run" }).click();
  await page.getByRole("heading", { name: "What the import would do" }).waitFor({ timeout: 60_000 });
  await page.getByText(right).first().waitFor();
  await page.getByRole("cell", { name: "424" }).waitFor();
  await expectAccessible(page);
  assert.equal((await client.raw("subscribers.retrieve", { params: { subscriberId: "person-1" } })).status, 404);
  await page.getByRole("button", { name: `Import ${right} lines` }).click();
  await page.waitForURL(/\/imports\/[0-9a-f-]+/);
  await page.getByText("Done").waitFor({ timeout: 60_000 });
  const rows = page.getByRole("table", { name: "Invalid lines" }).getByRole("row");
  await eventually(async () => (await rows.count()) === 4, "three faulty lines");
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download invalid lines" }).click(),
  ]);
  assert.equal(file.suggestedFilename(), "invalid-people.csv");
  await page.setViewportSize(narrow);
  await expectNoOverflow(page);
  await expectAccessible(page);
  const last = (await client("subscribers.retrieve", { params: { subscriberId: `person-${total}` } })).body;
  assert.deepEqual([last.email, last.firstName], [`person-${total}@example.com`, `Person; ${total}`]);
});

browserTest(
  "a topic: created, subscribers by their ids, a rule with a condition, a preference of those selected",
  async (context) => {
    const page = await openDashboard(context, service, "/topics");
    await page.getByRole("button", { name: "Create topic" }).click();
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("Release notes");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("heading", { name: "Release notes", level: 1 }).waitFor();
    await page.getByRole("button", { name: "Add subscribers" }).click();
    await page.getByLabel("Subscriber ids").fill("ada, grace\nghost");
    await page.getByRole("button", { name: "Add 3 subscribers" }).click();
    await page.getByText("1 failed:").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Cancel" }).click();

    await page.getByRole("button", { name: "Rules for ada" }).click();
    await page.getByRole("button", { name: "Add rule" }).click();
    await page.getByRole("combobox", { name: /Workflows/ }).click();
    await page.getByRole("option", { name: "news" }).click();
    await page.getByRole("combobox", { name: /Effect/ }).click();
    await page.getByRole("option", { name: "Receives it when" }).click();
    const line = page.getByRole("list", { name: "Condition" }).getByRole("textbox");
    await line.last().fill("high");
    await page.getByRole("list", { name: "Condition" }).locator("input").first().fill("payload.severity");
    await expectAccessible(page);
    await expectRoomForValues(page);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Rules saved").waitFor();
    const params = { topicKey: "release-notes", identifier: "tk_release-notes:si_ada" };
    const { rules } = (await client("topicSubscriptions.retrieve", { params })).body;
    assert.deepEqual(rules, [{ workflowId: "news", condition: { "==": [{ var: "payload.severity" }, "high"] } }]);

    await page.getByRole("checkbox", { name: "Select all on this page" }).check();
    await page.getByRole("button", { name: "Change a preference" }).click();
    await page.getByText("Email from all workflows is turned off for 2 subscribers.").waitFor();
    await page.getByRole("button", { name: "Change for 2 subscribers" }).click();
    await page.getByText("Changed for 2 subscribers").waitFor();
    const choices = await client("subscribers.retrievePreferences", { params: { subscriberId: "grace" } });
    assert.equal(choices.body.global.channels.email, false);
    await page.setViewportSize(narrow);
    await expectNoOverflow(page);
    await page.getByRole("button", { name: "Remove from topic" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove from topic" }).click();
    await page.getByText("No one belongs to this topic yet").waitFor();
  },
);

browserTest("suppressed addresses and contexts fit a phone", async (context) => {
  await client("suppressions.create", { body: { channel: "email", address: "eve@example.com" } });
  await client("contexts.create", { body: { type: "tenant", id: "acme" } });
  const page = await openDashboard(context, service, "/topics?tab=suppressions", { viewport: narrow });
  await page.getByRole("cell", { name: "eve@example.com", exact: true }).waitFor();
  await expectNoOverflow(page);
  await expectAccessible(page);
  await page.getByRole("tab", { name: "Contexts" }).click();
  await page.getByRole("cell", { name: "acme", exact: true }).waitFor();
  await expectNoOverflow(page);
  await expectAccessible(page);
});

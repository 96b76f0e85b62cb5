// The mailbox of captured messages, in a browser.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before } from "@tidings/testkit/at-end";
import { browserTest } from "@tidings/testkit/chromium";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, settled, trigger } from "@tidings/testkit/verbs";
import { billPayload, billWorkflow } from "./seed.ts";
import { backgroundOf, expectAccessible, expectNoOverflow, narrow, openDashboard } from "./support.ts";

const service = await startTestService();
const { client } = service;
const ada = { subscriberId: "ada", firstName: "Ada", email: "ada@example.com", phone: "+14155550100" };

before(async () => {
  await createWorkflow(client, billWorkflow[0], billWorkflow[2]);
});

browserTest(
  "a mail arrives by itself, and is read with its code, links and attachment; then deleted",
  async (context) => {
    const page = await openDashboard(context, service, "/mailbox", {
      permissions: ["clipboard-read", "clipboard-write"],
      // An emulated preference would be that of the frame of the mail, too.
      colorScheme: null,
    });
    await page.getByText("No messages captured yet").waitFor();
    await trigger(client, "confirm-address", ada, billPayload);
    const rows = page.getByRole("list", { name: "Captured messages" }).getByRole("link");
    await rows.nth(1).waitFor();
    await page.getByRole("link", { name: /^Unread Confirm your address/ }).click();
    await page.waitForURL(/id=/);
    const message = page.getByRole("article", { name: "Message" });
    const letter = message.frameLocator("iframe").frameLocator("iframe");
    await letter.getByRole("heading", { name: "Confirm your address" }).waitFor();
    await expectAccessible(page);

    await message.getByRole("button", { name: "Copy code 482913" }).click();
    assert.equal(await page.evaluate("navigator.clipboard.readText()"), "482913");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      message.getByRole("button", { name: "Invoice 2026-0117.pdf 19 B" }).click(),
    ]);
    assert.equal(download.suggestedFilename(), "Invoice 2026-0117.pdf");
    assert.equal(readFileSync(await download.path(), "utf8"), "%PDF-1.4 an invoice");

    await message.getByRole("button", { name: "Dark" }).click();
    await letter.getByRole("heading", { name: "Confirm your address" }).waitFor();
    assert.equal(
      await letter.locator(".box").evaluate(backgroundOf),
      "rgb(26, 31, 34)",
      "the mail shows its dark colours",
    );
    await message.getByRole("button", { name: "Phone width" }).click();
    assert.ok(((await message.locator("iframe").boundingBox())?.width ?? 0) <= 375);

    await message.getByRole("tab", { name: /Links/ }).click();
    await message.getByRole("link", { name: "https://example.com/confirm?order=7" }).waitFor();
    assert.equal(await message.getByRole("button", { name: "Copy link" }).count(), 2);
    await message.getByRole("tab", { name: "Headers" }).click();
    await message.getByText("ada@example.com").last().waitFor();
    await message.getByRole("tab", { name: "Source" }).click();
    await message.getByText("prefers-color-scheme").waitFor();
    await page.waitForURL(/view=source/);

    await message.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await message.getByText("482913 is your code for Example").waitFor();
    assert.equal(await rows.count(), 1, "the next message is read");
  },
);

browserTest(
  "messages are found by search and channel, in the address; and all deleted, after a question",
  async (context) => {
    for (const order of ["11", "12"])
      await settled(client, await trigger(client, "confirm-address", ada, { order, code: `9900${order}` }));
    const page = await openDashboard(context, service, "/mailbox", { viewport: narrow });
    const rows = page.getByRole("list", { name: "Captured messages" }).getByRole("link");
    await rows.nth(3).waitFor();
    await expectNoOverflow(page);
    await page.getByRole("searchbox").fill("990012");
    await page.waitForURL(/q=.*990012/);
    await page.getByRole("combobox", { name: /^Channel/ }).click();
    await page.getByRole("option", { name: "SMS" }).click();
    await page.waitForURL(/channel=sms/);
    await rows.getByText("990012 is your code").waitFor();
    await rows.nth(1).waitFor({ state: "detached" });
    await page.reload();
    await rows.click();
    await page.getByRole("article", { name: "Message" }).getByText("990012 is your code").waitFor();
    assert.equal(await rows.first().isVisible(), false, "a narrow screen shows the message alone");
    await expectNoOverflow(page);
    await expectAccessible(page);
    await page.getByRole("link", { name: "Mailbox" }).last().click();
    await rows.first().waitFor();
    await expectAccessible(page);
    await page.getByRole("searchbox").fill("");
    await rows.nth(1).waitFor();
    await page.getByRole("button", { name: "Delete all" }).click();
    await page.getByText("Delete all captured SMS messages?").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Delete all" }).click();
    await page.getByText("No matching messages").waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await rows.nth(1).waitFor();
  },
);

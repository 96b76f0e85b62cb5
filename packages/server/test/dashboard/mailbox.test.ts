// The mailbox of captured messages, in a browser.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { before } from "node:test";
import { browserTest } from "@tidings/testkit/chromium";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
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

/** What a hostile mail tries: scripts, handlers, forms, other pages, and a link that runs. */
const hostile = `<h1>Hello</h1><script>parent.parent.hacked = 1; parent.parent.location = "/settings"</script>
  <img src="data:," onerror="top.hacked = 1"><a href="javascript:top.hacked=1" target="_top" id="run">Run</a>
  <a href="/settings" target="_top" id="leave">Leave</a><meta http-equiv="refresh" content="0;url=/settings">
  <form action="/v2/captured" target="_top"><button id="send">Send</button></form>
  <iframe src="/settings"></iframe><base target="_top"><style>body { position: fixed; inset: 0 }</style>`;

browserTest("a hostile mail does nothing", async (context) => {
  await createWorkflow(client, "hostile", [
    email({ subject: "<img src=x onerror=hacked=1>", body: hostile, editorType: "html" }),
  ]);
  await settled(client, await trigger(client, "hostile", ada));
  // As a template it would lose its scripts; a mail that the provider accepted is shown unchanged.
  await sql`update captured_messages set content = jsonb_set(content, '{html}', ${JSON.stringify(hostile)}::jsonb)
    where content->>'subject' like '<img%'`.execute(service.db);
  const page = await openDashboard(context, service, "/mailbox?channel=email", {
    allow: /sandbox|Content Security Policy|Refused|Blocked|Unsafe attempt/i,
  });
  await page.getByRole("link", { name: /<img src=x onerror=hacked=1>/ }).click();
  const message = page.getByRole("article", { name: "Message" });
  const inner = message.frameLocator("iframe").locator("iframe");
  assert.equal(await inner.getAttribute("sandbox"), "");
  const letter = message.frameLocator("iframe").frameLocator("iframe").first();
  await letter.getByRole("heading", { name: "Hello" }).waitFor();
  for (const id of ["run", "leave", "send"]) await letter.locator(`#${id}`).dispatchEvent("click");
  const address = page.url();
  await message.getByRole("tab", { name: "Text" }).click();
  await message.getByText("Hello").first().waitFor();
  assert.equal(page.url().split("&view=")[0], address.split("&view=")[0]);
  assert.equal(await page.evaluate("window.hacked"), undefined);
  assert.equal(page.context().pages().length, 1);
});

browserTest("a captured mail loads remote pictures only when the reader asks", async (context) => {
  const asked: (string | undefined)[] = [];
  const host = createServer((request, response) => {
    asked.push(request.url);
    response.writeHead(200, { "content-type": "image/svg+xml" }).end('<svg xmlns="http://www.w3.org/2000/svg"/>');
  });
  await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
  context.after(() => host.close());
  const origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
  await createWorkflow(client, "pictures", [
    email({
      subject: "With a picture",
      body: `<p>Hello</p><img src="${origin}/open.svg" alt="Logo">`,
      editorType: "html",
    }),
  ]);
  await settled(client, await trigger(client, "pictures", ada));
  const page = await openDashboard(context, service, "/mailbox?channel=email", {
    allow: /Content Security Policy|Refused/i,
  });
  await page.getByRole("link", { name: /With a picture/ }).click();
  const message = page.getByRole("article", { name: "Message" });
  const letter = message.frameLocator("iframe").frameLocator("iframe").first();
  await letter.getByText("Hello").waitFor();
  await message.getByText("Remote images and fonts are blocked").waitFor();
  assert.deepEqual(asked, []);
  await message.getByRole("button", { name: "Load remote content" }).click();
  await eventually(() => asked.length > 0, "the picture is loaded");
  assert.deepEqual(asked, ["/open.svg"]);
});

// Messages in a browser: an event is triggered again, mails are read, a broadcast is sent, a failed task is
// repeated.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { browserTest, journey } from "@tidings/testkit/chromium";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { newId } from "../../../src/lib/ids.ts";
import { insertFailedTask } from "../../../src/store/events/failed-tasks.ts";
import { expectAccessible, expectNoOverflow, narrow, openDashboard } from "../support.ts";

const service = await startTestService();
const { client, db } = service;

journey("an event can be triggered again with another payload", async (context) => {
  await createWorkflow(client, "order-shipped", [inApp({ body: "Order {{ payload.order }}" })]);
  const transactionId = await trigger(client, "order-shipped", "ada", { order: "T-1045" });
  await settled(client, transactionId);
  const page = await openDashboard(context, service, `/activity/${transactionId}`);
  await page.getByRole("button", { name: "Run again" }).click();
  const field = page.getByRole("textbox", { name: "Payload" });
  await field.fill("{");
  assert.ok(await page.getByRole("button", { name: "Trigger event" }).isDisabled());
  await field.fill('{ "order": "T-2000" }');
  await page.getByRole("button", { name: "Trigger event" }).click();
  await page.waitForURL(/activity\/txn_/);
  await page.getByText("Order T-2000").first().waitFor();
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
  await settled(client, await trigger(client, "pictures", { subscriberId: "bea", email: "bea@example.com" }));
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

/** What a hostile mail tries: scripts, handlers, forms, other pages, and a link that runs. */
const hostile = `<h1>Hello</h1><script>parent.parent.hacked = 1; parent.parent.location = "/settings"</script>
  <img src="data:," onerror="top.hacked = 1"><a href="javascript:top.hacked=1" target="_top" id="run">Run</a>
  <a href="/settings" target="_top" id="leave">Leave</a><meta http-equiv="refresh" content="0;url=/settings">
  <form action="/v2/captured" target="_top"><button id="send">Send</button></form>
  <iframe src="/settings"></iframe><base target="_top"><style>body { position: fixed; inset: 0 }</style>`;

journey("a hostile mail does nothing", async (context) => {
  await createWorkflow(client, "hostile", [
    email({ subject: "<img src=x onerror=hacked=1>", body: hostile, editorType: "html" }),
  ]);
  await settled(client, await trigger(client, "hostile", { subscriberId: "hugo", email: "hugo@example.com" }));
  // As a template it would lose its scripts; a mail that the provider accepted is shown unchanged.
  await sql`update captured_messages set content = jsonb_set(content, '{html}', ${JSON.stringify(hostile)}::jsonb)
    where content->>'subject' like '<img%'`.execute(db);
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

journey("a broadcast is refused without an audience, gets one, and is sent", async (context) => {
  await client("audiences.create", { body: { audienceId: "guests", name: "Guests" } });
  await client("subscribers.create", { body: { subscriberId: "cleo" } });
  const subscriberIds = ["cleo"];
  await client("audiences.addMembers", { params: { audienceId: "guests" }, body: { subscriberIds } });
  const steps = [{ name: "Note", stepId: "note", type: "in_app", controlValues: { subject: "News", body: "Hello" } }];
  const { _id: broadcastId } = (
    await client("broadcasts.create", { body: { name: "News", content: { steps } } } as never)
  ).body as { _id: string };
  // The browser logs the refused request.
  const page = await openDashboard(context, service, `/broadcasts/${broadcastId}`, { allow: /409|422/ });
  const dialog = page.getByRole("dialog");
  const press = (name: string) => page.getByRole("button", { name, exact: true }).first().click();
  await press("Check the draft");
  await page.getByText(/It has no audience/).waitFor();
  await press("Send");
  await dialog.getByText(/The checklist has 1 problem\./).waitFor();
  await dialog.getByRole("button", { name: "Send now", exact: true }).click();
  await page
    .getByText(/choose at least one, or everyone/)
    .nth(1)
    .waitFor();
  await press("Add an audience");
  await page.getByRole("menuitem", { name: "Guests" }).click();
  await page.getByRole("status").getByText("1 person", { exact: true }).waitFor();
  await press("Save");
  await page.getByText("Draft saved").waitFor();
  await press("Send");
  await dialog.getByText("Send to 1 person?").waitFor();
  await dialog.getByRole("button", { name: "Send now", exact: true }).click();
  await page.getByRole("heading", { level: 1 }).getByText("Sent").waitFor();
  const { data } = (await client("subscriberNotifications.list", { params: { subscriberId: "cleo" } })).body;
  assert.deepEqual(
    data.map(({ subject }) => subject),
    ["News"],
  );
});

journey("failed tasks have a tab of their own and are put back into the queue", async (context) => {
  const { _id: environmentId } = (await client("environments.list")).body.find(({ apiKeys }) => apiKeys)!;
  // No task fails every time on a database that works, so it is written as the pipeline writes it.
  await insertFailedTask(db, environmentId, {
    id: newId(),
    environment_id: environmentId,
    kind: "wake",
    data: { notificationIds: [newId()] },
    error: "invalid byte sequence",
    attempts: 3,
    created_at: new Date(),
  });
  const page = await openDashboard(context, service, "/", { viewport: narrow });
  await page.getByRole("link", { name: "View failed tasks" }).click();
  await page.getByRole("button", { name: /Resume after a wait/ }).click();
  await expectAccessible(page);
  await expectNoOverflow(page);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("Back in the queue").waitFor();
  await page.getByText("Retried").waitFor();
});

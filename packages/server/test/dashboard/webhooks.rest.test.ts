// Webhooks, in a browser: an endpoint that goes away, is fixed and gets what it missed; and what providers reported.
import assert from "node:assert/strict";
import { browserTest } from "@tidings/testkit/chromium";
import { isSignedWith, startReceiver } from "@tidings/testkit/servers/receiver";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, messagesOf, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { expectAccessible, expectNoOverflow, narrow, openDashboard } from "./support.ts";

let isGone = false;
let isDown = false;
const receiver = await startReceiver(() =>
  isGone ? { status: 410, text: "moved away" } : { status: isDown ? 500 : 200, text: "taken" },
);
const service = await startTestService();
const { client } = service;

browserTest(
  "an endpoint is made, goes away, is disabled, turned on again, and gets what it missed",
  async (context) => {
    const page = await openDashboard(context, service, "/webhooks");
    await page.getByRole("button", { name: "Add endpoint" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("URL").fill(`${receiver.url}/shop`);
    await dialog.getByRole("combobox", { name: /^Events/ }).click();
    await page.getByRole("option", { name: "Selected events" }).click();
    await dialog.getByText("Choose at least one event").waitFor();
    await dialog.getByRole("checkbox", { name: /^workflow\.created/ }).check();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Add endpoint" }).click();
    const secret = (await dialog.getByText(/^whsec_/).textContent())!;
    await dialog.getByRole("button", { name: "I have copied it" }).click();
    await page.getByRole("link", { name: /\/shop/ }).click();

    await page.getByRole("button", { name: "Send a test" }).click();
    await page.getByText("The test event was accepted").waitFor();
    assert.ok(isSignedWith(secret, receiver.received.at(-1)!));
    await page.getByRole("button", { name: /^webhook\.test/ }).click();
    await page.getByRole("region", { name: "Response 200" }).or(page.getByText("Response 200")).first().waitFor();
    await page.getByText("taken").first().waitFor();
    await expectAccessible(page);

    isGone = true;
    await createWorkflow(client, "while-gone", []);
    const isDisabled = async () => (await client("webhooks.list")).body[0]?.disabledAt !== undefined;
    await eventually(isDisabled, "the endpoint to be disabled");
    // The page would read it again after 15 seconds.
    await page.reload();
    await page.getByText("This endpoint was disabled automatically: The receiver returned 410 Gone.").waitFor();
    await createWorkflow(client, "while-off", []);
    isGone = false;
    await page.getByRole("button", { name: "Turn on again" }).click();
    await page.getByRole("heading", { level: 1 }).getByText("Healthy").waitFor();
    const before = receiver.received.length;
    await page.getByRole("button", { name: "Redeliver failed" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Deliver again" }).click();
    await page.getByText("2 deliveries queued again").waitFor();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await eventually(() => receiver.received.length === before + 2, "what it missed");
    const names = receiver.received
      .slice(before)
      .map(({ event }) => (event.data.object as { workflowId: string }).workflowId);
    assert.deepEqual(names.sort(), ["while-gone", "while-off"]);

    await page
      .getByRole("button", { name: /^workflow\.created/ })
      .first()
      .click();
    await page.getByRole("button", { name: "Deliver again" }).click();
    await page.getByText("Queued for delivery").waitFor();
    await eventually(() => receiver.received.length === before + 3, "one of them again");
    await page.getByRole("button", { name: /^Actions for/ }).click();
    await page.getByRole("menuitem", { name: "Rotate secret" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Rotate secret" }).click();
    const rotated = (await page
      .getByRole("dialog")
      .getByText(/^whsec_/)
      .textContent())!;
    assert.notEqual(rotated, secret);
    await page.getByRole("button", { name: "I have copied it" }).click();
    await page.getByRole("button", { name: "Send a test" }).click();
    await eventually(
      () => receiver.received.some((one) => isSignedWith(rotated, one) && isSignedWith(secret, one)),
      "both signatures",
    );
    await page.getByRole("button", { name: /^Actions for/ }).click();
    await page.getByRole("menuitem", { name: "Delete endpoint" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete endpoint" }).click();
    await page.getByText("No endpoints yet").waitFor();
  },
);

browserTest("an endpoint that keeps failing says so in the list, on its page and on Home", async (context) => {
  isDown = true;
  const { id } = (
    await client("webhooks.create", { body: { url: `${receiver.url}/down`, eventTypes: ["workflow.created"] } })
  ).body;
  for (let times = 1; times <= 5; times++) await createWorkflow(client, `down-${times}`, []);
  const isFailing = async () =>
    (await client("webhooks.retrieve", { params: { webhookId: id } })).body.health!.failures >= 5;
  await eventually(isFailing, "five failures");
  const page = await openDashboard(context, service, "/", { viewport: narrow });
  await page.getByText(/rejected \d+ webhook calls in a row/).waitFor();
  await page.getByRole("link", { name: "Open webhook" }).click();
  await page.getByRole("heading", { level: 1 }).getByText("Failing").waitFor();
  await page.getByText("Consecutive failures").waitFor();
  await page
    .getByText(/HTTP 500/)
    .first()
    .waitFor();
  await expectNoOverflow(page);
  await expectAccessible(page);
  await page.goto(`${service.url}/webhooks`);
  await page.getByText(/The last \d+ calls failed: HTTP 500\. 5 events are waiting/).waitFor();
  await expectNoOverflow(page);
  await client("webhooks.delete", { params: { webhookId: id } });
});

browserTest("on a phone the reports of providers show what they changed, and why one was refused", async (context) => {
  const key = "the key of this test";
  const capture = (await client("integrations.list")).body.find(
    ({ identifier }) => identifier === "svc-email-default",
  )!;
  const { _id: integrationId = "", _environmentId: environmentId } = capture;
  await client("integrations.update", {
    params: { integrationId },
    body: { configurations: { inboundWebhookEnabled: true, inboundWebhookSigningKey: key } },
  });
  await createWorkflow(client, "mail", [email()]);
  const transactionId = await trigger(client, "mail", { subscriberId: "ada", email: "ada@example.com" });
  await settled(client, transactionId);
  const [message] = await messagesOf(client, transactionId);
  const report = (password: string, body: unknown) =>
    client.raw("inboundWebhooks.receive", {
      params: { environmentId, integrationId },
      headers: { authorization: `Basic ${Buffer.from(`reports:${password}`).toString("base64")}` },
      body,
    });
  await report(key, [{ messageId: message!._id, status: "bounced" }]);
  await report("wrong", { status: "delivered", apiKey: "hunter2" });

  const path = "/webhooks?tab=receipts&integration=svc-email-default";
  const page = await openDashboard(context, service, path, { viewport: narrow });
  const list = page.getByRole("list", { name: "Provider reports" });
  await list.getByText("message failed, address suppressed, noted in the run").waitFor();
  await list.getByRole("button", { name: /The signature is missing or invalid/ }).click();
  const excerpt = await page.getByRole("region", { name: "Raw request (excerpt)" }).textContent();
  assert.match(excerpt!, /"apiKey":"…"/);
  await expectAccessible(page);
  await expectNoOverflow(page);
  await page.getByRole("combobox", { name: /^Result/ }).click();
  await page.getByRole("option", { name: "Applied" }).click();
  await page.waitForURL(/result=applied/);
  await list.getByRole("button").first().click();
  await page.getByRole("link", { name: "View run" }).click();
  await page.waitForURL(new RegExp(`/activity/${transactionId}`));
});

// "Take back" on an event, in a browser: what can and cannot be undone, a reason, a correction, and the result.
import assert from "node:assert/strict";
import { before } from "@tidings/testkit/at-end";
import { browserTest } from "@tidings/testkit/chromium";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp, settled, trigger } from "@tidings/testkit/verbs";
import { expectAccessible, expectNoOverflow, narrow, openDashboard } from "../support.ts";

const service = await startTestService();
const { client } = service;
let transactionId: string;
before(async () => {
  await createWorkflow(client, "price", [inApp(), email()], { name: "New price" });
  for (const subscriberId of ["ada", "bob"]) {
    await client("subscribers.create", { body: { subscriberId, email: `${subscriberId}@example.com` } });
  }
  transactionId = await trigger(client, "price", ["ada", "bob"]);
  await settled(client, transactionId);
});

browserTest("an event is taken back with a reason and a correction, and says so afterwards", async (context) => {
  const page = await openDashboard(context, service, `/activity/${transactionId}`, { allow: /status of 422/ });
  await page.getByRole("button", { name: "Take back" }).click();
  const dialog = page.getByRole("dialog", { name: "Take this event back" });
  await dialog.getByText("It went to 2 people. This cannot be undone.").waitFor();
  const preview = dialog.getByRole("list", { name: "What can be taken back" });
  await preview.getByText("2 will be removed from the inbox").waitFor();
  await preview.getByText("2 cannot be unsent").waitFor();
  const submit = dialog.getByRole("button", { name: "Take back" });
  assert.ok(await submit.isDisabled());
  await dialog.getByLabel("Reason").fill("Wrong price");
  await dialog.getByLabel("Send a correction").check();
  await dialog.getByLabel("Subject").fill("The right price");
  await dialog.getByLabel("Text").fill("Dear {{ subscriber.firstName");
  await submit.click();
  await dialog.getByRole("alert").getByText("correction.body cannot be rendered").waitFor();
  assert.deepEqual((await client("retractions.list", { query: { transactionId } })).body.data, []);
  await dialog.getByLabel("Text").fill("It costs 20, not 2.");
  await preview.getByText("2 will be replaced by the correction").waitFor();
  await preview.getByText("2 cannot be unsent; the correction will be sent as well").waitFor();
  await expectAccessible(page);
  await submit.click();
  const done = page.getByRole("dialog", { name: "Taken back for 2 people" });
  await done.getByText("2 replaced by the correction").waitFor();
  await done.getByText("2 could not be unsent; the correction was sent").waitFor();
  await expectAccessible(page);
  await done.getByRole("button", { name: "Close" }).click();
  await page.getByText("This event was taken back.").waitFor();
  assert.equal(await page.getByRole("button", { name: "Take back" }).count(), 0);
  await page.getByRole("link", { name: /ada/ }).click();
  await page.getByText("Correction sent", { exact: true }).waitFor();
  const { data } = (await client("retractions.list", { query: { transactionId } })).body;
  assert.deepEqual(
    data.map(({ reason, status }) => [reason, status]),
    [["Wrong price", "completed"]],
  );
});

browserTest("the result of a retraction fits a phone in the dark", async (context) => {
  const path = `/activity/${transactionId}`;
  const page = await openDashboard(context, service, path, { viewport: narrow, colorScheme: "dark" });
  await page.getByRole("button", { name: "Show result" }).click();
  await page.getByRole("dialog").getByText("2 replaced by the correction").waitFor();
  await expectAccessible(page);
  await expectNoOverflow(page);
});

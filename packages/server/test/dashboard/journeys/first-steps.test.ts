// The first steps in a new installation, in a browser: the screens of the navigation, and a first notification.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { journey } from "@tidings/testkit/chromium";
import { startTestService } from "@tidings/testkit/service";
import { expectAccessible, openDashboard } from "../support.ts";

const service = await startTestService();

journey("every screen of the navigation opens, by keyboard too", async (context) => {
  const page = await openDashboard(context, service, "/");
  for (const name of ["Activity", "Workflows", "Subscribers", "Integrations", "Home"]) {
    await page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
    await page.getByRole("heading", { level: 1, name }).waitFor();
  }
  await page.reload();
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate("document.activeElement.id"), "main", "the first stop skips the navigation");
});

journey("the first notification arrives in the inbox on the page, by a click and by the command", async (context) => {
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
  await page.getByRole("list", { name: "Recent events" }).getByRole("link").nth(1).waitFor();

  await page.getByRole("link", { name: "See how it got there" }).click();
  await page.waitForURL(/\/activity\//);
});

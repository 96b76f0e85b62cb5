// Integrations, in a browser: from the catalogue to a message that went through the new integration.
import assert from "node:assert/strict";
import { browserTest, openBrowser, openPage } from "@tidings/testkit/chromium";
import { closedPort, startMailServer } from "@tidings/testkit/mail/smtp";
import { startTestService } from "@tidings/testkit/service";
import { eventually } from "@tidings/testkit/wait";
import { invite, signInOwner } from "../app/members/browsers.ts";
import { expectAccessible, expectNoOverflow, narrow } from "./support.ts";

const mail = await startMailServer();
const service = await startTestService();
const owner = signInOwner(service);

async function cookieOf(session: Promise<{ cookie: string }>) {
  const [name, value] = (await session).cookie.split("=") as [string, string];
  return [{ name, value, url: service.url }];
}

browserTest("a provider is found, its credentials are checked, and it becomes primary and sends", async (context) => {
  const browser = await openBrowser(context, { viewport: { width: 1280, height: 860 } });
  await browser.addCookies(await cookieOf(owner));
  // The refusals on the way are in the console of the browser, so this page is opened without the check of errors.
  const page = await browser.newPage();
  await page.goto(`${service.url}/integrations`);
  await page.getByRole("link", { name: "Add integration" }).click();
  await page.getByRole("searchbox", { name: "Search providers" }).fill("smtp");
  await page.waitForURL(/q=smtp/);
  await expectAccessible(page);
  await page
    .getByRole("list", { name: /^Providers/ })
    .getByRole("link")
    .first()
    .click();

  await page.getByLabel("Host").fill("127.0.0.1");
  await page.getByLabel("Port").fill(String(mail.port));
  await page.getByLabel(/^User/).fill(mail.user);
  await page.getByLabel(/^Password/).fill("wrong");
  await page.getByLabel(/^From email/).fill("hello@example.com");
  await page.getByLabel(/^Name/).fill("Office mail");
  await page.getByRole("button", { name: "Add integration" }).click();
  const refusal = page.getByRole("alert").filter({ hasText: "The provider rejected the credentials" });
  await refusal.waitFor();
  await page.getByLabel("Port").fill(String(await closedPort()));
  await page.getByRole("button", { name: "Add integration" }).click();
  const away = page.getByRole("alert").filter({ hasText: "(connection refused). Is the server running?" });
  await away.waitFor();
  const box = (await away.boundingBox())!;
  assert.ok(box.y > 0 && box.y + box.height <= 860, "what was refused is in sight");
  await page.getByLabel("Port").fill(String(mail.port));
  await page.getByLabel(/^Password/).fill(mail.password);
  await page.getByRole("button", { name: "Add integration" }).click();
  await page.getByRole("heading", { level: 1, name: "Office mail" }).waitFor();
  await page.getByText("Healthy").waitFor();

  // The secret is never shown, and is kept when its field is left empty.
  assert.equal(await page.getByLabel(/^Password/).inputValue(), "");
  assert.doesNotMatch(await page.content(), new RegExp(mail.password));
  await page.getByLabel(/^Name/).fill("The office");
  await page.getByRole("button", { name: "Save changes" }).click();
  await page.getByRole("heading", { level: 1, name: "The office" }).waitFor();
  await page.getByRole("button", { name: "Check credentials" }).click();
  await page.getByText("The provider accepted the credentials").waitFor();
  await expectAccessible(page);

  await page.getByRole("button", { name: "Send a test" }).click();
  await page.getByRole("dialog").getByLabel("Subscriber id").fill("ada");
  await page
    .getByRole("dialog")
    .getByLabel(/^Email address/)
    .fill("ada@example.com");
  await page.getByRole("dialog").getByRole("button", { name: "Send", exact: true }).click();
  await page.waitForURL(/\/activity\//);
  await eventually(() => mail.received.some(({ subject }) => subject === "A test from Tidings"), "the test mail");
});

browserTest("another one is made primary, is switched off, and is deleted after a question", async (context) => {
  const { body } = await service.client("integrations.create", {
    body: {
      providerId: "nodemailer",
      channel: "email",
      name: "Second",
      active: true,
      credentials: { host: "127.0.0.1", port: "9", ignoreTls: true, from: "hello@example.com" },
    },
  });
  const browser = await openBrowser(context, { viewport: narrow });
  await browser.addCookies(await cookieOf(owner));
  const page = await openPage(context, browser);
  await page.goto(`${service.url}/integrations`);
  const row = page.getByRole("listitem").filter({ hasText: "Second" });
  await row.getByRole("link").click();
  await page.getByText("Not used yet").waitFor();
  await page.goBack();
  await row.getByRole("button", { name: "Actions for Second" }).click();
  await page.getByRole("menuitem", { name: "Make primary" }).click();
  await row.getByText("Primary").waitFor();
  await expectNoOverflow(page);
  await expectAccessible(page);
  await row.getByRole("switch").click();
  await row.getByText("Off").waitFor();
  await row.getByRole("link").click();
  await page.getByRole("button", { name: "Delete integration" }).click();
  await expectNoOverflow(page);
  await page.getByRole("dialog").getByRole("button", { name: "Delete integration" }).click();
  await page.getByText("Integration deleted").waitFor();
  const { body: left } = await service.client("integrations.list");
  assert.ok(!left.some(({ _id }) => _id === body._id));
});

browserTest("a viewer sees the integrations and can change nothing", async (context) => {
  const viewer = owner.then((browser) => invite(service, browser, "viewer"));
  const browser = await openBrowser(context, { viewport: { width: 1280, height: 860 } });
  await browser.addCookies(await cookieOf(viewer));
  const page = await openPage(context, browser);
  await page.goto(`${service.url}/integrations`);
  const toggle = page.getByRole("switch").first();
  await toggle.waitFor();
  assert.equal(await toggle.isDisabled(), true);
  assert.equal(await page.getByRole("link", { name: "Add integration" }).count(), 0);
  await page
    .getByRole("list")
    .getByRole("link", { name: /In-app|Tidings|capture/i })
    .first()
    .click();
  await page.getByText("requires the editor role").waitFor();
  assert.equal(await page.getByRole("button", { name: /Save|Delete|Send a test/ }).count(), 0);
});
